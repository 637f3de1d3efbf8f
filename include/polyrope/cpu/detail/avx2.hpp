#pragma once
// The kernels for AVX2, FMA and F16C: 8 lanes. Compiled for that target whatever the flags of the translation unit.

#include "polyrope/cpu/detail/job.hpp"

#if POLYROPE_X86_LEVELS

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace avx2 {

using real = __m256;
using wide = __m256d;
using integer = __m256i;
inline constexpr int width = 8;
inline constexpr int block_registers = 4;

POLYROPE_LEVEL_FUNCTION real opaque(real a) {
    __asm__("" : "+x"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
    __asm__("" : "+x"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION real load(const float* p) { return _mm256_loadu_ps(p); }
POLYROPE_LEVEL_FUNCTION void store(float* p, real a) { _mm256_storeu_ps(p, a); }
POLYROPE_LEVEL_FUNCTION real splat(float a) { return _mm256_set1_ps(a); }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return _mm256_set1_pd(a); }
POLYROPE_LEVEL_FUNCTION real fma(real a, real b, real c) { return _mm256_fmadd_ps(a, b, c); }
POLYROPE_LEVEL_FUNCTION wide fma(wide a, wide b, wide c) { return _mm256_fmadd_pd(a, b, c); }
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return _mm256_fmsub_ps(a, b, c); }
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return _mm256_mul_ps(a, b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return _mm256_mul_pd(a, b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return _mm256_add_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return _mm256_sub_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real negate(real a) { return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f)); }
POLYROPE_LEVEL_FUNCTION real round_even(real a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POLYROPE_LEVEL_FUNCTION wide round_even(wide a) {
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) { return _mm256_cvtps_epi32(a); }
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) { return _mm256_min_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real larger(real a, real b) { return _mm256_max_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real magnitude(real a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) {
    return _mm256_or_ps(a, _mm256_and_ps(b, _mm256_set1_ps(-0.0f)));
}
POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), _mm256_slli_epi32(n, 23)));
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) {
    return _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(0x7ef311c7), _mm256_castps_si256(a)));
}

POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    const real odd = _mm256_castsi256_ps(_mm256_slli_epi32(q, 31)), two = _mm256_castsi256_ps(_mm256_set1_epi32(2));
    const integer next = _mm256_add_epi32(q, _mm256_set1_epi32(1));
    const real s_sign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_and_si256(q, _mm256_castps_si256(two)), 30));
    const real c_sign = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_and_si256(next, _mm256_castps_si256(two)), 30));
    s = _mm256_xor_ps(_mm256_blendv_ps(sine, cosine, odd), s_sign);
    c = _mm256_xor_ps(_mm256_blendv_ps(cosine, sine, odd), c_sign);
}

POLYROPE_LEVEL_FUNCTION wide widen_low(real a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
POLYROPE_LEVEL_FUNCTION wide widen_high(real a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
POLYROPE_LEVEL_FUNCTION real narrow(wide low, wide high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
}
// Whole numbers below 2^51 modulo 2^32: they come to lie in the low words behind 1.5 * 2^52.
POLYROPE_LEVEL_FUNCTION integer narrow_integer(wide low, wide high) {
    const wide shift = _mm256_set1_pd(6755399441055744.0);
    const real words = _mm256_shuffle_ps(_mm256_castpd_ps(_mm256_add_pd(low, shift)),
                                         _mm256_castpd_ps(_mm256_add_pd(high, shift)), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(words), 0xd8);
}

// Lane i is coordinates[axis[i]], of eight.
POLYROPE_LEVEL_FUNCTION real pick(const float* coordinates, const std::int32_t* axis) {
    return _mm256_permutevar8x32_ps(load(coordinates), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(axis)));
}
POLYROPE_LEVEL_FUNCTION real choose_axis(const std::int32_t* axis, int a, real yes, real no) {
    const integer lanes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(axis));
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(_mm256_cmpeq_epi32(lanes, _mm256_set1_epi32(a))));
}
// Every NaN becomes the one whose low half is zero, so that rounding to bfloat16 by integers keeps it a NaN.
POLYROPE_LEVEL_FUNCTION real canonical(real a) {
    const integer magnitude = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(0x7fffffff));
    const integer nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
    return _mm256_blendv_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), _mm256_castsi256_ps(nan));
}
POLYROPE_LEVEL_FUNCTION void deinterleave(real a, real b, real& even, real& odd) {
    const real e = _mm256_shuffle_ps(a, b, 0x88), o = _mm256_shuffle_ps(a, b, 0xdd);
    even = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(e), 0xd8));
    odd = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(o), 0xd8));
}
POLYROPE_LEVEL_FUNCTION void double_up(real a, real& low, real& high) {
    const real l = _mm256_unpacklo_ps(a, a), h = _mm256_unpackhi_ps(a, a);
    low = _mm256_permute2f128_ps(l, h, 0x20);
    high = _mm256_permute2f128_ps(l, h, 0x31);
}
POLYROPE_LEVEL_FUNCTION real swap_neighbours(real a) { return _mm256_permute_ps(a, 0xb1); }
POLYROPE_LEVEL_FUNCTION real negate_even(real a) {
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi64x(0x80000000)));
}

POLYROPE_LEVEL_FUNCTION real load_float16(const f16* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
POLYROPE_LEVEL_FUNCTION void store_float16(f16* p, real a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}
POLYROPE_LEVEL_FUNCTION real round_float16(real a) {
    return _mm256_cvtph_ps(_mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

POLYROPE_LEVEL_FUNCTION void load_bfloat16(const bf16* p, real& even, real& odd) {
    const integer words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    even = _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
    odd = _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(static_cast<int>(0xffff0000u))));
}
// Rounds both halves at once in 16-bit lanes: up where low + (high & 1) > 0x8000.
POLYROPE_LEVEL_FUNCTION void store_bfloat16(bf16* p, real even, real odd) {
    const integer e = _mm256_castps_si256(even), o = _mm256_castps_si256(odd);
    const integer high = _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa);
    const integer low = _mm256_blend_epi16(e, _mm256_slli_epi32(o, 16), 0xaa);
    const integer sum = _mm256_adds_epu16(low, _mm256_and_si256(high, _mm256_set1_epi16(1)));
    const integer up = _mm256_cmpgt_epi16(_mm256_xor_si256(sum, _mm256_set1_epi16(static_cast<short>(0x8000))),
                                          _mm256_setzero_si256());
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_sub_epi16(high, up));
}
POLYROPE_LEVEL_FUNCTION real round_bfloat16(real a) {
    const integer bits = _mm256_castps_si256(a),
                  lsb = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const integer sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), lsb);
    return _mm256_castsi256_ps(_mm256_and_si256(sum, _mm256_set1_epi32(static_cast<int>(0xffff0000u))));
}

#include "polyrope/core/sincos.inl"
#include "polyrope/rotary/rotation.inl"
#include "polyrope/cpu/detail/row.inl"
#include "polyrope/cpu/detail/channels.inl"
#include "polyrope/cpu/detail/heads.inl"

}  // namespace avx2
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
