#pragma once
// The rotation of one pair: the scalar form of rotary/rotation.inl, which the vector kernels and the GPU
// repeat bit for bit.

#include "polyrope/core/sincos.hpp"
#include "polyrope/rotary/rounding.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {
namespace scalar {

#include "polyrope/rotary/rotation.inl"

/// `value` rounded to the precision of an element type, as float32.
[[nodiscard]] POLYROPE_HOST_DEVICE inline float round_to(element kind, float value) noexcept {
    if (kind == element::bfloat16) return bf16::from(value).value();
    if (kind == element::float16) return f16::from(value).value();
    return value;
}

/// Pair (x, y), widened from an element type, by (c, s) under a rounding; the caller rounds the result to the element
/// type. c and s are already cast where the rounding casts its table.
POLYROPE_HOST_DEVICE inline void turn(rounding how, element kind, float& x, float& y, float c, float s) noexcept {
    if (how == rounding::once) {
        turn_once(x, y, c, s);
    } else {
        const element product = how == rounding::table_cast_each ? kind : element::float32;
        turn_unfused(x, y, c, s, [product](float value) { return round_to(product, value); });
    }
}

}  // namespace scalar
}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
