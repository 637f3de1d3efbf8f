#pragma once
// HoPE: VideoRoPE's diagonal whose frames stand gamma positions apart, a gamma of its own for every medium
// (with_frame_step). Li et al., "HoPE: Hybrid of Position Embedding for Long Context Vision-Language Models",
// arXiv:2505.20444: training draws gamma from {1/2, 3/4, 1, 5/4, 3/2}, inference picks one. Tested against hrlics/HoPE
// 85b76c0, scripted draws among it, and JJJYmmm/Multimodal-RoPEs cd413b9. The released inference loses the position
// delta and lets generated text restart at zero; here it goes on where the prompt ends. Centring and advance of the
// paper are videorope's.
//
//     hope{1, 1.5}: text(2), video [2, 2, 2], text(2)    next 6.5, delta -5.5
//     t  0 1 2 2 2 2 3.5 3.5 3.5 3.5 4.5 5.5
//     h  0 1 2 2 3 3 3.5 3.5 4.5 4.5 4.5 5.5
//     w  0 1 2 3 2 3 3.5 4.5 3.5 4.5 4.5 5.5

#include "polyrope/layout/videorope.hpp"

POLYROPE_BEGIN
namespace layout {

struct hope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    double gamma = 1.0;     ///< positions per frame, where a segment does not state its own
    centring centre = centring::floored_middle;
    diagonal_advance behind = diagonal_advance::behind_last_frame;

    using cursor = videorope::cursor;

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return diagonal().resume(plan); }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }
    [[nodiscard]] generation continues() const noexcept { return diagonal().continues(); }
    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        return diagonal().place(s, at, builder);
    }

private:
    [[nodiscard]] videorope diagonal() const noexcept { return {spatial_merge, gamma, centre, behind}; }
};

}  // namespace layout
POLYROPE_END
