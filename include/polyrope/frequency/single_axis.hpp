#pragma once
// One axis turns every pair: ordinary one-dimensional rotary embedding. Su et al., RoFormer, arXiv:2104.09864; tested
// against JJJYmmm/Multimodal-RoPEs at cd413b9.
//
//     single_axis{}, rotary_dim 16:   tttttttt

#include "polyrope/frequency/is_allocation.hpp"

POLYROPE_BEGIN

namespace allocation {

struct single_axis {
    axis which = axis::t;

    [[nodiscard]] constexpr int axes() const noexcept { return static_cast<int>(which) + 1; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t) const noexcept {
        if (which == axis_none) return {errc::axis_invalid, operand::pair, 0, max_axes, -1};
        return {};
    }
    [[nodiscard]] constexpr axis operator()(index_t, index_t) const noexcept { return which; }
};

}  // namespace allocation

POLYROPE_END
