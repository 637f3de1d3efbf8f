#pragma once
// A position as the phase reads it: up to three floats that hold every int32 and every fraction a double brings. The
// CPU's kernels and the GPU's take a position apart by the same steps, and so form the same angle.
//
//     many * 65536 + low + rest          one float where that holds it: many and rest are zero

#include "polyrope/config.hpp"

#include <cstdint>

POLYROPE_BEGIN
namespace detail {

struct position_parts {
    float low = 0.0f;
    float many = 0.0f;
    float rest = 0.0f;
    bool split = false;  ///< whether many or rest may differ from zero
};

/// Splits a position unless it is a whole number up to 2^24. Under phase::float32 (`product`) it is rounded to float32,
/// as the reference converts it. The position lies within int32.
POLYROPE_LEVEL_FUNCTION position_parts parts_of(std::int64_t position, bool product) noexcept {
    position_parts parts;
    if (product || (position >= -16777216 && position <= 16777216)) {
        parts.low = static_cast<float>(position);
        return parts;
    }
    const std::int64_t many = (position + 32768) >> 16;
    parts.split = true;
    parts.many = static_cast<float>(many);
    parts.low = static_cast<float>(position - many * 65536);
    return parts;
}
POLYROPE_LEVEL_FUNCTION position_parts parts_of(std::int32_t position, bool product) noexcept {
    return parts_of(static_cast<std::int64_t>(position), product);
}
POLYROPE_LEVEL_FUNCTION position_parts parts_of(double position, bool product) noexcept {
    position_parts parts;
    parts.low = static_cast<float>(position);
    if (product ||
        (static_cast<double>(parts.low) == position && parts.low >= -16777216.0f && parts.low <= 16777216.0f))
        return parts;
    // Whole blocks of 65536 go to `many` past 2^20 only, so that a small fraction keeps all of its bits in low + rest;
    // nearer to 2^24 `rest` would be large enough to cost the bound.
    const auto whole = static_cast<std::int64_t>(position);
    const std::int64_t many = whole >= -1048576 && whole <= 1048576 ? 0 : (whole + 32768) >> 16;
    const double left = position - static_cast<double>(many * 65536);  // exact
    parts.split = true;
    parts.many = static_cast<float>(many);
    parts.low = static_cast<float>(left);
    parts.rest = static_cast<float>(left - static_cast<double>(parts.low));
    return parts;
}
POLYROPE_LEVEL_FUNCTION position_parts parts_of(float position, bool product) noexcept {
    if (product || (position >= -16777216.0f && position <= 16777216.0f)) {
        position_parts parts;
        parts.low = position;
        return parts;
    }
    return parts_of(static_cast<std::int64_t>(position), product);  // whole, past 2^24
}

}  // namespace detail
POLYROPE_END
