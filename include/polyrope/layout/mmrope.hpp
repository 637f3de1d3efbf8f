#pragma once
// MM-RoPE of Lumos-1, arXiv:2507.08801: text never leaves its own token index; every frame of a prompt is a grid that
// starts at one shared point, the index of the first visual token, spread by the compression of the tokenizer and moved
// on in time by the number of frames before it. A row ends in a new-line token, which counts as one more column. Tested
// against generate_mm_position_ids and set_3d_global_offset of alibaba-damo-academy/Lumos f7c9cd2. Its port in
// Multimodal-RoPEs is layout::mrope with steps: preset/mmrope.hpp.
//
//     mmrope{1, 4, 8, 8}: text(1), image [1, 1, 2], text(1), image [1, 2, 1], text(1)    next 10, delta 0
//     t  0 1 1 1 4 5 5 5 5 9
//     h  0 1 1 1 4 1 1 9 9 9
//     w  0 1 9 17 4 1 9 1 9 9
//
// Image start, size tokens and image end are text; between two frames of a video they are its gap. The neutral point of
// a frame is the index of its first token.

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"

POLYROPE_BEGIN
namespace layout {

struct mmrope {
    index_t spatial_merge = 1;  ///< patches per token, along rows and along columns
    double frame_step = 4.0;    ///< positions from one frame of the prompt to the next
    double row_step = 8.0;
    double column_step = 8.0;

    struct cursor {
        double next = 0.0;
        double first = -1.0;  ///< where all frames start; below zero before the first
        index_t frames = 0;
    };

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] double position(const cursor& at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor at, double to) const noexcept { return at.next = to, at; }
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }

    /// The shared point and the number of frames are read from the last frame that still has its map (a pruned one may
    /// have a table instead); frames behind it are told apart by their neutral points.
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept {
        cursor at{plan.end_position()};
        double seen = -1.0;
        for (auto p = plan.placements().rbegin(); p != plan.placements().rend(); ++p) {
            if (p->kind != modality::visual) continue;
            if (p->cell_offsets == no_table && frame_step != 0.0) {
                at.first = p->map[1].origin;
                if (p->neutral[0].origin != seen) ++at.frames;
                const double before = (p->map[0].origin - at.first) / frame_step + 0.5;
                if (before > 0.0 && detail::is_in_range(before)) at.frames += static_cast<index_t>(before);
                return at;
            }
            at.first = p->neutral[0].origin;
            if (p->neutral[0].origin != seen) ++at.frames;
            seen = p->neutral[0].origin;
        }
        return at;
    }

    /// A medium has rows * (columns + 1) tokens per frame.
    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        segment uncounted = s;
        uncounted.count = count_of_grid;
        token_grid grid;
        if (!grid_of(uncounted, spatial_merge, grid, builder)) return at;
        index_t frame = 0, tokens = 0;
        if (!checked_add(grid.columns, 1, grid.columns) || !checked_multiply(grid.rows, grid.columns, frame) ||
            !checked_multiply(frame, grid.frames, tokens))
            return builder.refuse(errc::size_overflow), at;
        if (s.count != count_of_grid && s.count != tokens)
            return builder.refuse(errc::token_count_mismatch, tokens, s.count), at;
        for (const double step : {frame_step, row_step, column_step})
            if (!detail::is_in_range(step)) return builder.refuse(errc::step_invalid), at;
        for_each_frame(s, builder, [&](index_t gap) {
            if (at.first < 0.0) at.first = at.next;
            builder.grid({1, grid.rows, grid.columns}, [&](placement& p) {
                p.map[0].origin = position_after(at.first, frame_step, static_cast<double>(at.frames));
                p.map[1].origin = p.map[2].origin = at.first;
                p.map[1].per_row = row_step;
                p.map[2].per_column = column_step;
                for (int a = 0; a < 3; ++a) p.neutral[a].origin = at.next;
            });
            ++at.frames;
            at.next += static_cast<double>(frame);
            at = words(gap, at, builder);
        });
        return at;
    }

private:
    [[nodiscard]] cursor words(index_t count, cursor at, plan_builder& builder) const {
        builder.text(at.next, 1.0, count);
        at.next += static_cast<double>(count);
        return at;
    }
};

}  // namespace layout
POLYROPE_END
