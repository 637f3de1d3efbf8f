#pragma once
// Each axis spread evenly over the pairs, whatever its share: openPangu-VL. Tested against vLLM (May 2026, fork commit
// 28be48f). From pair to pair, of the axes that have pairs left and did not turn the pair before, the one that is
// furthest behind its share comes next, t before h before w; the last pair is t's. (`interleaved` takes strict turns
// and leaves the rest to t.)
//
//     thw{24, 20, 20}:   thwthwthwthwthwthwthwthtwthwthwthwthwthwthwthtwthwthwthwthwthwtt
//     thw{16, 24, 24}:   thwhwthwhwthwthwhwthwthwhwthwhwthwthwhwthwthwhwthwhwthwthwhwthwt

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/section.hpp"

POLYROPE_BEGIN

namespace allocation {

struct even_interleaved {
    thw sections;

    /// Most pairs: the axis of a pair is found by counting from the first.
    static constexpr index_t most_pairs = 4096;

    [[nodiscard]] constexpr int axes() const noexcept { return 3; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        if (sections.t < 1) return {errc::section_negative, operand::section, 0, 1, sections.t};
        if (pairs > most_pairs) return {errc::capacity_exceeded, operand::pair, 0, most_pairs, pairs};
        return detail::check_sections(sections, pairs);
    }

    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        const index_t share[3] = {sections.t - 1, sections.h, sections.w};
        index_t placed[3] = {};
        int last = -1;
        for (index_t i = 0; i <= l; ++i) {
            int best = -1;
            for (int a = 0; a < 3; ++a) {
                if (placed[a] == share[a] || (a == last && others_left(placed, share, a))) continue;
                if (best < 0 || placed[a] * share[best] < placed[best] * share[a]) best = a;
            }
            if (best < 0) return axis::t;
            ++placed[best];
            last = best;
        }
        return static_cast<axis>(last);
    }

private:
    [[nodiscard]] static constexpr bool others_left(const index_t* placed, const index_t* share, int a) noexcept {
        for (int other = 0; other < 3; ++other)
            if (other != a && placed[other] != share[other]) return true;
        return false;
    }
};

}  // namespace allocation

POLYROPE_END
