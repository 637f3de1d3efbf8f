#pragma once
// Circle-RoPE: an image is a ring around the point of the text diagonal where it stands, orthogonal to the diagonal, so
// that no patch is nearer to a text token than another (arXiv:2505.16416; layout/ring.hpp has the ring). Text goes on
// one past the largest coordinate, a real number, and keeps its fraction. The frames of a video are stacked rings, each
// moved along the diagonal. Tested against get_circle_rope_index and get_rope_index of lose4578/CircleRoPE 063fb2c,
// which refuses videos, and get_circlerope_index of JJJYmmm/Multimodal-RoPEs cd413b9.
//
//     text(2), image [1, 2, 2], text(2), radius 10, in thousandths        next 12887, delta 4887
//     t  0 1000 2000 9887 -6165 -5887 10887 11887
//     h  0 1000 9071 -3774 6082 4113 10887 11887
//     w  0 1000 -5071 -113 6082 7774 10887 11887
//
// The neutral point of a patch is the centre of its ring.

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"
#include "polyrope/layout/ring.hpp"

POLYROPE_BEGIN
namespace layout {

/// How the frames of a video lie.
enum class ring_video : std::uint8_t {
    stacked,         ///< the ring of the first frame, moved along the diagonal per frame: Multimodal-RoPEs
    frame_by_frame,  ///< rings of their own, the segment's gaps between them as text
    refused,         ///< one frame only: CircleRoPE
};

struct circle_rope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    layout::ring ring{};
    ring_video video = ring_video::stacked;
    double frame_step = 1.0;  ///< positions from one stacked ring to the next

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        token_grid grid;
        if (!grid_of(s, spatial_merge, grid, builder)) return at;
        if (!ring.is_finite() || !detail::is_in_range(frame_step)) return builder.refuse(errc::ring_invalid), at;
        if (video == ring_video::refused && grid.frames > 1)
            return builder.refuse(errc::frames_not_placed, 1, grid.frames), at;
        const bool apart = video == ring_video::frame_by_frame && s.kind == segment_kind::video;
        if (!apart && !has_no_gaps(s, builder)) return at;

        const token_grid block{apart ? 1 : grid.frames, grid.rows, grid.columns};
        const double last = detail::opaque(frame_step * static_cast<double>(block.frames - 1));
        const index_t rows =
            grid.rows * grid.columns;  // every frame, and every ring of a video, reads the same offsets
        index_t table = no_table, numbers = 0;
        if (!checked_multiply(rows, 3, numbers)) return builder.refuse(errc::size_overflow), at;
        double* offsets = builder.table(numbers, table);
        if (offsets == nullptr) return at;
        const auto range = ring.offsets(block, ring.radius_of(block, last), offsets);
        const auto add = [&] {
            const double centre = position_after(at.next, 1.0, ring.shift(range));
            builder.grid(block, [&](placement& p) {
                p.cell_offsets = table;
                p.offset_rows = rows;
                for (int a = 0; a < 3; ++a) {
                    p.map[a].origin = p.neutral[a].origin = centre;
                    p.map[a].per_frame = p.neutral[a].per_frame = frame_step;
                }
            });
            const double furthest =
                last > 0.0 ? position_after(centre, frame_step, static_cast<double>(block.frames - 1)) : centre;
            at.next = position_after(position_after(furthest, 1.0, range.high), 1.0, 1.0);
        };
        if (!apart) return add(), at;
        for_each_frame(s, builder, [&](index_t gap) {
            add();
            at = words(gap, at, builder);
        });
        return at;
    }

private:
    [[nodiscard]] cursor words(index_t count, cursor at, plan_builder& builder) const {
        builder.text(at.next, 1.0, count);
        return {position_after(at.next, 1.0, static_cast<double>(count))};
    }
};

}  // namespace layout
POLYROPE_END
