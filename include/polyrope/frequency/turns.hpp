#pragma once
// A frequency in turns: g = frequency / (2 pi) for the float32 kernels, as a high and a low float that together carry
// 48 bits, and the same of 65536 g less its nearest whole number, which turns the upper half of a position past 2^24.
// Worked out in integers from the bits of the double, so neither -ffast-math, contraction, excess precision nor a
// mathematical library that lacks an exact fma can change one bit of a table.

#include "polyrope/core/libm.hpp"
#include "polyrope/core/scalar.hpp"

POLYROPE_BEGIN

/// hi is a number rounded to float32, lo what is left of it, rounded to float32: |number - hi - lo| <= 2^-48 |number|.
struct float_pair {
    float hi = 0.0f;
    float lo = 0.0f;
};

namespace detail {

/// Whether a double is neither infinite nor NaN, also where the compiler is told that all of them are finite.
[[nodiscard]] inline bool is_finite(double value) noexcept {
    return (bit_copy<std::uint64_t>(value) & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}

/// Whether a finite double stays finite when it is rounded to float32.
[[nodiscard]] inline bool fits_float32(double value) noexcept {
    // 2^128 - 2^103, half a unit past the largest float32; larger magnitudes have larger bits.
    return (bit_copy<std::uint64_t>(value) & 0x7fffffffffffffffu) < 0x47effffff0000000u;
}

/// (high : low) * 2^(exponent - 128), with a sign.
struct wide_number {
    std::uint64_t high = 0, low = 0;
    int exponent = 0;
    bool negative = false;
};

/// 1 / (2 pi): 320 bits after the binary point, the first ones first.
inline constexpr std::uint32_t inverse_two_pi[10] = {0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u,
                                                     0x4f10e410u, 0x7f9458eau, 0xf7aef158u, 0x6dc91b8eu, 0x909374b8u};

/// frequency / (2 pi) as an integer times 2^(exponent - 320).
struct turn_product {
    std::uint32_t limbs[12] = {};  // the lowest first
    int exponent = 0;
    bool negative = false;

    explicit turn_product(double frequency) noexcept {
        const auto bits = bit_copy<std::uint64_t>(frequency);
        const auto biased = static_cast<int>((bits >> 52) & 0x7ffu);
        const std::uint64_t significand = (bits & 0xfffffffffffffu) | (biased == 0 ? 0u : 0x10000000000000u);
        negative = (bits >> 63) != 0;
        exponent = (biased == 0 ? 1 : biased) - 1075;
        for (int half = 0; half < 2; ++half) {
            const std::uint64_t factor = half == 0 ? significand & 0xffffffffu : significand >> 32;
            std::uint64_t carry = 0;
            for (int i = 0; i < 10; ++i) {
                carry += limbs[i + half] + factor * inverse_two_pi[9 - i];
                limbs[i + half] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            limbs[10 + half] = static_cast<std::uint32_t>(carry);
        }
    }

    [[nodiscard]] unsigned bit(int i) const noexcept {
        return i < 0 || i >= 384 ? 0u : (limbs[i / 32] >> (i % 32)) & 1u;
    }

    /// The 128 bits from the first one that is set, looked for below bit `end`.
    [[nodiscard]] wide_number leading(int end) const noexcept {
        if (end > 384) end = 384;
        while (end > 0 && bit(end - 1) == 0u) --end;
        wide_number x;
        for (int i = 1; i <= 64; ++i) x.high = (x.high << 1) | bit(end - i);
        for (int i = 65; i <= 128; ++i) x.low = (x.low << 1) | bit(end - i);
        x.exponent = end + exponent - 320;
        x.negative = negative;
        return x;
    }
};

/// x rounded to float32; x becomes what is left. Multiples of 1 / (2 pi) are irrational, so there is no tie to break.
[[nodiscard]] inline float take_float(wide_number& x) noexcept {
    if ((x.high | x.low) == 0) return 0.0f;
    for (; (x.high >> 63) == 0; --x.exponent) {
        x.high = (x.high << 1) | (x.low >> 63);
        x.low <<= 1;
    }
    const bool up = ((x.high >> 39) & 1u) != 0, negative = x.negative;
    const float magnitude = libm::ldexp(static_cast<float>((x.high >> 40) + (up ? 1u : 0u)), x.exponent - 24);
    if (up) {
        x.high = ~x.high + (x.low == 0 ? 1u : 0u);
        x.low = ~x.low + 1u;
        x.negative = !x.negative;
    }
    x.high &= 0xffffffffffu;
    return negative ? -magnitude : magnitude;
}

[[nodiscard]] inline float_pair to_floats(wide_number x) noexcept {
    const float hi = take_float(x);
    return {hi, take_float(x)};
}

}  // namespace detail

/// frequency / (2 pi); `frequency` is finite, in radians per unit of position.
[[nodiscard]] POLYROPE_COLD inline float_pair turns_of(double frequency) noexcept {
    return detail::to_floats(detail::turn_product{frequency}.leading(384));
}

/// 65536 frequency / (2 pi) less the nearest whole number: in [-1/2, 1/2] turns per 65536 units of position.
[[nodiscard]] POLYROPE_COLD inline float_pair wrapped_turns_of(double frequency) noexcept {
    const detail::turn_product product{frequency};
    const int point = 320 - product.exponent - 16;  // bits below it are a fraction of a turn
    detail::wide_number x = product.leading(point);
    x.exponent += 16;
    // Above half a turn the distance to the next whole number is the complement.
    if (product.bit(point - 1) != 0u) {
        x.high = ~x.high + (x.low == 0 ? 1u : 0u);
        x.low = ~x.low + 1u;
        x.negative = !x.negative;
    }
    return detail::to_floats(x);
}

POLYROPE_END
