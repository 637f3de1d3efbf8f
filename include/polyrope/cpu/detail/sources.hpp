#pragma once
// What a call does with each source of angles (cpu/source.hpp): the source checks itself, then prepares a job for one
// chunk of tokens after the other.

#include "polyrope/cpu/detail/check.hpp"
#include "polyrope/cpu/detail/coordinates.hpp"
#include "polyrope/cpu/source.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

/// A source checks itself for tokens [begin, end) of `tokens`, then prepares a job for a chunk of them.
/// `room` is its scratch.
template <class P>
struct position_source_of {
    static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t> || std::is_same_v<P, float> ||
                      std::is_same_v<P, double>,
                  "positions are int32, int64, float32 or float64; convert others first");
    positions_view<const P> positions;
    using room = token_coordinates[chunk_tokens];
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::coordinates;

    [[nodiscard]] status check(const rotary& rope, index_t tokens, index_t begin, index_t end,
                               operand what = operand::positions) const noexcept {
        if (const status s = check_positions_view(positions, tokens, rope.axes(), what); !s.ok()) return s;
        return check_positions<P>(positions, begin, end, what);
    }
    void prepare(job& j, room& at, index_t begin, index_t end) const noexcept {
        put_coordinates<P>(at, positions, begin, end, j.rope->angle());
        j.coordinates = at;
    }
    /// Coordinates as float64, axis-major [axes, end - begin]; exact for every position that passes the check.
    void fetch(double* out, index_t begin, index_t end) const noexcept {
        for (index_t a = 0; a < positions.axes; ++a)
            for (index_t n = begin; n < end; ++n) *out++ = static_cast<double>(positions.at(a, n));
    }
};

[[nodiscard]] inline status check_coordinate(double at, index_t n) noexcept {
    if (at >= -2147483648.0 && at < 2147483648.0) return {};
    return {errc::position_out_of_range, operand::plan, n, int32_limit, saturated(at)};
}

struct plan_source {
    planned_tokens tokens_of;
    using room = token_coordinates[chunk_tokens];
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::coordinates;

    [[nodiscard]] status check(const rotary& rope, index_t, index_t begin, index_t end,
                               operand = operand::plan) const noexcept {
        const position_plan& plan = *tokens_of.plan;
        if (plan.axes() != rope.axes()) return {errc::axis_count_mismatch, operand::plan, 0, rope.axes(), plan.axes()};
        index_t last = 0;
        if (!checked_add(tokens_of.first.value, end, last)) last = index_max;
        if (tokens_of.first.value < 0 || last == index_max)
            return {errc::range_invalid, operand::plan, 0, tokens_of.first.value, last};
        if (begin >= end) return {};
        // Past the prompt positions only grow, so the last token speaks for all. A prompt is looked at token by token
        // if its plan was let past int32.
        for (index_t n = tokens_of.first.value + begin; n < last - 1 && pd::plan_access::data(plan).reach > int32_limit;
             ++n) {
            if (n >= plan.size()) break;
            for (int a = 0; a < plan.axes(); ++a)
                if (const status s = check_coordinate(plan.coordinates(token_index{n})[a], n); !s.ok()) return s;
        }
        const coordinate at = plan.coordinates(token_index{last - 1});
        for (int a = 0; a < plan.axes(); ++a)
            if (const status s = check_coordinate(at[a], last - 1); !s.ok()) return s;
        double none = 0.0;
        return tokens_of.which == position_source::neutral && !plan.has_neutral()
                   ? plan.fill(token_index{0}, token_index{0}, axis_major(&none, plan.axes(), 0),
                               fill_options{}.neutral())
                   : status{};
    }
    void prepare(job& j, room& at, index_t begin, index_t end) const noexcept {
        double buffer[max_axes * chunk_tokens];
        fetch(buffer, begin, end);
        put_coordinates<double>(at, axis_major<const double>(buffer, tokens_of.plan->axes(), end - begin), 0,
                                end - begin, j.rope->angle());
        j.coordinates = at;
    }
    void fetch(double* out, index_t begin, index_t end) const noexcept {
        fill_options options;
        options.source = tokens_of.which;
        static_cast<void>(tokens_of.plan->fill(token_index{tokens_of.first.value + begin},
                                               token_index{tokens_of.first.value + end},
                                               axis_major(out, tokens_of.plan->axes(), end - begin), options));
    }
};

