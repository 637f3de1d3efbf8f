#pragma once
// VideoRoPE: the middle of every frame stands on the text diagonal, `delta` positions behind the frame before; rows and
// columns reach out to both sides of it, also below zero and over later text. Wei et al., arXiv:2502.05173 (eq. 7,
// diagonal layout and adjustable temporal spacing). Tested against Wiselnn570/VideoRoPE 7712ca3 and
// JJJYmmm/Multimodal-RoPEs cd413b9, which agree. The paper's equation centres by half the side and lets text go on a
// whole step behind the last frame; its code rounds the middle down and goes on one position behind. Both have names,
// the code's is the default.
//
//     videorope{1}: text(2), image [1, 2, 3], text(2)    next 5, delta -5
//     t  0 1 2 2 2 2 2 2 3 4
//     h  0 1 2 2 2 3 3 3 3 4
//     w  0 1 1 2 3 1 2 3 3 4
//
//     videorope{1}: text(2), video [2, 2, 2], text(2)    next 7, delta -5
//     t  0 1 2 2 2 2 4 4 4 4 5 6
//     h  0 1 2 2 3 3 4 4 5 5 5 6
//     w  0 1 2 3 2 3 4 5 4 5 5 6
//
//     as in the paper: text(2), image [1, 2, 3], text(2)    next 6, delta -4
//     t  0 1 2 2 2 2 2 2 4 5
//     h  0 1 1 1 1 2 2 2 4 5
//     w  0 1 0.5 1.5 2.5 0.5 1.5 2.5 4 5

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"

POLYROPE_BEGIN
namespace layout {

/// Which index of a side stands on the diagonal.
enum class centring : std::uint8_t {
    floored_middle,  ///< floor((side - 1) / 2): the code
    half_side,       ///< side / 2, which an even side holds and an odd one does not: the paper
};

/// Where text goes on behind a medium on the diagonal.
enum class diagonal_advance : std::uint8_t {
    behind_last_frame,  ///< one position behind the last frame: the code
    whole_steps,        ///< where one more frame would stand: the paper
};

struct videorope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    double delta = 2.0;     ///< positions per frame, where a segment does not state its own
    centring centre = centring::floored_middle;
    diagonal_advance behind = diagonal_advance::behind_last_frame;

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }
    /// Rows and columns reach past the text on purpose: generated text follows the diagonal, as the code's does.
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        token_grid grid;
        medium_extras reads;
        reads.frame_step = true;
        if (!grid_of(s, spatial_merge, grid, builder, reads)) return at;
        const double step = s.frame_step != 0.0 ? s.frame_step : delta;
        if (!detail::is_in_range(step)) return builder.refuse(errc::step_invalid), at;
        for_each_block(s, grid, builder, [&](const token_grid& block, index_t gap) {
            const double middle[3] = {0.0, middle_of(block.rows), middle_of(block.columns)};
            builder.grid(block, [&](placement& p) {
                for (int a = 0; a < 3; ++a) {
                    p.map[a].origin = at.next - middle[a];
                    p.neutral[a].origin = at.next;
                    p.map[a].per_frame = p.neutral[a].per_frame = step;
                }
                p.map[1].per_row = 1.0;
                p.map[2].per_column = 1.0;
            });
            const auto frames = static_cast<double>(block.frames);
            at.next = behind == diagonal_advance::whole_steps
                          ? position_after(at.next, step, frames)
                          : position_after(position_after(at.next, step, frames - 1.0), 1.0, 1.0);
            at = words(gap, at, builder);
        });
        return at;
    }

private:
    [[nodiscard]] static cursor words(index_t count, cursor at, plan_builder& builder) {
        builder.text(at.next, 1.0, count);
        return {position_after(at.next, 1.0, static_cast<double>(count))};
    }
    [[nodiscard]] double middle_of(index_t side) const noexcept {
        return centre == centring::half_side ? static_cast<double>(side) * 0.5 : static_cast<double>((side - 1) / 2);
    }
};

}  // namespace layout
POLYROPE_END
