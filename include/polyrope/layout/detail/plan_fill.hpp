#pragma once
// position_plan::fill: checks everything, then writes.

#include "polyrope/layout/detail/bounds.hpp"
#include "polyrope/layout/detail/fill.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN
namespace detail {

/// What P can hold: the largest position, and up to where sums of positions and steps stay exact.
template <class P>
struct position_type {
    static_assert(
        std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t> || std::is_same_v<P, float> ||
            std::is_same_v<P, double>,
        "positions are filled as std::int32_t, std::int64_t, float or double; give a positions_view of one of them");
    static constexpr double largest = sizeof(P) == 4 && std::is_integral_v<P> ? 2147483647.0 : largest_whole;
    static constexpr double exact = sizeof(P) == 8 ? largest_whole : std::is_integral_v<P> ? 2147483647.0 : 16777216.0;
};

/// The text placement whose coordinates are the neutral points of p.
[[nodiscard]] inline placement as_neutral(placement p) noexcept {
    if (p.kind == modality::text) return p;
    for (int a = 0; a < p.axes; ++a) {
        p.map[a].origin = p.neutral[a].origin;
        p.map[a].per_frame = p.neutral[a].per_frame;
        p.map[a].per_row = p.map[a].per_column = 0.0;
    }
    p.whole = p.neutral_whole;
    p.exact = p.neutral_exact;
    p.cell_offsets = no_table;
    return p;
}

/// Checks a view [axes, columns] that is about to be written.
template <class P>
[[nodiscard]] inline status check_output(positions_view<P> out, index_t axes, index_t columns) noexcept {
    if (out.axes != axes) return {errc::extent_mismatch, operand::positions, 0, axes, out.axes};
    if (out.tokens != columns) return {errc::extent_mismatch, operand::positions, 1, columns, out.tokens};
    if (columns == 0 || axes == 0) return {};
    index_t numbers = 0, along_axes = 0, along_tokens = 0;
    if (!checked_multiply(columns, axes, numbers)) return {errc::size_overflow, operand::positions, 0, 0, 0};
    if (out.data == nullptr) return {errc::null_data, operand::positions, 0, 0, numbers};
    if (columns > 1 && out.token_stride < 1) return {errc::stride_invalid, operand::positions, 1, 1, out.token_stride};
    if (axes > 1 && out.axis_stride < 1) return {errc::stride_invalid, operand::positions, 0, 1, out.axis_stride};
    // One of the two orders must keep every number apart from the others. Compared by division: nothing overflows.
    const bool rows = axes == 1 || columns == 1 || (out.axis_stride - 1) / out.token_stride >= columns - 1;
    const bool tokens = axes == 1 || columns == 1 || (out.token_stride - 1) / out.axis_stride >= axes - 1;
    if (!rows && !tokens) return {errc::stride_invalid, operand::positions, 0, columns, out.axis_stride};
    if (!checked_multiply(axes - 1, axes > 1 ? out.axis_stride : 0, along_axes) ||
        !checked_multiply(columns - 1, columns > 1 ? out.token_stride : 0, along_tokens) ||
        !checked_add(along_axes, along_tokens, numbers) || numbers >= index_max / static_cast<index_t>(sizeof(P)))
        return {errc::size_overflow, operand::positions, 0, 0, 0};
    return {};
}

/// Whether placement p can be written as P from the source that is asked for.
template <class P>
[[nodiscard]] inline status check_placement(const plan_data& plan, const placement& p, index_t first_token,
                                            const fill_options& options) noexcept {
    const bool neutral = options.source == position_source::neutral && p.kind == modality::visual;
    if (std::is_integral_v<P> && options.fractions == fraction::refused && !(neutral ? p.neutral_whole : p.whole))
        return {errc::coordinate_not_integral, operand::segment, p.segment, 0, 0};
    if (plan.reach > position_type<P>::largest && p.first_token < plan.placed_tokens) {
        bounds all[max_axes];
        neutral ? neutral_bounds_of(p, plan.arena.data(), all) : bounds_of(p, plan.arena.data(), all);
        for (const bounds& b : all)
            if (b.low <= b.high && b.magnitude() > position_type<P>::largest)
                return {errc::position_out_of_range, operand::positions, first_token,
                        static_cast<index_t>(position_type<P>::largest),
                        static_cast<index_t>(b.high > -b.low ? b.high : b.low)};
    }
    return {};
}

/// Largest magnitude of the coordinates of tokens behind the last segment, up to token `last`; 0 where there are none.
[[nodiscard]] inline double tail_reach(const plan_data& plan, index_t last) noexcept {
    double reach = 0.0;
    if (last < plan.placed_tokens || plan.placements.empty()) return reach;
    const placement& tail = plan.placements.back();
    const double k = static_cast<double>(tail.first_cell + (last - tail.first_token));
    for (int a = 0; a < tail.axes; ++a) {
        bounds b;
        b.add(tail.map[a].origin);
        b.add(step_along(tail.exact, tail.map[a].per_column, k, tail.map[a].origin));
        reach = b.magnitude() > reach ? b.magnitude() : reach;
    }
    return reach;
}

/// A call that fills a row: tokens of a plan, and how.
struct planned_row {
    const plan_data* plan = nullptr;
    token_range tokens;
    fill_options options;
    [[nodiscard]] index_t columns() const noexcept { return options.left + tokens.size() + options.right; }
};

/// Everything about a row that does not depend on the tokens asked for, and the number of its columns.
template <class P>
[[nodiscard]] inline status check_options(const plan_data& plan, const fill_options& options, index_t tokens,
                                          index_t& columns) noexcept {
    if (options.source == position_source::neutral && plan.without_neutral != no_segment)
        return {errc::no_neutral_point, operand::segment, plan.without_neutral, 0, 0};
    if (options.left < 0) return {errc::extent_negative, operand::output, 0, 0, options.left};
    if (options.right < 0) return {errc::extent_negative, operand::output, 1, 0, options.right};
    const double filler = options.filler < 0.0 ? -options.filler : options.filler;
    if (!is_in_range(options.filler) || filler > position_type<P>::largest)
        return {errc::position_out_of_range, operand::output, 0, static_cast<index_t>(position_type<P>::largest),
                INT64_MAX};
    if (!checked_add(tokens, options.left, columns) || !checked_add(columns, options.right, columns))
        return {errc::size_overflow, operand::output, 1, 0, 0};
    return {};
}

template <class P>
[[nodiscard]] inline status check_last(const plan_data& plan, index_t last) noexcept {
    const double reach = tail_reach(plan, last);
    if (reach <= position_type<P>::largest) return {};
    return {errc::position_out_of_range, operand::positions, last, static_cast<index_t>(position_type<P>::largest),
            reach < 9.2e18 ? static_cast<index_t>(reach) : INT64_MAX};
}

template <class P>
[[nodiscard]] inline status check_row(const planned_row& row) noexcept {
    const plan_data& plan = *row.plan;
    const index_t first = row.tokens.begin.value, last = row.tokens.end.value;
    if (first < 0 || last < first) return {errc::range_invalid, operand::plan, 0, first, last};
    index_t columns = 0;
    if (status s = check_options<P>(plan, row.options, last - first, columns); !s.ok()) return s;
    if (first == last || plan.axes == 0) return {};
    for (auto i = static_cast<std::size_t>(plan.find(first)); i < plan.placements.size() && plan.first_tokens[i] < last;
         ++i)
        if (status s = check_placement<P>(plan, plan.placements[i], plan.first_tokens[i], row.options); !s.ok())
            return s;
    return check_last<P>(plan, last - 1);
}

/// Writes columns [begin, end) of a row that was checked.
template <class P>
inline void fill_columns(const planned_row& row, index_t begin, index_t end, positions_view<P> out) noexcept {
    const plan_data& plan = *row.plan;
    const index_t left = row.options.left, tokens_end = left + row.tokens.size(), shift = row.tokens.begin.value - left;
    const auto pad = [&](index_t from, index_t to) {
        for (index_t a = 0; a < out.axes; ++a)
            for (index_t n = from; n < to; ++n) out.at(a, n - begin) = whole_as<P>(row.options.filler);
    };
    pad(begin, left < end ? left : end);
    pad(tokens_end > begin ? tokens_end : begin, end);
    const index_t first = begin > left ? begin + shift : left + shift,
                  last = end < tokens_end ? end + shift : tokens_end + shift;
    if (first >= last || plan.axes == 0) return;

    const double tail = tail_reach(plan, last - 1), reach = plan.reach > tail ? plan.reach : tail;
    const bool exact_steps = reach <= position_type<P>::exact / 4 && plan.step_reach <= position_type<P>::exact / 32;
    const bool neutral = row.options.source == position_source::neutral;
    const double* arena = plan.arena.data();
    auto i = static_cast<std::size_t>(plan.find(first));
    for (index_t n = first; n < last; ++i) {
        const placement& p = plan.placements[i];
        const index_t k = n - p.first_token, stop = p.count < last - p.first_token ? p.count : last - p.first_token;
        const auto part = out.sub(n - shift - begin, n - shift - begin + stop - k);
        if (neutral) fill_placement(as_neutral(p), arena, k, stop, exact_steps, part);
        else fill_placement(p, arena, k, stop, exact_steps, part);
        n += stop - k;
    }
}

/// Searches for eight tokens at once: their steps do not wait for each other, and none of them branches.
inline constexpr index_t searched_together = 8;
inline void find_each(const plan_data& plan, const index_t* tokens, index_t* found) noexcept {
    const index_t* first = plan.first_tokens.data();
    for (index_t i = 0; i < searched_together; ++i) found[i] = 0;
    for (auto left = static_cast<index_t>(plan.first_tokens.size()); left > 1; left -= left / 2) {
        const index_t step[2] = {0, left / 2};  // looked up: compilers make a branch of a choice or of a mask
        for (index_t i = 0; i < searched_together; ++i) found[i] += step[first[found[i] + step[1]] <= tokens[i]];
    }
}

/// Token k of a placement into a column of `Axes` numbers; 0 where the compiler does not know how many.
template <class P, int Axes>
inline void write_token(const placement& p, const double* arena, index_t k, bool neutral, P* to,
                        index_t axis_stride) noexcept {
    const int axes = Axes > 0 ? Axes : p.axes;
    const index_t cell = p.first_cell + k;
    if (!neutral && p.exact && p.frame_times == no_table && p.cell_offsets == no_table && is_narrow(p.grid, cell)) {
        // Divides for text too: cheaper than a branch that a random order makes a guess.
        const cell_digits d = narrow_digits_of(p.grid, cell);
        const double f = static_cast<double>(d.frame), r = static_cast<double>(d.row),
                     c = static_cast<double>(d.column);
        for (int a = 0; a < axes; ++a, to += axis_stride)
            *to =
                whole_as<P>(p.map[a].origin + p.map[a].per_frame * f + p.map[a].per_row * r + p.map[a].per_column * c);
    } else {
        const coordinate x = neutral ? neutral_at(p, arena, k) : coordinates_at(p, arena, k);
        for (int a = 0; a < axes; ++a, to += axis_stride) *to = whole_as<P>(x.value[a]);
    }
}

/// Tokens in any order.
template <class P, int Axes>
inline void fill_each(const plan_data& plan, const token_index* indices, index_t count, bool neutral,
                      positions_view<P> out) noexcept {
    index_t tokens[searched_together] = {}, found[searched_together];
    P* to = out.data;
    for (index_t n = 0; n < count; n += searched_together) {
        const index_t block = count - n < searched_together ? count - n : searched_together;
        for (index_t i = 0; i < block; ++i) tokens[i] = indices[n + i].value;
        find_each(plan, tokens, found);
        for (index_t i = 0; i < block; ++i, to += out.token_stride) {
            const placement& p = plan.placements[static_cast<std::size_t>(found[i])];
            write_token<P, Axes>(p, plan.arena.data(), tokens[i] - p.first_token, neutral, to, out.axis_stride);
        }
    }
}

}  // namespace detail

