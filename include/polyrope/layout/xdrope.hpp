#pragma once
// XD-RoPE: the token index on every axis, but for the cells of an image, which have their own row and column, counted
// from 0 in every image, and the image's ordinal (Hunyuan-VL, HunyuanOCR). Behind each row of cells stands a new-line
// cell, at the column past the last; the slot before the first row and the one behind the last are text. Tested against
// vLLM (May 2026, fork commit 28be48f) and get_rope_index of hunyuan_vl of huggingface/transformers v5.15.0.
//
//     xdrope{1}: text(1), image [1, 2, 2], text(1)                    next 10, delta 0
//     t  0 1 2 3 4 5 6 7 8 9
//     h  0 1 0 0 0 1 1 1 8 9
//     w  0 1 0 1 2 0 1 2 8 9
//     u  0 1 0 0 0 0 0 0 8 9
//
// Axes t, h, w, u are position, height, width and image. The models' lists read position, width, height, image:
// allocation::chunked{{{axis::t, 16}, {axis::w, 16}, {axis::h, 16}, {axis::u, 16}}}; the form with three axes leaves
// the position out of that list, not of the plan. Generated text has its index on every axis.

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"

POLYROPE_BEGIN
namespace layout {

struct xdrope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    /// Ordinal of a request's first image. transformers 5.15.0 counts through all rows of a batch: there it is the
    /// number of images in the rows before.
    index_t first_image_ordinal = 0;

    struct cursor {
        double next = 0.0;
        double image = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return 4; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept {
        cursor at{plan.end_position(), static_cast<double>(first_image_ordinal)};
        for (std::size_t i = plan.placements().size(); i-- > 0;) {
            const placement& p = plan.placements()[i];
            if (p.kind != modality::visual) continue;
            at.image = plan.coordinates(token_index{p.first_token})[axis::u] + 1.0;
            break;
        }
        return at;
    }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor at, double to) const noexcept { return {to, at.image}; }
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        segment cells = s;
        cells.count = count_of_grid;
        token_grid grid;
        if (!grid_of(cells, spatial_merge, grid, builder)) return at;
        if (s.kind == segment_kind::video || grid.frames != 1)
            return builder.refuse(errc::frames_not_placed, 1, grid.frames), at;
        index_t tokens = 0, lines = 0;
        if (!checked_add(grid.columns, 1, lines) || !checked_multiply(grid.rows, lines, tokens) ||
            !checked_add(tokens, 2, tokens))
            return builder.refuse(errc::size_overflow), at;
        if (s.count != count_of_grid && s.count != tokens)
            return builder.refuse(errc::token_count_mismatch, tokens, s.count), at;
        at = words(1, at, builder);
        const double columns = static_cast<double>(lines);
        builder.grid({1, grid.rows, lines}, [&](placement& p) {
            p.map[0].origin = at.next;
            p.map[0].per_row = columns;
            p.map[0].per_column = p.map[1].per_row = p.map[2].per_column = 1.0;
            p.map[3].origin = at.image;
            for (int a = 0; a < 4; ++a) p.neutral[a].origin = at.next;  // where the cells begin
        });
        at.next += static_cast<double>(tokens - 2);
        at.image += 1.0;
        return words(1, at, builder);
    }

private:
    [[nodiscard]] cursor words(index_t count, cursor at, plan_builder& builder) const {
        builder.text(at.next, 1.0, count);
        return {at.next + static_cast<double>(count), at.image};
    }
};

}  // namespace layout
POLYROPE_END