inline void use_table(job& j, const cos_sin_view<const float>& table) noexcept {
    const pd::row_shape shape = pd::shape_of(table.layout, j.rope->paired(), j.rope->pairs());
    j.cos = table.cos + shape.cos_first;
    j.sin = (table.layout == table_layout::doubled ? table.sin : table.cos) + shape.sin_first;
    j.row_stride = table.row_stride;
    j.step = shape.cos_step;
}

struct token_rows_source {
    cos_sin_view<const float> table;
    struct room {};
    static constexpr index_t chunk = index_max;
    static constexpr row_source rows_from = row_source::table;

    [[nodiscard]] status check(const rotary& rope, index_t tokens, index_t, index_t,
                               operand = operand::table) const noexcept {
        if (table.rows_are != table_rows::tokens) return {errc::unsupported, operand::table, 0, 0, 0};
        // One row serves all head groups only where there is one.
        if (rope.frequencies().groups() != 1)
            return {errc::unsupported, operand::table, 1, 1, rope.frequencies().groups()};
        if (const status s = check_table(table, rope.paired(), rope.pairs()); !s.ok()) return s;
        if (tokens > table.rows)
            return {errc::table_row_out_of_range, operand::table, table.rows, table.rows, table.rows};
        return {};
    }
    void prepare(job& j, room&, index_t begin, index_t) const noexcept {
        use_table(j, table);
        j.first_row = begin;
    }
};

template <class P>
struct lookup_source {
    static_assert(std::is_integral_v<P>, "rows are looked up by whole positions, int32 or int64");
    table_lookup<P> lookup;
    using room = std::int64_t[8 * chunk_tokens];
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::table;

    [[nodiscard]] status check(const rotary& rope, index_t tokens, index_t begin, index_t end,
                               operand = operand::table) const noexcept {
        if (lookup.table.rows_are != table_rows::positions) return {errc::unsupported, operand::table, 0, 0, 0};
        // A group may turn at other frequencies than the table holds.
        if (rope.frequencies().groups() != 1)
            return {errc::unsupported, operand::table, 1, 1, rope.frequencies().groups()};
        if (const status s = check_table(lookup.table, rope.paired(), rope.pairs()); !s.ok()) return s;
        if (const status s = check_positions_view(lookup.positions, tokens, rope.axes(), operand::positions); !s.ok())
            return s;
        for (index_t a = 0; a < lookup.positions.axes; ++a) {
            for (index_t n = begin; n < end; ++n) {
                const auto row = static_cast<index_t>(lookup.positions.at(a, n));
                if (row < 0 || row >= lookup.table.rows)
                    return {errc::table_row_out_of_range, operand::table, n, lookup.table.rows, row};
            }
        }
        return {};
    }
    void prepare(job& j, room& rows, index_t begin, index_t end) const noexcept {
        use_table(j, lookup.table);
        for (index_t n = begin; n < end; ++n)
            for (index_t a = 0; a < lookup.positions.axes; ++a)
                rows[8 * (n - begin) + a] = static_cast<std::int64_t>(lookup.positions.at(a, n));
        j.rows = rows;
    }
};

template <class P>
[[nodiscard]] position_source_of<std::remove_const_t<P>> source_of(const positions_view<P>& positions) noexcept {
    return {positions};
}
[[nodiscard]] inline plan_source source_of(const planned_tokens& tokens) noexcept { return {tokens}; }
template <class T>
[[nodiscard]] token_rows_source source_of(const cos_sin_view<T>& table) noexcept {
    return {table};
}
template <class P>
[[nodiscard]] lookup_source<P> source_of(const table_lookup<P>& lookup) noexcept {
    return {lookup};
}

template <class S, class = void>
struct is_source : std::false_type {};
template <class S>
struct is_source<S, std::void_t<decltype(source_of(std::declval<const S&>()))>> : std::true_type {};

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