template <class P>
status position_plan::fill(token_index begin, token_index end, positions_view<P> out,
                           fill_options options) const noexcept {
    const detail::planned_row row{&data_, {begin, end}, options};
    if (status s = detail::check_row<P>(row); !s.ok()) return s;
    if (status s = detail::check_output(out, data_.axes, row.columns()); !s.ok()) return s;
    detail::fill_columns(row, 0, row.columns(), out);
    return {};
}

template <class P>
status position_plan::fill(const token_index* indices, index_t count, positions_view<P> out,
                           fill_options options) const noexcept {
    if (count < 0) return {errc::negative_count, operand::token, 0, 0, count};
    if (count > 0 && indices == nullptr) return {errc::null_data, operand::token, 0, 0, count};
    index_t columns = 0;
    if (status s = detail::check_options<P>(data_, options, count, columns); !s.ok()) return s;
    if (status s = detail::check_output(out, data_.axes, columns); !s.ok()) return s;
    const bool neutral = options.source == position_source::neutral;
    index_t least = 0, last = -1;
    for (index_t i = 0; i < count; ++i) {
        least = indices[i].value < least ? indices[i].value : least;
        last = indices[i].value > last ? indices[i].value : last;
    }
    if (least < 0) return {errc::range_invalid, operand::plan, 0, least, last};
    if (data_.axes == 0 || columns == 0) return {};
    const bool by_placement =
        (std::is_integral_v<P> && (neutral || !data_.integral)) || data_.reach > detail::position_type<P>::largest;
    for (index_t i = 0; by_placement && i < count; ++i)
        if (status s =
                detail::check_placement<P>(data_, data_.placement_of(indices[i].value), indices[i].value, options);
            !s.ok())
            return s;
    if (status s = detail::check_last<P>(data_, last); !s.ok()) return s;

    const detail::planned_row padding{&data_, {}, options};
    detail::fill_columns(padding, 0, options.left, out);
    detail::fill_columns(padding, options.left, options.left + options.right, out.sub(options.left + count, columns));
    if (count == 0) return {};
    const auto columns_out = out.sub(options.left, options.left + count);
    if (neutral) detail::fill_each<P, 0>(data_, indices, count, true, columns_out);
    else if (data_.axes == 3) detail::fill_each<P, 3>(data_, indices, count, false, columns_out);
    else detail::fill_each<P, 0>(data_, indices, count, false, columns_out);
    return {};
}

POLYROPE_END
