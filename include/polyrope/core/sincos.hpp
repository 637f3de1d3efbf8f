#pragma once
// Sine and cosine of position x frequency for one pair: the scalar form of core/sincos.inl, which the vector kernels
// and the GPU repeat bit for bit. Numbers that a caller checks, draws or stores one at a time come from here.

#include "polyrope/core/fma.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {
namespace scalar {

using real = float;
using integer = std::int32_t;
using wide = double;

using detail::fma;
using detail::round_even;
POLYROPE_LEVEL_FUNCTION real opaque(real a) {
#if defined(__CUDA_ARCH__)
    return a;
#else
    return detail::opaque(a);
#endif
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
#if defined(__CUDA_ARCH__)
    return a;
#else
    return detail::opaque(a);
#endif
}
#if defined(__CUDA_ARCH__)
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return __fmul_rn(a, b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return __dmul_rn(a, b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return __fadd_rn(a, b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return __fsub_rn(a, b); }
#else
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return opaque(a * b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return opaque(a * b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return opaque(a + b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return opaque(a - b); }
#endif
POLYROPE_LEVEL_FUNCTION real negate(real a) { return bit_copy<float>(bit_copy<std::uint32_t>(a) ^ 0x80000000u); }
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return fma(a, b, negate(c)); }
POLYROPE_LEVEL_FUNCTION real splat(float a) { return a; }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return a; }
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) { return static_cast<integer>(a); }

POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    const real a = (q & 1) != 0 ? cosine : sine, b = (q & 1) != 0 ? sine : cosine;
    s = (q & 2) != 0 ? negate(a) : a;
    c = ((q + 1) & 2) != 0 ? negate(b) : b;
}

#include "polyrope/core/sincos.inl"

/// Sine and cosine, each rounded to float32, of a float32 angle in radians evaluated in float64; |angle| <= 2^51.
POLYROPE_LEVEL_FUNCTION void sincos_radians(real angle, real& s, real& c) {
    wide sine, cosine, quarter;
    sincos_polynomials(static_cast<wide>(angle), sine, cosine, quarter);
    quadrant(static_cast<integer>(static_cast<std::int64_t>(quarter)), static_cast<real>(sine),
             static_cast<real>(cosine), s, c);
}

}  // namespace scalar
}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
