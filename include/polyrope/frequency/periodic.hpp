#pragma once
// A pattern of axes that repeats over the pairs. MM-RoPE of Lumos-1, Yuan et al., arXiv:2507.08801, where 2 : 3 : 3 of
// the pairs are time's, rows' and columns'; tested against alibaba-damo-academy/Lumos at f7c9cd2 and
// JJJYmmm/Multimodal-RoPEs at cd413b9. Lumos assigns axes to channels, sixteen at a time, and turns channels half a
// head apart together: where half the rotary_dim is no multiple of sixteen the two channels of a pair would follow
// different axes, which is no rotation, so such widths are refused. The port repeats eight axes over the pairs and cuts
// the last.
//
//     mm_rope, rotary_dim 64:         tttthhwwhhwwhhwwtttthhwwhhwwhhww
//     mm_rope_by_pair, rotary_dim 40: tthwhwhwtthwhwhwtthw

#include "polyrope/frequency/is_allocation.hpp"

POLYROPE_BEGIN

namespace allocation {

/// Longest pattern.
inline constexpr int max_period = 32;

/// What becomes of pairs that do not fill a pattern: refused, or the pattern is cut.
enum class last_period : std::uint8_t { whole, cut };

struct periodic {
    axis pattern[max_period] = {};
    int period = 0;
    last_period last = last_period::whole;

    template <int Period>
    constexpr periodic(const axis (&axes_of_pairs)[Period], last_period rest = last_period::whole) noexcept
        : period(Period), last(rest) {
        static_assert(Period <= max_period, "a pattern has at most 32 pairs; write a longer one as per_pair");
        for (int i = 0; i < Period; ++i) pattern[i] = axes_of_pairs[i];
    }

    [[nodiscard]] constexpr int axes() const noexcept {
        int all = 1;
        for (int i = 0; i < period; ++i) {
            const int a = static_cast<int>(pattern[i]);
            if (a + 1 > all) all = a + 1;
        }
        return all;
    }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        if (last == last_period::whole && pairs % period != 0)
            return {errc::pattern_cut, operand::pair, 0, period, pairs};
        return {};
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept { return pattern[l % period]; }
};

/// Lumos-1's own code.
inline constexpr periodic mm_rope{{axis::t, axis::t, axis::t, axis::t, axis::h, axis::h, axis::w, axis::w, axis::h,
                                   axis::h, axis::w, axis::w, axis::h, axis::h, axis::w, axis::w}};
/// The port's, which is also the picture in the paper.
inline constexpr periodic mm_rope_by_pair{{axis::t, axis::t, axis::h, axis::w, axis::h, axis::w, axis::h, axis::w},
                                          last_period::cut};

}  // namespace allocation

POLYROPE_END
