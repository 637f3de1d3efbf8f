#pragma once
// One-byte floats as key caches keep them: e4m3 of the OCP 8-bit specification, with a sign, 4 exponent bits (bias 7)
// and 3 of fraction. 448 is the largest, 2^-6 the least normal and 2^-9 the least value above zero; there is no
// infinity.
//
//     0x00 0   0x01 2^-9   0x08 2^-6   0x38 1   0x39 1.125   0x7e 448   0x7f NaN
//
// Conversion rounds to nearest, ties to even, keeps subnormals and saturates: past 448, infinity too, it gives 448 with
// the value's sign. A NaN becomes 0x7f; what sign a GPU gives it is not promised. Outputs alone are e4m3: a view of it
// is not rotated in place, so that it has no element_traits.

#include "polyrope/core/scalar.hpp"

POLYROPE_BEGIN
namespace detail {

/// The code of a value, by integers.
[[nodiscard]] POLYROPE_HOST_DEVICE inline std::uint32_t e4m3_code(float value) noexcept {
    const auto bits = bit_copy<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fu;
    if (magnitude >= 0x43e00000u) return sign | 0x7eu;  // 448
    if (magnitude < 0x3a800000u) return sign;           // below half the least value above zero
    if (magnitude >= 0x3c800000u) return sign | shifted_to_even(magnitude - 0x3c000000u, 20);
    return sign | shifted_to_even((magnitude & 0x7fffffu) | 0x800000u, 141u - (magnitude >> 23));
}

/// Two codes in one word, `low` in the lower byte: one instruction where the GPU has it.
[[nodiscard]] POLYROPE_HOST_DEVICE inline std::uint16_t e4m3_pair_bits(float low, float high) noexcept {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    std::uint16_t pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    return pair;
#else
    return static_cast<std::uint16_t>(e4m3_code(low) | (e4m3_code(high) << 8));
#endif
}

}  // namespace detail

/// e4m3 as it lies in memory.
struct e4m3 {
    std::uint8_t bits;
    [[nodiscard]] static POLYROPE_HOST_DEVICE e4m3 from(float value) noexcept {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
        return {static_cast<std::uint8_t>(detail::e4m3_pair_bits(value, 0.0f))};
#else
        return {static_cast<std::uint8_t>(detail::e4m3_code(value))};
#endif
    }
    /// Exact.
    [[nodiscard]] POLYROPE_HOST_DEVICE float value() const noexcept {
        const std::uint32_t sign = (bits & 0x80u) << 24, magnitude = bits & 0x7fu;
        if (magnitude == 0x7fu) return detail::bit_copy<float>(sign | 0x7fc00000u);
        if (magnitude >= 8u) return detail::bit_copy<float>(sign | ((magnitude << 20) + 0x3c000000u));
        const float subnormal = static_cast<float>(magnitude) * 0.001953125f;  // 2^-9
        return detail::bit_copy<float>(sign | detail::bit_copy<std::uint32_t>(subnormal));
    }
};

POLYROPE_END
