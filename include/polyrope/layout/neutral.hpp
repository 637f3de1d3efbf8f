#pragma once
// Any layout with every visual token at its neutral point: where the text trajectory passes its medium, moved along
// with its frame. Text, and where it goes on behind a medium, stays where the layout has it. This is the configuration
// without both spatial parts of "Disentangling Multimodal Rotary Positional Embedding in Vision-Language Models"
// (arXiv:2611.13334), for any attention kernel; the configurations without one of them read both coordinates of a plan
// (mask/). There is no public code; tested against the definition, evaluated over the coordinates that
// JJJYmmm/Multimodal-RoPEs cd413b9 gives. A layout that states no neutral points is refused, with a sentence.
//
//     neutral{mrope{1}}: text(2), image [1, 2, 3], text(2)    next 7, delta -3
//     t  0 1 2 2 2 2 2 2 5 6
//     h  0 1 2 2 2 2 2 2 5 6
//     w  0 1 2 2 2 2 2 2 5 6
//
//     neutral{mrope{1}}: text(2), video [2, 2, 2], text(2)    next 6, delta -6
//     t  0 1 2 2 2 2 3 3 3 3 4 5
//     h  0 1 2 2 2 2 3 3 3 3 4 5
//     w  0 1 2 2 2 2 3 3 3 3 4 5

#include "polyrope/layout/make_plan.hpp"

POLYROPE_BEGIN
namespace layout {

template <class Layout>
struct neutral {
    static_assert(is_layout_v<Layout>,
                  "neutral wraps a layout policy: polyrope/layout/is_layout.hpp lists its members");
    Layout original;

    using cursor = typename Layout::cursor;

    [[nodiscard]] int axes() const noexcept { return original.axes(); }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return original.resume(plan); }
    [[nodiscard]] double position(cursor at) const noexcept { return original.position(at); }
    [[nodiscard]] cursor moved(cursor at, double to) const noexcept { return original.moved(at, to); }
    [[nodiscard]] generation continues() const noexcept { return detail::generation_of<Layout>::rule(original); }
    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        return builder.at_neutral_points([&] { return original.place(s, at, builder); });
    }
};

template <class Layout>
neutral(Layout) -> neutral<Layout>;

}  // namespace layout
POLYROPE_END
