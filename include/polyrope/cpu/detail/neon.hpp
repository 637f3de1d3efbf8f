#pragma once
// The kernels for aarch64: 4 lanes. Its base instruction set has everything they need.

#include "polyrope/cpu/detail/job.hpp"

#if POLYROPE_NEON_LEVEL

#include <arm_neon.h>

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace neon {

using real = float32x4_t;
using wide = float64x2_t;
using integer = int32x4_t;
inline constexpr int width = 4;
inline constexpr int block_registers = 8;

POLYROPE_LEVEL_FUNCTION real opaque(real a) {
    __asm__("" : "+w"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
    __asm__("" : "+w"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION real load(const float* p) { return vld1q_f32(p); }
POLYROPE_LEVEL_FUNCTION void store(float* p, real a) { vst1q_f32(p, a); }
POLYROPE_LEVEL_FUNCTION real splat(float a) { return vdupq_n_f32(a); }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return vdupq_n_f64(a); }
POLYROPE_LEVEL_FUNCTION real fma(real a, real b, real c) { return vfmaq_f32(c, a, b); }
POLYROPE_LEVEL_FUNCTION wide fma(wide a, wide b, wide c) { return vfmaq_f64(c, a, b); }
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return vmulq_f32(a, b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return vmulq_f64(a, b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return vaddq_f32(a, b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return vsubq_f32(a, b); }
POLYROPE_LEVEL_FUNCTION real flip(real a, uint32x4_t sign) {
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign));
}
POLYROPE_LEVEL_FUNCTION real negate(real a) { return flip(a, vdupq_n_u32(0x80000000u)); }
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return fma(a, b, negate(c)); }
POLYROPE_LEVEL_FUNCTION real round_even(real a) { return vrndnq_f32(a); }
POLYROPE_LEVEL_FUNCTION wide round_even(wide a) { return vrndnq_f64(a); }
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) { return vcvtq_s32_f32(a); }
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) { return vminq_f32(a, b); }
POLYROPE_LEVEL_FUNCTION real larger(real a, real b) { return vmaxq_f32(a, b); }
POLYROPE_LEVEL_FUNCTION real magnitude(real a) { return vabsq_f32(a); }
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) { return vbslq_f32(vdupq_n_u32(0x80000000u), b, a); }
POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(a), vshlq_n_s32(n, 23)));
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) {
    return vreinterpretq_f32_s32(vsubq_s32(vdupq_n_s32(0x7ef311c7), vreinterpretq_s32_f32(a)));
}

POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    const uint32x4_t bits = vreinterpretq_u32_s32(q), two = vdupq_n_u32(2);
    const uint32x4_t odd = vtstq_u32(bits, vdupq_n_u32(1));
    s = flip(vbslq_f32(odd, cosine, sine), vshlq_n_u32(vandq_u32(bits, two), 30));
    c = flip(vbslq_f32(odd, sine, cosine), vshlq_n_u32(vandq_u32(vaddq_u32(bits, vdupq_n_u32(1)), two), 30));
}

POLYROPE_LEVEL_FUNCTION wide widen_low(real a) { return vcvt_f64_f32(vget_low_f32(a)); }
POLYROPE_LEVEL_FUNCTION wide widen_high(real a) { return vcvt_high_f64_f32(a); }
POLYROPE_LEVEL_FUNCTION real narrow(wide low, wide high) { return vcombine_f32(vcvt_f32_f64(low), vcvt_f32_f64(high)); }
// Whole numbers below 2^51 modulo 2^32.
POLYROPE_LEVEL_FUNCTION integer narrow_integer(wide low, wide high) {
    return vcombine_s32(vmovn_s64(vcvtq_s64_f64(low)), vmovn_s64(vcvtq_s64_f64(high)));
}

