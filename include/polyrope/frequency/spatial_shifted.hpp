#pragma once
// VideoRoPE and HoPE as JJJYmmm/Multimodal-RoPEs has them, tested against it at cd413b9: one pair later than in the
// methods' own code (spatial_first), rows and columns exchanged. The highest frequency is time's, so under HoPE it does
// not rotate; pairs that a shorter section leaves between the others are time's too.
//
//     thw{4, 5, 7}:                          thwhwhwhwhwtwttt
//     thw{4, 5, 7}, temporal_pairs::still:   -hwhwhwhwhw-w---

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

struct spatial_shifted {
    thw sections;
    temporal_pairs temporal = temporal_pairs::turned;

    [[nodiscard]] constexpr int axes() const noexcept { return 3; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        return detail::check_sections(sections, pairs);
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        if (l % 2 == 1 && l / 2 < sections.h) return axis::h;
        if (l % 2 == 0 && l != 0 && l / 2 < sections.w) return axis::w;
        return temporal == temporal_pairs::turned ? axis::t : axis_none;
    }
};

}  // namespace allocation

POLYROPE_END
