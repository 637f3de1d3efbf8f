#pragma once
// One axis per head: every pair of a head follows the axis of its key/value head, with the whole spectrum. MHRoPE,
// Huang et al., "Revisiting Multimodal Positional Encoding in Vision-Language Models", arXiv:2510.23095; tested against
// JJJYmmm/Multimodal-RoPEs at cd413b9. Sections count key/value heads; heads behind the last section do not rotate. A
// query head follows its key/value head: head i of n_q that of floor(i * key_value_heads / n_q), which is
// frequency_table::group_of; a tensor-parallel shard says which heads of the model it holds (cpu::head_shard). The
// reference asks for one head per axis at least; here a section may be empty.
//
//     thw{2, 1, 1} of 5 key/value heads, rotary_dim 16, a head per line:
//         tttttttt
//         tttttttt
//         hhhhhhhh
//         wwwwwwww
//         --------

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

struct per_head {
    thw heads;                ///< key/value heads of each axis
    index_t key_value_heads;  ///< of the whole model

    [[nodiscard]] constexpr int axes() const noexcept { return 3; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return key_value_heads; }
    [[nodiscard]] constexpr status validate(index_t) const noexcept {
        if (key_value_heads < 1) return {errc::value_invalid, operand::key_value_heads, 0, 1, key_value_heads};
        const section all[3] = {{axis::t, heads.t}, {axis::h, heads.h}, {axis::w, heads.w}};
        index_t sum = 0;
        if (const status s = detail::sum_sections(all, 3, sum); !s.ok()) return s;
        if (sum > key_value_heads) return {errc::heads_exceeded, operand::section, 0, key_value_heads, sum};
        return {};
    }

    [[nodiscard]] constexpr axis operator()(index_t, index_t group) const noexcept {
        if (group < heads.t) return axis::t;
        if (group < heads.t + heads.h) return axis::h;
        return group < heads.t + heads.h + heads.w ? axis::w : axis_none;
    }
};

}  // namespace allocation

POLYROPE_END