// Lane i is coordinates[axis[i]], of eight: a byte table of 32 entries.
POLYROPE_LEVEL_FUNCTION real pick(const float* coordinates, const std::int32_t* axis) {
    const uint32x4_t bytes = vmlaq_n_u32(vdupq_n_u32(0x03020100u), vreinterpretq_u32_s32(vld1q_s32(axis)), 0x04040404u);
    const uint8x16x2_t table = {
        {vreinterpretq_u8_f32(vld1q_f32(coordinates)), vreinterpretq_u8_f32(vld1q_f32(coordinates + 4))}};
    return vreinterpretq_f32_u8(vqtbl2q_u8(table, vreinterpretq_u8_u32(bytes)));
}
POLYROPE_LEVEL_FUNCTION real choose_axis(const std::int32_t* axis, int a, real yes, real no) {
    return vbslq_f32(vceqq_s32(vld1q_s32(axis), vdupq_n_s32(a)), yes, no);
}
POLYROPE_LEVEL_FUNCTION real canonical(real a) {
    const uint32x4_t magnitude = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x7fffffffu));
    return vbslq_f32(vcgtq_u32(magnitude, vdupq_n_u32(0x7f800000u)), vreinterpretq_f32_u32(vdupq_n_u32(0x7fc00000u)),
                     a);
}
POLYROPE_LEVEL_FUNCTION void deinterleave(real a, real b, real& even, real& odd) {
    even = vuzp1q_f32(a, b);
    odd = vuzp2q_f32(a, b);
}
POLYROPE_LEVEL_FUNCTION void double_up(real a, real& low, real& high) {
    low = vzip1q_f32(a, a);
    high = vzip2q_f32(a, a);
}
POLYROPE_LEVEL_FUNCTION real swap_neighbours(real a) { return vrev64q_f32(a); }
POLYROPE_LEVEL_FUNCTION real negate_even(real a) { return flip(a, vreinterpretq_u32_u64(vdupq_n_u64(0x80000000u))); }

POLYROPE_LEVEL_FUNCTION real load_float16(const f16* p) {
    uint16x4_t bits;
    std::memcpy(&bits, p, sizeof(bits));
    return vcvt_f32_f16(vreinterpret_f16_u16(bits));
}
POLYROPE_LEVEL_FUNCTION void store_float16(f16* p, real a) {
    const uint16x4_t bits = vreinterpret_u16_f16(vcvt_f16_f32(a));
    std::memcpy(p, &bits, sizeof(bits));
}
POLYROPE_LEVEL_FUNCTION real round_float16(real a) { return vcvt_f32_f16(vcvt_f16_f32(a)); }

POLYROPE_LEVEL_FUNCTION void load_bfloat16(const bf16* p, real& even, real& odd) {
    uint32x4_t words;
    std::memcpy(&words, p, sizeof(words));
    even = vreinterpretq_f32_u32(vshlq_n_u32(words, 16));
    odd = vreinterpretq_f32_u32(vandq_u32(words, vdupq_n_u32(0xffff0000u)));
}
// Rounds both halves at once in 16-bit lanes: up where low + (high & 1) > 0x8000.
POLYROPE_LEVEL_FUNCTION void store_bfloat16(bf16* p, real even, real odd) {
    const uint16x8_t e = vreinterpretq_u16_f32(even), o = vreinterpretq_u16_f32(odd);
    const uint16x8_t high = vtrn2q_u16(e, o), low = vtrn1q_u16(e, o);
    const uint16x8_t sum = vqaddq_u16(low, vandq_u16(high, vdupq_n_u16(1)));
    const uint16x8_t rounded = vsubq_u16(high, vcgtq_u16(sum, vdupq_n_u16(0x8000)));
    std::memcpy(p, &rounded, sizeof(rounded));
}
POLYROPE_LEVEL_FUNCTION real round_bfloat16(real a) {
    const uint32x4_t bits = vreinterpretq_u32_f32(a), lsb = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t sum = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fffu)), lsb);
    return vreinterpretq_f32_u32(vandq_u32(sum, vdupq_n_u32(0xffff0000u)));
}

#include "polyrope/core/sincos.inl"
#include "polyrope/rotary/rotation.inl"
#include "polyrope/cpu/detail/row.inl"
#include "polyrope/cpu/detail/channels.inl"
#include "polyrope/cpu/detail/heads.inl"

}  // namespace neon
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END

#endif
