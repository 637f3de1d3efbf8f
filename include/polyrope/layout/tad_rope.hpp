#pragma once
// TAD-RoPE: the sum of two counts, on all axes: time, where a frame counts one, and the flattened sequence, where every
// token does. So text moves by two, the tokens of a frame by one, and a frame's first token by two. Tested against
// get_time_rope_index and get_vanilla_rope_index of Wiselnn570/VideoRoPE 7712ca3, whose authors re-implemented it from
// Gao et al., "TC-LLaVA: Rethinking the Transfer from Image to Video Understanding with Temporal Considerations",
// arXiv:2409.03206. Under left padding that code counts the padding too; here it never does.
//
//     tad_rope{1, 3}: text(2), image [1, 2, 3], text(2)    next 15, delta 5
//     t  0 2 4 5 6 7 8 9 11 13
//     h  0 2 4 5 6 7 8 9 11 13
//     w  0 2 4 5 6 7 8 9 11 13
//
//     tad_rope{1, 3}: text(2), video [2, 2, 2], text(2)    next 18, delta 6
//     t  0 2 4 5 6 7 9 10 11 12 14 16
//     h  0 2 4 5 6 7 9 10 11 12 14 16
//     w  0 2 4 5 6 7 9 10 11 12 14 16

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"
#include "polyrope/layout/neutral_point.hpp"

POLYROPE_BEGIN
namespace layout {

struct tad_rope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    int axis_count = 1;
    neutral_point neutral = neutral_point::none;

    /// The sum of both counts: they are never needed apart.
    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return axis_count; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        token_grid grid;
        if (!grid_of(s, spatial_merge, grid, builder)) return at;
        for_each_block(s, grid, builder, [&](const token_grid& block, index_t gap) {
            const auto columns = static_cast<double>(block.columns), frames = static_cast<double>(block.frames);
            const double tokens = static_cast<double>(block.rows) * columns;
            builder.grid(block, [&](placement& p) {
                p.has_neutral = neutral == neutral_point::segment_start;
                for (int a = 0; a < axis_count; ++a) {
                    p.map[a].origin = p.neutral[a].origin = at.next;
                    p.map[a].per_frame = tokens + 1.0;
                    p.map[a].per_row = columns;
                    p.map[a].per_column = 1.0;
                }
            });
            at.next = position_after(at.next, tokens + 1.0, frames);
            at = words(gap, at, builder);
        });
        return at;
    }

private:
    [[nodiscard]] static cursor words(index_t count, cursor at, plan_builder& builder) {
        builder.text(at.next, 2.0, count);
        return {position_after(at.next, 2.0, static_cast<double>(count))};
    }
};

}  // namespace layout
POLYROPE_END
