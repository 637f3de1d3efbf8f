#pragma once
// What layouts ask of a medium's segment: its grid in tokens, checked against the placeholders of the prompt, and its
// frames with the text between them.

#include "polyrope/layout/plan_builder.hpp"

POLYROPE_BEGIN

/// The position `count` steps behind `from`, rounded once: a walk with fractions has the same bits
/// under every compiler flag.
[[nodiscard]] inline double position_after(double from, double step, double count) noexcept {
    return detail::opaque(step == 1.0 ? from + count : detail::fma(step, count, from));
}

/// What a layout reads of a medium beside its grid, its time and its gaps. The rest is refused, not passed over.
struct medium_extras {
    bool frame_step = false;
    bool span = false;
    bool audio = false;
    bool kept = false;           ///< the count need not be the grid's
    index_t temporal_merge = 1;  ///< frames per temporal cell; a rest is left out
};

/// Tokens of a medium after the merges. False where the builder had to refuse: a side that is not positive or
/// not a multiple of the merge, a size past 64 bits, a count of placeholders that does not fit, an extra that the
/// layout does not read.
[[nodiscard]] inline bool grid_of(const segment& s, index_t spatial_merge, token_grid& grid, plan_builder& builder,
                                  medium_extras reads = {}) noexcept {
    if (spatial_merge < 1) {
        builder.refuse(status{errc::value_invalid, operand::spatial_merge_size, 0, 1, spatial_merge});
        return false;
    }
    if ((s.frame_step != 0.0 && !reads.frame_step) || (s.span != 0.0 && !reads.span) ||
        (s.audio != 0 && !reads.audio) || (s.kept && !reads.kept))
        return builder.refuse(errc::extra_not_read), false;
    const index_t merge = s.merged ? 1 : spatial_merge;
    const index_t least = s.frames < 1 ? s.frames : s.rows < 1 ? s.rows : s.columns;
    if (least < 1) return builder.refuse(errc::side_not_positive, 1, least), false;
    // In 32 bits where that will do: a division is most of what a segment costs.
    const auto divided = [merge](index_t side, index_t& rest) {
        if (merge == 1) return side;
        if (((side | merge) >> 32) != 0) return rest = side % merge, side / merge;
        const auto narrow = static_cast<std::uint32_t>(side), by = static_cast<std::uint32_t>(merge);
        return rest = narrow % by, static_cast<index_t>(narrow / by);
    };
    index_t row_rest = 0, column_rest = 0;
    grid = {s.merged || reads.temporal_merge == 1 ? s.frames : s.frames / reads.temporal_merge,
            divided(s.rows, row_rest), divided(s.columns, column_rest)};
    if (grid.frames < 1) return builder.refuse(errc::side_not_positive, 1, grid.frames), false;
    if (row_rest != 0) return builder.refuse(errc::side_not_divisible, merge, s.rows), false;
    if (column_rest != 0) return builder.refuse(errc::side_not_divisible, merge, s.columns), false;
    index_t tokens = 0;
    if (!checked_multiply(grid.frames, grid.rows, tokens) || !checked_multiply(tokens, grid.columns, tokens))
        return builder.refuse(errc::size_overflow), false;
    if (s.count != count_of_grid && s.count != tokens && !s.kept)
        return builder.refuse(errc::token_count_mismatch, tokens, s.count), false;
    return true;
}

/// Whether the segment states text between its frames.
[[nodiscard]] constexpr bool has_gaps(const segment& s) noexcept { return s.gap != 0 || s.gaps != nullptr; }

/// Refuses gaps where a layout places all frames as one block.
[[nodiscard]] inline bool has_no_gaps(const segment& s, plan_builder& builder) noexcept {
    if (has_gaps(s)) builder.refuse(errc::gap_count_mismatch, 0, s.gaps != nullptr ? s.gap_count : s.frames - 1);
    return builder.ok();
}

/// Calls visit(gap) for every frame of a medium of `frames` temporal cells, `gap` being the text tokens between it and
/// the next frame; 0 behind the last.
template <class Visit>
inline void for_each_frame(const segment& s, index_t frames, plan_builder& builder, Visit visit) {
    if (s.gaps != nullptr && s.gap_count != frames - 1)
        return builder.refuse(errc::gap_count_mismatch, frames - 1, s.gap_count);
    for (index_t f = 0; f < frames && builder.ok(); ++f) {
        const index_t gap = f + 1 == frames ? 0 : s.gaps != nullptr ? s.gaps[f] : s.gap;
        if (gap < 0) return builder.refuse(errc::negative_count, 0, gap);
        visit(gap);
    }
}

/// The same for every frame of the segment's own grid.
template <class Visit>
inline void for_each_frame(const segment& s, plan_builder& builder, Visit visit) {
    for_each_frame(s, s.frames, builder, visit);
}

/// Calls visit(block, gap) for every grid of a medium whose frames lie together unless text lies between them: once
/// with the whole grid, or frame by frame, `gap` being the text tokens behind the block.
template <class Visit>
inline void for_each_block(const segment& s, const token_grid& grid, plan_builder& builder, Visit visit) {
    if (!has_gaps(s)) return visit(grid, index_t{0});
    for_each_frame(s, builder, [&](index_t gap) { visit(token_grid{1, grid.rows, grid.columns}, gap); });
}

POLYROPE_END
