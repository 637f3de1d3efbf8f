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
    static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t> || std::is_same_v<P, float> || std::is_same_v<P, double>,
                  "positions are filled as std::int32_t, std::int64_t, float or double; give a positions_view of one of them");
    static constexpr double largest = sizeof(P) == 4 && std::is_integral_v<P> ? 2147483647.0 : largest_whole;
    static constexpr double exact = sizeof(P) == 8 ? largest_whole : std::is_integral_v<P> ? 2147483647.0 : 16777216.0;
};

/// The text placement whose coordinates are the neutral points of p.
[[nodiscard]] inline placement as_neutral(placement p) noexcept {
    if (p.kind == modality::text) return p;
    for (int a = 0; a < max_axes; ++a) {
        p.origin[a] = p.neutral_origin[a];
        p.per_frame[a] = p.neutral_per_frame[a];
        p.per_row[a] = p.per_column[a] = 0.0;
    }
    p.whole = p.neutral_whole;
    p.cell_offsets = no_table;
    return p;
}

/// Checks a view [axes, columns] that is about to be written.
template <class P>
[[nodiscard]] inline status check_output(positions_view<P> out, index_t axes, index_t columns) noexcept {
    if (out.axes != axes) return {errc::extent_mismatch, operand::positions, 0, axes, out.axes};
    if (out.tokens != columns) return {errc::extent_mismatch, operand::positions, 1, columns, out.tokens};
    if (columns == 0 || axes == 0) return {};
    if (out.data == nullptr) return {errc::null_data, operand::positions, 0, 0, columns * axes};
    if (columns > 1 && out.token_stride < 1) return {errc::stride_invalid, operand::positions, 1, 1, out.token_stride};
    if (axes > 1 && out.axis_stride < 1) return {errc::stride_invalid, operand::positions, 0, 1, out.axis_stride};
    // One of the two orders must keep every number apart from the others. Compared by division: nothing overflows.
    const bool rows = axes == 1 || columns == 1 || (out.axis_stride - 1) / out.token_stride >= columns - 1;
    const bool tokens = axes == 1 || columns == 1 || (out.token_stride - 1) / out.axis_stride >= axes - 1;
    if (!rows && !tokens) return {errc::stride_invalid, operand::positions, 0, columns, out.axis_stride};
    return {};
}

/// Whether placement p can be written as P from the source that is asked for.
template <class P>
[[nodiscard]] inline status check_placement(const plan_data& plan, const placement& p, index_t first_token, const fill_options& options) noexcept {
    const bool neutral = options.source == position_source::neutral && p.kind == modality::visual;
    if (neutral && !p.has_neutral) return {errc::no_neutral_point, operand::segment, p.segment, 0, 0};
    if (std::is_integral_v<P> && options.fractions == fraction::refused && !(neutral ? p.neutral_whole : p.whole))
        return {errc::coordinate_not_integral, operand::segment, p.segment, 0, 0};
    if (plan.reach > position_type<P>::largest && p.first_token < plan.placed_tokens) {
        bounds all[max_axes];
        neutral ? neutral_bounds_of(p, plan.arena.data(), all) : bounds_of(p, plan.arena.data(), all);
        for (const bounds& b : all)
            if (b.low <= b.high && b.magnitude() > position_type<P>::largest)
                return {errc::position_out_of_range, operand::positions, first_token, static_cast<index_t>(position_type<P>::largest),
                        static_cast<index_t>(b.high > -b.low ? b.high : b.low)};
    }
    return {};
}

/// Whether tokens up to `last` fit P where they are behind the last segment. `reach` grows to the largest of them.
template <class P>
[[nodiscard]] inline status check_tail(const plan_data& plan, index_t last, double& reach) noexcept {
    if (last < plan.placed_tokens || plan.placements.empty()) return {};
    const placement& tail = plan.placements.back();
    for (int a = 0; a < tail.axes; ++a) {
        const double k = static_cast<double>(tail.first_cell + (last - tail.first_token));
        const double value = step_along(tail.whole, tail.per_column[a], k, tail.origin[a]);
        const double size = value < 0.0 ? -value : value, start = tail.origin[a] < 0.0 ? -tail.origin[a] : tail.origin[a];
        if (size > position_type<P>::largest)
            return {errc::position_out_of_range, operand::positions, last, static_cast<index_t>(position_type<P>::largest),
                    size < 2 * largest_whole ? static_cast<index_t>(value) : last};
        reach = size > reach ? size : reach;
        reach = start > reach ? start : reach;
    }
    return {};
}

template <class P>
[[nodiscard]] inline status check_options(const fill_options& options) noexcept {
    if (options.left < 0) return {errc::extent_negative, operand::output, 0, 0, options.left};
    if (options.right < 0) return {errc::extent_negative, operand::output, 1, 0, options.right};
    const double size = options.filler < 0.0 ? -options.filler : options.filler;
    if (!is_in_range(options.filler) || size > position_type<P>::largest) return {errc::value_invalid, operand::output, 0, 0, 0};
    return {};
}

