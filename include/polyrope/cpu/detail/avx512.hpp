#pragma once
// The kernels for AVX-512 F, BW, DQ and VL: 16 lanes. Compiled for that target whatever the flags
// of the translation unit.

#include "polyrope/cpu/detail/job.hpp"

#if POLYROPE_X86_LEVELS

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#else
// g++ 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace avx512 {

using real = __m512;
using wide = __m512d;
using integer = __m512i;
inline constexpr int width = 16;
inline constexpr int block_registers = 4;

POLYROPE_LEVEL_FUNCTION real opaque(real a) {
    __asm__("" : "+v"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
    __asm__("" : "+v"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION real load(const float* p) { return _mm512_loadu_ps(p); }
POLYROPE_LEVEL_FUNCTION void store(float* p, real a) { _mm512_storeu_ps(p, a); }
POLYROPE_LEVEL_FUNCTION real splat(float a) { return _mm512_set1_ps(a); }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return _mm512_set1_pd(a); }
POLYROPE_LEVEL_FUNCTION real fma(real a, real b, real c) { return _mm512_fmadd_ps(a, b, c); }
POLYROPE_LEVEL_FUNCTION wide fma(wide a, wide b, wide c) { return _mm512_fmadd_pd(a, b, c); }
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return _mm512_fmsub_ps(a, b, c); }
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return _mm512_mul_ps(a, b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return _mm512_mul_pd(a, b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return _mm512_add_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return _mm512_sub_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real negate(real a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f)); }
POLYROPE_LEVEL_FUNCTION real round_even(real a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POLYROPE_LEVEL_FUNCTION wide round_even(wide a) {
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) { return _mm512_cvtps_epi32(a); }
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) { return _mm512_min_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real larger(real a, real b) { return _mm512_max_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real magnitude(real a) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a); }
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) {
    return _mm512_or_ps(a, _mm512_and_ps(b, _mm512_set1_ps(-0.0f)));
}
POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_slli_epi32(n, 23)));
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) {
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x7ef311c7), _mm512_castps_si512(a)));
}

POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    const __mmask16 odd = _mm512_test_epi32_mask(q, _mm512_set1_epi32(1));
    const integer two = _mm512_set1_epi32(2), next = _mm512_add_epi32(q, _mm512_set1_epi32(1));
    const real s_sign = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_and_si512(q, two), 30));
    const real c_sign = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_and_si512(next, two), 30));
    s = _mm512_xor_ps(_mm512_mask_blend_ps(odd, sine, cosine), s_sign);
    c = _mm512_xor_ps(_mm512_mask_blend_ps(odd, cosine, sine), c_sign);
}

POLYROPE_LEVEL_FUNCTION wide widen_low(real a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
POLYROPE_LEVEL_FUNCTION wide widen_high(real a) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)); }
POLYROPE_LEVEL_FUNCTION real narrow(wide low, wide high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}
// Whole numbers below 2^51 modulo 2^32.
POLYROPE_LEVEL_FUNCTION integer narrow_integer(wide low, wide high) {
    const __m256i l = _mm512_cvtepi64_epi32(_mm512_cvtpd_epi64(low)),
                  h = _mm512_cvtepi64_epi32(_mm512_cvtpd_epi64(high));
    return _mm512_inserti32x8(_mm512_castsi256_si512(l), h, 1);
}

// Lane i is coordinates[axis[i]], of eight.
POLYROPE_LEVEL_FUNCTION real pick(const float* coordinates, const std::int32_t* axis) {
    return _mm512_permutexvar_ps(_mm512_loadu_si512(axis), _mm512_broadcast_f32x8(_mm256_loadu_ps(coordinates)));
}
POLYROPE_LEVEL_FUNCTION real choose_axis(const std::int32_t* axis, int a, real yes, real no) {
    return _mm512_mask_blend_ps(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(axis), _mm512_set1_epi32(a)), no, yes);
}
// Every NaN becomes the one whose low half is zero, so that rounding to bfloat16 by integers keeps it a NaN.
POLYROPE_LEVEL_FUNCTION real canonical(real a) {
    const integer magnitude = _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(0x7fffffff));
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f800000));
    return _mm512_mask_blend_ps(nan, a, _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)));
}
POLYROPE_LEVEL_FUNCTION void deinterleave(real a, real b, real& even, real& odd) {
    const integer e = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    even = _mm512_permutex2var_ps(a, e, b);
    odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(e, _mm512_set1_epi32(1)), b);
}
POLYROPE_LEVEL_FUNCTION void double_up(real a, real& low, real& high) {
    const integer l = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    low = _mm512_permutexvar_ps(l, a);
    high = _mm512_permutexvar_ps(_mm512_add_epi32(l, _mm512_set1_epi32(8)), a);
}
POLYROPE_LEVEL_FUNCTION real swap_neighbours(real a) { return _mm512_permute_ps(a, 0xb1); }
POLYROPE_LEVEL_FUNCTION real negate_even(real a) {
    return _mm512_xor_ps(a, _mm512_castsi512_ps(_mm512_set1_epi64(0x80000000)));
}

POLYROPE_LEVEL_FUNCTION real load_float16(const f16* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
POLYROPE_LEVEL_FUNCTION void store_float16(f16* p, real a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
POLYROPE_LEVEL_FUNCTION real round_float16(real a) {
    return _mm512_cvtph_ps(_mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

POLYROPE_LEVEL_FUNCTION void load_bfloat16(const bf16* p, real& even, real& odd) {
    const integer words = _mm512_loadu_si512(p);
    even = _mm512_castsi512_ps(_mm512_slli_epi32(words, 16));
    odd = _mm512_castsi512_ps(_mm512_and_si512(words, _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
}
// Rounds both halves at once in 16-bit lanes: up where low + (high & 1) > 0x8000. Two permutes gather the upper and the
// lower words of both registers, four instructions fewer than shifts and blends.
POLYROPE_LEVEL_FUNCTION void store_bfloat16(bf16* p, real even, real odd) {
    const integer e = _mm512_castps_si512(even), o = _mm512_castps_si512(odd);
    const integer lower = _mm512_setr_epi32(0x00200000, 0x00220002, 0x00240004, 0x00260006, 0x00280008, 0x002a000a,
                                            0x002c000c, 0x002e000e, 0x00300010, 0x00320012, 0x00340014, 0x00360016,
                                            0x00380018, 0x003a001a, 0x003c001c, 0x003e001e);
    const integer low = _mm512_permutex2var_epi16(e, lower, o);
    const integer high = _mm512_permutex2var_epi16(e, _mm512_add_epi16(lower, _mm512_set1_epi16(1)), o);
    const integer sum = _mm512_adds_epu16(low, _mm512_and_si512(high, _mm512_set1_epi16(1)));
    const __mmask32 up = _mm512_cmpgt_epu16_mask(sum, _mm512_set1_epi16(static_cast<short>(0x8000)));
    _mm512_storeu_si512(p, _mm512_mask_sub_epi16(high, up, high, _mm512_set1_epi16(-1)));
}
POLYROPE_LEVEL_FUNCTION real round_bfloat16(real a) {
    const integer bits = _mm512_castps_si512(a),
                  lsb = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const integer sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), lsb);
    return _mm512_castsi512_ps(_mm512_and_si512(sum, _mm512_set1_epi32(static_cast<int>(0xffff0000u))));
}

#include "polyrope/core/sincos.inl"
#include "polyrope/rotary/rotation.inl"
#include "polyrope/cpu/detail/row.inl"
#include "polyrope/cpu/detail/channels.inl"
#include "polyrope/cpu/detail/heads.inl"

}  // namespace avx512
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif

#endif
