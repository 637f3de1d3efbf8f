#pragma once
// How many rotary pairs an axis gets, in pairs (config files say `mrope_section`; channels would be twice as many). The
// axis is part of the entry, never its order: ERNIE's lists are h, w, t and HunyuanOCR's are position, width, height,
// image.

#include "polyrope/core/axis.hpp"
#include "polyrope/core/checked.hpp"
#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

/// `pairs` rotary pairs for one axis.
struct section {
    axis which;
    index_t pairs;
};

/// Pairs of time, height and width, by name.
struct thw {
    index_t t, h, w;
};

/// Whether the pairs that rows and columns leave over turn with time, or do not turn.
enum class temporal_pairs : std::uint8_t { turned, still };

namespace detail {

/// Adds up `count` sections, none negative.
[[nodiscard]] constexpr status sum_sections(const section* sections, int count, index_t& sum) noexcept {
    sum = 0;
    for (int i = 0; i < count; ++i) {
        if (sections[i].pairs < 0) return {errc::section_negative, operand::section, i, 0, sections[i].pairs};
        if (!checked_add(sum, sections[i].pairs, sum)) return {errc::size_overflow, operand::section, i, 0, 0};
    }
    return {};
}

/// ok where the `count` sections, none negative, hold `pairs` pairs in all.
[[nodiscard]] constexpr status check_sections(const section* sections, int count, index_t pairs) noexcept {
    index_t sum = 0;
    if (const status s = sum_sections(sections, count, sum); !s.ok()) return s;
    if (sum != pairs) return {errc::section_mismatch, operand::section, 0, pairs, sum};
    return {};
}

[[nodiscard]] constexpr status check_sections(thw s, index_t pairs) noexcept {
    const section all[3] = {{axis::t, s.t}, {axis::h, s.h}, {axis::w, s.w}};
    return check_sections(all, 3, pairs);
}

}  // namespace detail

POLYROPE_END