template <class P>
inline void fill_padding(index_t begin, index_t end, double filler, positions_view<P> out) noexcept {
    for (index_t a = 0; a < out.axes; ++a)
        for (index_t n = begin; n < end; ++n) out.at(a, n) = whole_as<P>(filler);
}

}  // namespace detail

template <class P>
status position_plan::fill(token_index begin, token_index end, positions_view<P> out, fill_options options) const noexcept {
    using type = detail::position_type<P>;
    const index_t first = begin.value, last = end.value;
    if (first < 0 || last < first) return {errc::range_invalid, operand::plan, 0, first, last};
    if (status s = detail::check_options<P>(options); !s.ok()) return s;
    index_t columns = 0;
    if (!checked_add(last - first, options.left, columns) || !checked_add(columns, options.right, columns))
        return {errc::size_overflow, operand::positions, 1, 0, 0};
    if (status s = detail::check_output(out, data_.axes, columns); !s.ok()) return s;
    if (data_.axes == 0) return {};
    const index_t start = data_.find(first);
    for (auto i = static_cast<std::size_t>(start); i < data_.placements.size() && data_.first_tokens[i] < last; ++i) {
        if (status s = detail::check_placement<P>(data_, data_.placements[i], data_.first_tokens[i], options); !s.ok()) return s;
    }
    double reach = data_.reach;
    if (status s = detail::check_tail<P>(data_, last - 1, reach); !s.ok()) return s;
    const bool exact_steps = reach <= type::exact / 4 && data_.step_reach <= type::exact / 32;

    detail::fill_padding(0, options.left, options.filler, out);
    detail::fill_padding(columns - options.right, columns, options.filler, out);
    const bool neutral = options.source == position_source::neutral;
    auto i = static_cast<std::size_t>(start);
    for (index_t n = first; n < last; ++i) {
        const placement& p = data_.placements[i];
        const index_t stop = p.count < last - p.first_token ? p.first_token + p.count : last;
        const auto part = out.sub(options.left + n - first, options.left + stop - first);
        if (neutral)
            detail::fill_placement(detail::as_neutral(p), data_.arena.data(), n - p.first_token, stop - p.first_token, exact_steps, part);
        else
            detail::fill_placement(p, data_.arena.data(), n - p.first_token, stop - p.first_token, exact_steps, part);
        n = stop;
    }
    return {};
}

template <class P>
status position_plan::fill(const token_index* indices, index_t count, positions_view<P> out, fill_options options) const noexcept {
    if (count < 0) return {errc::negative_count, operand::token, 0, 0, count};
    if (count > 0 && indices == nullptr) return {errc::null_data, operand::token, 0, 0, count};
    if (status s = detail::check_options<P>(options); !s.ok()) return s;
    index_t columns = 0;
    if (!checked_add(count, options.left, columns) || !checked_add(columns, options.right, columns))
        return {errc::size_overflow, operand::positions, 1, 0, 0};
    if (status s = detail::check_output(out, data_.axes, columns); !s.ok()) return s;
    if (data_.axes == 0) return {};
    const bool neutral = options.source == position_source::neutral;
    index_t least = 0, last = 0;
    for (index_t i = 0; i < count; ++i) {
        least = indices[i].value < least ? indices[i].value : least;
        last = indices[i].value > last ? indices[i].value : last;
    }
    if (least < 0) return {errc::range_invalid, operand::plan, 0, least, last};
    if ((std::is_integral_v<P> && options.fractions == fraction::refused && !data_.integral) || neutral ||
        data_.reach > detail::position_type<P>::largest) {
        for (index_t i = 0; i < count; ++i)
            if (status s = detail::check_placement<P>(data_, data_.placement_of(indices[i].value), indices[i].value, options); !s.ok()) return s;
    }
    double reach = data_.reach;
    if (status s = detail::check_tail<P>(data_, last, reach); !s.ok()) return s;

    detail::fill_padding(0, options.left, options.filler, out);
    detail::fill_padding(columns - options.right, columns, options.filler, out);
    const placement* p = data_.placements.data();
    for (index_t i = 0; i < count; ++i) {
        const index_t n = indices[i].value;
        if (n - p->first_token < 0 || n - p->first_token >= p->count) p = &data_.placement_of(n);
        const index_t k = n - p->first_token;
        const coordinate c = neutral ? neutral_at(*p, data_.arena.data(), k) : coordinates_at(*p, data_.arena.data(), k);
        P* to = out.data + (options.left + i) * out.token_stride;
        for (int a = 0; a < p->axes; ++a) to[a * out.axis_stride] = detail::whole_as<P>(c.value[a]);
    }
    return {};
}

POLYROPE_END
