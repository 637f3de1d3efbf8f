#pragma once
// Vanilla RoPE on the flattened sequence: every token, text or visual, takes the next integer on all axes. Tested
// against get_vanilla_rope_index of JJJYmmm/Multimodal-RoPEs cd413b9.
//
//     text(2), image [1, 2, 3], text(2)           next 10, delta 0
//     t  0 1 2 3 4 5 6 7 8 9
//     h  0 1 2 3 4 5 6 7 8 9
//     w  0 1 2 3 4 5 6 7 8 9

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"
#include "polyrope/layout/neutral_point.hpp"

POLYROPE_BEGIN
namespace layout {

struct sequential {
    index_t spatial_merge = 1;  ///< patches per token, along rows and along columns
    int axis_count = 1;
    neutral_point neutral = neutral_point::none;

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return axis_count; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) {
            builder.text(at.next, 1.0, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        token_grid grid;
        if (!grid_of(s, spatial_merge, grid, builder)) return at;
        for_each_block(s, grid, builder, [&](const token_grid& block, index_t gap) {
            const index_t tokens = block.frames * block.rows * block.columns;
            builder.grid({1, 1, tokens}, [&](placement& p) {
                p.has_neutral = neutral == neutral_point::segment_start;
                for (int a = 0; a < axis_count; ++a) {
                    p.map[a].origin = p.neutral[a].origin = at.next;
                    p.map[a].per_column = 1.0;
                }
            });
            at.next += static_cast<double>(tokens);
            builder.text(at.next, 1.0, gap);
            at.next += static_cast<double>(gap);
        });
        return at;
    }
};

}  // namespace layout
POLYROPE_END
