#pragma once
// What layouts ask of a medium's segment: its grid in tokens, checked against the placeholders of the prompt, and its frames
// with the text between them.

#include "polyrope/layout/plan_builder.hpp"

POLYROPE_BEGIN

/// The same number on every axis.
[[nodiscard]] constexpr coordinate all_axes(int axes, double value) noexcept {
    coordinate c;
    for (int a = 0; a < axes; ++a) c.value[a] = value;
    return c;
}

/// Tokens of a medium after the spatial merge. False where the builder had to refuse: a side that is not positive or not a
/// multiple of the merge, a size past 64 bits, a count of placeholders that does not fit.
[[nodiscard]] inline bool grid_of(const segment& s, index_t spatial_merge, token_grid& grid, plan_builder& builder) noexcept {
    if (spatial_merge < 1) {
        builder.refuse(status{errc::value_invalid, operand::spatial_merge_size, 0, 1, spatial_merge});
        return false;
    }
    const index_t merge = s.merged ? 1 : spatial_merge;
    for (const index_t side : {s.frames, s.rows, s.columns})
        if (side < 1) return builder.refuse(errc::side_not_positive, 1, side), false;
    for (const index_t side : {s.rows, s.columns})
        if (side % merge != 0) return builder.refuse(errc::side_not_divisible, merge, side), false;
    grid = {s.frames, s.rows / merge, s.columns / merge};
    index_t tokens = 0;
    if (!checked_multiply(grid.frames, grid.rows, tokens) || !checked_multiply(tokens, grid.columns, tokens))
        return builder.refuse(errc::size_overflow), false;
    if (s.count != count_of_grid && s.count != tokens) return builder.refuse(errc::token_count_mismatch, tokens, s.count), false;
    return true;
}

/// Whether the segment states text between its frames.
[[nodiscard]] constexpr bool has_gaps(const segment& s) noexcept { return s.gap != 0 || s.gaps != nullptr; }

/// Refuses gaps where a layout places all frames as one block.
[[nodiscard]] inline bool has_no_gaps(const segment& s, plan_builder& builder) noexcept {
    if (has_gaps(s)) builder.refuse(errc::gap_count_mismatch, 0, s.gaps != nullptr ? s.gap_count : s.frames - 1);
    return builder.ok();
}

/// Calls visit(gap) for every frame, `gap` being the text tokens between it and the next frame; 0 behind the last.
template <class Visit>
inline void for_each_frame(const segment& s, plan_builder& builder, Visit visit) noexcept {
    if (s.gaps != nullptr && s.gap_count != s.frames - 1) return builder.refuse(errc::gap_count_mismatch, s.frames - 1, s.gap_count);
    for (index_t f = 0; f < s.frames && builder.ok(); ++f) {
        const index_t gap = f + 1 == s.frames ? 0 : s.gaps != nullptr ? s.gaps[f] : s.gap;
        if (gap < 0) return builder.refuse(errc::negative_count, 0, gap);
        visit(gap);
    }
}

POLYROPE_END
