#pragma once
// Interleaved allocation: t, h and w take turns, so that each axis has high and low frequencies. Qwen3-VL,
// arXiv:2511.21631 (interleaved M-RoPE); tested against Hugging Face transformers, qwen3_vl, and
// JJJYmmm/Multimodal-RoPEs at cd413b9. h and w stop when their sections are used up, and the rest is t's: pairs 61 and
// 62 of the first picture are t, not h and w. An axis with more pairs than turns gets its turns (h = 13 of 32 pairs:
// 11), as in the references, which never read t's section.
//
//     thw{24, 20, 20}:   thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt
//     thw{11, 11, 10}:   thwthwthwthwthwthwthwthwthwthwth

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

struct interleaved {
    thw sections;

    [[nodiscard]] constexpr int axes() const noexcept { return 3; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        return detail::check_sections(sections, pairs);
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        if (l % 3 == 1 && l / 3 < sections.h) return axis::h;
        if (l % 3 == 2 && l / 3 < sections.w) return axis::w;
        return axis::t;
    }
};

}  // namespace allocation

POLYROPE_END
