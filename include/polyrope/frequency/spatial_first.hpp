#pragma once
// Rows and columns take turns over the high frequencies, and time has the low ones. VideoRoPE, Wei et al.,
// arXiv:2502.05173 (low-frequency temporal allocation), tested against Wiselnn570/VideoRoPE at 7712ca3; HoPE, Li et
// al., arXiv:2505.20444, whose temporal pairs do not rotate at all, against hrlics/HoPE at 85b76c0; ERNIE-4.5-VL, whose
// lists read h, w, t, against Hugging Face transformers v5.15.0, ernie4_5_vl_moe. Only the sum of h and w counts: of an
// odd number of spatial pairs h has one more, as in the references. What Multimodal-RoPEs calls VideoRoPE and HoPE is
// spatial_shifted.
//
//     thw{5, 7, 4}:                          hwhwhwhwhwhttttt
//     thw{5, 7, 4}, temporal_pairs::still:   hwhwhwhwhwh-----

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

struct spatial_first {
    thw sections;
    temporal_pairs temporal = temporal_pairs::turned;

    [[nodiscard]] constexpr int axes() const noexcept { return 3; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        return detail::check_sections(sections, pairs);
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        if (l < sections.h + sections.w) return l % 2 == 0 ? axis::h : axis::w;
        return temporal == temporal_pairs::turned ? axis::t : axis_none;
    }
};

}  // namespace allocation

POLYROPE_END
