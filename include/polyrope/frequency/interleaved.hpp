#pragma once
// Interleaved allocation: t, h and w take turns, so that each axis has high and low frequencies. Qwen3-VL,
// arXiv:2511.21631 (interleaved M-RoPE); tested against Hugging Face transformers, qwen3_vl, and
// JJJYmmm/Multimodal-RoPEs at cd413b9. h and w stop when their sections are used up, and the rest is t's: pairs 61 and
// 62 of the first picture are t, not h and w. An axis with more pairs than turns gets its turns (h = 13 of 32 pairs:
// 11), as in the references, which never read t's section.
//
//     thw{24, 20, 20}:   thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt
//     thw{11, 11, 10}:   thwthwthwthwthwthwthwthwthwthwth
//
// IL-RoPE (Mogao, Liao et al., arXiv:2505.05472) is the same with thw{32, 16, 16} of 64 pairs, `quarters` in general,
// and GRAPE's interleaved tables are `thirds`; both tested against the tables of Multimodal-RoPEs.
//
//     quarters(16):      thwthwthwthwtttt
//     thirds(16):        thwthwthwthwthwt

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

/// A quarter of the pairs for rows and for columns, the rest for time.
[[nodiscard]] constexpr thw quarters(index_t pairs) noexcept { return {pairs - 2 * (pairs / 4), pairs / 4, pairs / 4}; }

/// The axes in turn to the last pair.
[[nodiscard]] constexpr thw thirds(index_t pairs) noexcept { return {(pairs + 2) / 3, (pairs + 1) / 3, pairs / 3}; }

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
