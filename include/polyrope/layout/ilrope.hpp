#pragma once
// IL-RoPE and Omni-RoPE: a medium has one time, that of the text where it stands, and rows and columns that start at
// zero. Mogao, arXiv:2505.05472, has no public code: text as the survey of arXiv:2510.23095 reads it, (t, 0, 0), and
// one step of time per image or frame. OmniGen2, arXiv:2506.18871, leaves text on the diagonal and goes on past the
// larger side: text, reference images, then the target, best as a planned segment. Tested against
// OmniGen2RotaryPosEmbed of VectorSpaceLab/OmniGen2 0f72fa9 and get_omnirope_index of JJJYmmm/Multimodal-RoPEs cd413b9.
//
//     text on time alone, one step behind: text(2), image [1, 2, 3], text(2)    next 5, delta -5
//     t  0 1 2 2 2 2 2 2 3 4
//     h  0 0 0 0 0 1 1 1 0 0
//     w  0 0 0 1 2 0 1 2 0 0
//
//     diagonal text, past the larger side: text(2), image [1, 2, 3], text(2)    next 7, delta -3
//     t  0 1 2 2 2 2 2 2 5 6
//     h  0 1 0 0 0 1 1 1 5 6
//     w  0 1 0 1 2 0 1 2 5 6
//
// Generated text goes on at the next position, though rows and columns of a large image may lie past it.

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"

POLYROPE_BEGIN
namespace layout {

/// Axes that text moves along.
enum class text_axes : std::uint8_t {
    diagonal,    ///< (t, t, t): one-dimensional models stay as they are
    time_alone,  ///< (t, 0, 0)
};

/// Where text goes on behind a medium.
enum class step_behind : std::uint8_t {
    one,          ///< one past the time of its last frame
    larger_side,  ///< one past its last frame, its rows and its columns, counted from where it stands
};

struct ilrope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    text_axes words = text_axes::time_alone;
    step_behind behind = step_behind::one;
    double frame_step = 1.0;  ///< positions from one frame of a block to the next

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }

    /// Frames with text between them are media of their own.
    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return run(s.count, at, builder);
        token_grid grid;
        if (!grid_of(s, spatial_merge, grid, builder)) return at;
        if (!detail::is_in_range(frame_step)) return builder.refuse(errc::step_invalid), at;
        if (!has_gaps(s)) return block(grid, at, builder);
        for_each_frame(s, builder, [&](index_t gap) {
            at = block({1, grid.rows, grid.columns}, at, builder);
            at = run(gap, at, builder);
        });
        return at;
    }

private:
    [[nodiscard]] cursor run(index_t count, cursor at, plan_builder& builder) const {
        if (words == text_axes::diagonal) builder.text(at.next, 1.0, count);
        else builder.text(coordinate{{at.next}}, coordinate{{1.0}}, count);
        return {position_after(at.next, 1.0, static_cast<double>(count))};
    }

    [[nodiscard]] cursor block(const token_grid& grid, cursor at, plan_builder& builder) const {
        builder.grid(grid, [&](placement& p) {
            p.map[0].origin = at.next;
            p.map[0].per_frame = frame_step;
            p.map[1].per_row = p.map[2].per_column = 1.0;
            for (int a = 0; a < (words == text_axes::diagonal ? 3 : 1); ++a) {
                p.neutral[a].origin = at.next;
                p.neutral[a].per_frame = frame_step;
            }
        });
        const double side = static_cast<double>((grid.rows > grid.columns ? grid.rows : grid.columns) - 1);
        const double last = position_after(at.next, frame_step, static_cast<double>(grid.frames - 1));
        const double past = behind == step_behind::one ? at.next : position_after(at.next, 1.0, side);
        return {position_after(last > past ? last : past, 1.0, 1.0)};
    }
};

}  // namespace layout
POLYROPE_END
