// Operations of the base level on SSE2. Included by base.hpp inside its namespace.

using real = __m128;
using wide = __m128d;
using integer = __m128i;
inline constexpr int width = 4;
inline constexpr int block_registers = 1;

#if defined(__GNUC__) || defined(__clang__)
POLYROPE_LEVEL_FUNCTION real opaque(real a) {
    __asm__("" : "+x"(a));
    return a;
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
    __asm__("" : "+x"(a));
    return a;
}
#else
POLYROPE_LEVEL_FUNCTION real opaque(real a) { return a; }
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) { return a; }
#endif
POLYROPE_LEVEL_FUNCTION real load(const float* p) { return _mm_loadu_ps(p); }
POLYROPE_LEVEL_FUNCTION void store(float* p, real a) { _mm_storeu_ps(p, a); }
POLYROPE_LEVEL_FUNCTION real splat(float a) { return _mm_set1_ps(a); }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return _mm_set1_pd(a); }
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) { return _mm_mul_ps(a, b); }
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) { return _mm_mul_pd(a, b); }
POLYROPE_LEVEL_FUNCTION real add(real a, real b) { return _mm_add_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) { return _mm_sub_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real negate(real a) { return _mm_xor_ps(a, _mm_set1_ps(-0.0f)); }
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) { return _mm_cvtps_epi32(a); }
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) { return _mm_min_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real larger(real a, real b) { return _mm_max_ps(a, b); }
POLYROPE_LEVEL_FUNCTION real magnitude(real a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) { return _mm_or_ps(a, _mm_and_ps(b, _mm_set1_ps(-0.0f))); }
POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return _mm_castsi128_ps(_mm_add_epi32(_mm_castps_si128(a), _mm_slli_epi32(n, 23)));
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) {
    return _mm_castsi128_ps(_mm_sub_epi32(_mm_set1_epi32(0x7ef311c7), _mm_castps_si128(a)));
}

POLYROPE_LEVEL_FUNCTION integer blend(integer mask, integer yes, integer no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}
POLYROPE_LEVEL_FUNCTION real blend(integer mask, real yes, real no) {
    return _mm_castsi128_ps(blend(mask, _mm_castps_si128(yes), _mm_castps_si128(no)));
}

inline real round_even(real a) {
    const integer bits = _mm_castps_si128(a), magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fffffff));
    const integer small = _mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x4b000000));  // 2^23 and above are whole
    const integer sign = _mm_andnot_si128(_mm_set1_epi32(0x7fffffff), bits);
    const integer whole = _mm_castps_si128(_mm_cvtepi32_ps(_mm_cvtps_epi32(a)));
    return _mm_castsi128_ps(blend(small, _mm_or_si128(whole, sign), bits));
}
POLYROPE_NOINLINE inline wide round_even(wide a) {
    return _mm_setr_pd(pd::round_even(_mm_cvtsd_f64(a)), pd::round_even(_mm_cvtsd_f64(_mm_unpackhi_pd(a, a))));
}

// The lanes that a sum in double may have rounded twice, one by one. Out of line: it is hardly ever entered.
POLYROPE_COLD inline real fma_exactly(real a, real b, real c) {
    alignas(16) float x[4], y[4], z[4];
    _mm_store_ps(x, a);
    _mm_store_ps(y, b);
    _mm_store_ps(z, c);
    for (int i = 0; i < 4; ++i) z[i] = pd::software_fma(x[i], y[i], z[i]);
    return _mm_load_ps(z);
}

// a * b + c with one rounding. The product is exact in double. The sum, rounded to double and then to float32, is
// rounded twice only if the double lies half way between two floats, or if the float is tiny. A call of its own: two
// nanoseconds slower than inlined, and a fifth of the code.
POLYROPE_NOINLINE inline real fma(real a, real b, real c) {
    const wide low = opaque(_mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)), _mm_cvtps_pd(c)));
    const wide high =
        opaque(_mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b))),
                          _mm_cvtps_pd(_mm_movehl_ps(c, c))));
    const real sum = _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
    const real lower = _mm_shuffle_ps(_mm_castpd_ps(low), _mm_castpd_ps(high), 0x88);
    const real upper = _mm_shuffle_ps(_mm_castpd_ps(low), _mm_castpd_ps(high), 0xdd);
    const integer tie =
        _mm_cmpeq_epi32(_mm_and_si128(_mm_castps_si128(lower), _mm_set1_epi32(0x1fffffff)), _mm_set1_epi32(0x10000000));
    // Below 2^-125 and not zero: the upper half of the double, without its sign, is in (0, 0x38200000).
    const integer magnitude = _mm_and_si128(_mm_castps_si128(upper), _mm_set1_epi32(0x7fffffff));
    const integer tiny = _mm_and_si128(_mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x38200000)),
                                       _mm_cmpgt_epi32(magnitude, _mm_setzero_si128()));
    if (_mm_movemask_epi8(_mm_or_si128(tie, tiny)) != 0) return fma_exactly(a, b, c);
    return sum;
}
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return fma(a, b, negate(c)); }
POLYROPE_NOINLINE inline wide fma(wide a, wide b, wide c) {
    return _mm_setr_pd(pd::fma(_mm_cvtsd_f64(a), _mm_cvtsd_f64(b), _mm_cvtsd_f64(c)),
                       pd::fma(_mm_cvtsd_f64(_mm_unpackhi_pd(a, a)), _mm_cvtsd_f64(_mm_unpackhi_pd(b, b)),
                               _mm_cvtsd_f64(_mm_unpackhi_pd(c, c))));
}

POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    const integer odd = _mm_srai_epi32(_mm_slli_epi32(q, 31), 31), two = _mm_set1_epi32(2);
    const integer s_sign = _mm_slli_epi32(_mm_and_si128(q, two), 30);
    const integer c_sign = _mm_slli_epi32(_mm_and_si128(_mm_add_epi32(q, _mm_set1_epi32(1)), two), 30);
    s = _mm_xor_ps(blend(odd, cosine, sine), _mm_castsi128_ps(s_sign));
    c = _mm_xor_ps(blend(odd, sine, cosine), _mm_castsi128_ps(c_sign));
}

POLYROPE_LEVEL_FUNCTION wide widen_low(real a) { return _mm_cvtps_pd(a); }
POLYROPE_LEVEL_FUNCTION wide widen_high(real a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
POLYROPE_LEVEL_FUNCTION real narrow(wide low, wide high) {
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
// Whole numbers below 2^51 modulo 2^32: they come to lie in the low words behind 1.5 * 2^52.
POLYROPE_LEVEL_FUNCTION integer narrow_integer(wide low, wide high) {
    const wide shift = _mm_set1_pd(6755399441055744.0);
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm_castpd_ps(_mm_add_pd(low, shift)), _mm_castpd_ps(_mm_add_pd(high, shift)), 0x88));
}

POLYROPE_LEVEL_FUNCTION real pick(const float* at, const std::int32_t* axis) {
    return _mm_setr_ps(at[axis[0]], at[axis[1]], at[axis[2]], at[axis[3]]);
}
POLYROPE_LEVEL_FUNCTION real choose_axis(const std::int32_t* axis, int a, real yes, real no) {
    return blend(_mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(axis)), _mm_set1_epi32(a)), yes, no);
}
POLYROPE_LEVEL_FUNCTION real canonical(real a) {
    const integer magnitude = _mm_and_si128(_mm_castps_si128(a), _mm_set1_epi32(0x7fffffff));
    const integer nan = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7f800000));
    return blend(nan, _mm_castsi128_ps(_mm_set1_epi32(0x7fc00000)), a);
}
POLYROPE_LEVEL_FUNCTION void deinterleave(real a, real b, real& even, real& odd) {
    even = _mm_shuffle_ps(a, b, 0x88);
    odd = _mm_shuffle_ps(a, b, 0xdd);
}
POLYROPE_LEVEL_FUNCTION void double_up(real a, real& low, real& high) {
    low = _mm_unpacklo_ps(a, a);
    high = _mm_unpackhi_ps(a, a);
}
POLYROPE_LEVEL_FUNCTION real swap_neighbours(real a) { return _mm_shuffle_ps(a, a, 0xb1); }
POLYROPE_LEVEL_FUNCTION real negate_even(real a) {
    return _mm_xor_ps(
        a, _mm_castsi128_ps(_mm_setr_epi32(static_cast<int>(0x80000000u), 0, static_cast<int>(0x80000000u), 0)));
}

inline real load_float16(const f16* p) { return _mm_setr_ps(p[0].value(), p[1].value(), p[2].value(), p[3].value()); }
inline void store_float16(f16* p, real a) {
    alignas(16) float v[4];
    _mm_store_ps(v, a);
    for (int i = 0; i < 4; ++i) p[i] = f16::from(v[i]);
}
POLYROPE_NOINLINE inline real round_float16(real a) {
    f16 v[4];
    store_float16(v, a);
    return load_float16(v);
}

POLYROPE_LEVEL_FUNCTION void load_bfloat16(const bf16* p, real& even, real& odd) {
    const integer words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    even = _mm_castsi128_ps(_mm_slli_epi32(words, 16));
    odd = _mm_castsi128_ps(_mm_and_si128(words, _mm_set1_epi32(static_cast<int>(0xffff0000u))));
}
POLYROPE_LEVEL_FUNCTION void store_bfloat16(bf16* p, real even, real odd) {
    const integer e = _mm_castps_si128(even), o = _mm_castps_si128(odd),
                  odd_lanes = _mm_set1_epi32(static_cast<int>(0xffff0000u));
    const integer high = blend(odd_lanes, o, _mm_srli_epi32(e, 16));
    const integer low = blend(odd_lanes, _mm_slli_epi32(o, 16), e);
    const integer sum = _mm_adds_epu16(low, _mm_and_si128(high, _mm_set1_epi16(1)));
    const integer up =
        _mm_cmpgt_epi16(_mm_xor_si128(sum, _mm_set1_epi16(static_cast<short>(0x8000))), _mm_setzero_si128());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_sub_epi16(high, up));
}
POLYROPE_LEVEL_FUNCTION real round_bfloat16(real a) {
    const integer bits = _mm_castps_si128(a), lsb = _mm_and_si128(_mm_srli_epi32(bits, 16), _mm_set1_epi32(1));
    const integer sum = _mm_add_epi32(_mm_add_epi32(bits, _mm_set1_epi32(0x7fff)), lsb);
    return _mm_castsi128_ps(_mm_and_si128(sum, _mm_set1_epi32(static_cast<int>(0xffff0000u))));
}
