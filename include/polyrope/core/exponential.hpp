#pragma once
// Exponential, logarithm and hyperbolic tangent of one float32, with the same bits on every instruction set, under
// every compiler flag and on the GPU: the scalar form of core/exponential.inl. No mathematical library has a part in
// them.
//
//                  right to, of the result     where a result is below 2^-126
//     exp2, exp    1e-7, 1.1e-7                0
//     log          1.2e-7                      as it is; the argument counts as 0 below 2^-126
//     tanh         2.5e-7                      as it is, to 2^-149
//
// A NaN gives a NaN; infinities give what mathematics says.

#include "polyrope/core/sincos.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {
namespace scalar {

[[nodiscard]] POLYROPE_LEVEL_FUNCTION std::uint32_t bits_of(real a) { return bit_copy<std::uint32_t>(a); }
[[nodiscard]] POLYROPE_LEVEL_FUNCTION real from_bits(std::uint32_t bits) { return bit_copy<real>(bits); }
[[nodiscard]] POLYROPE_LEVEL_FUNCTION bool is_nan(real a) { return (bits_of(a) & 0x7fffffffu) > 0x7f800000u; }

POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return from_bits(bits_of(a) + (static_cast<std::uint32_t>(n) << 23));
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) { return from_bits(0x7ef311c7u - bits_of(a)); }
POLYROPE_LEVEL_FUNCTION real magnitude(real a) { return from_bits(bits_of(a) & 0x7fffffffu); }
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) { return from_bits(bits_of(a) | (bits_of(b) & 0x80000000u)); }
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) { return a < b ? a : b; }

#include "polyrope/core/exponential.inl"

/// 2^x.
[[nodiscard]] POLYROPE_LEVEL_FUNCTION real exp2(real x) {
    if (is_nan(x)) return x;
    if (x < -126.0f) return 0.0f;
    return x < 128.0f ? power_of_two(x) : from_bits(0x7f800000u);
}

/// e^x, by x / log 2 as an exact whole number and what is left of it.
[[nodiscard]] POLYROPE_LEVEL_FUNCTION real exp(real x) {
    if (is_nan(x)) return x;
    if (x < -87.33654f) return 0.0f;                      // 126 log 2
    if (x > 88.722832f) return from_bits(0x7f800000u);    // 128 log 2
    const real turns = opaque(multiply(x, 1.44269502f));  // 1 / log 2 as 1.44269502 + 1.92596303e-8
    const real small = fma(x, 1.92596303e-8f, fused_subtract(x, 1.44269502f, turns));
    const real n = round_even(turns);
    return power_of_parts(n, add(subtract(turns, n), small));
}

/// Natural logarithm.
[[nodiscard]] POLYROPE_LEVEL_FUNCTION real log(real x) {
    const std::uint32_t bits = bits_of(x);
    if (is_nan(x) || bits == 0x7f800000u) return x;
    if ((bits & 0x7fffffffu) < 0x00800000u) return from_bits(0xff800000u);
    if ((bits & 0x80000000u) != 0) return from_bits(0x7fc00000u);
    const std::uint32_t raised = bits + (0x3f800000u - 0x3f3504f3u);  // x = 2^n (1 + f), 1 + f in [sqrt 1/2, sqrt 2)
    const real n = static_cast<real>(static_cast<integer>(raised >> 23) - 127);
    const real f = subtract(from_bits((raised & 0x7fffffu) + 0x3f3504f3u), 1.0f);  // exact
    real p = fma(-7.6369405e-2f, f, 1.2762485e-1f);
    p = fma(p, f, -1.3159551e-1f);
    p = fma(p, f, 1.4201540e-1f);
    p = fma(p, f, -1.6623411e-1f);
    p = fma(p, f, 2.0001243e-1f);
    p = fma(p, f, -2.5000820e-1f);
    p = fma(p, f, 3.3333331e-1f);
    const real fraction = fma(multiply(f, f), fma(p, f, -0.5f), f);
    return fma(n, 0.693147182f, fma(n, -1.90465421e-9f, fraction));  // log 2 as a sum of two floats
}

/// Hyperbolic tangent.
[[nodiscard]] POLYROPE_LEVEL_FUNCTION real tanh(real x) { return is_nan(x) ? x : tanh_of(x); }

}  // namespace scalar
}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
