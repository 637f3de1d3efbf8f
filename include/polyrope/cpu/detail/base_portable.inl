// Operations of the base level in plain C++, for machines without SSE2. Included by base.hpp inside its namespace.

struct real {
    float v[4];
};
struct wide {
    double v[2];
};
struct integer {
    std::int32_t v[4];
};
inline constexpr int width = 4;
inline constexpr int block_registers = 2;

POLYROPE_LEVEL_FUNCTION real opaque(real a) {
    for (float& v : a.v) v = pd::opaque(v);
    return a;
}
POLYROPE_LEVEL_FUNCTION wide opaque(wide a) {
    for (double& v : a.v) v = pd::opaque(v);
    return a;
}
POLYROPE_LEVEL_FUNCTION real load(const float* p) { return {{p[0], p[1], p[2], p[3]}}; }
POLYROPE_LEVEL_FUNCTION void store(float* p, real a) {
    for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
POLYROPE_LEVEL_FUNCTION real splat(float a) { return {{a, a, a, a}}; }
POLYROPE_LEVEL_FUNCTION wide splat_wide(double a) { return {{a, a}}; }

template <class Each>
POLYROPE_LEVEL_FUNCTION real each(Each f) {
    return {{f(0), f(1), f(2), f(3)}};
}
POLYROPE_LEVEL_FUNCTION real fma(real a, real b, real c) {
    return each([&](int i) { return pd::fma(a.v[i], b.v[i], c.v[i]); });
}
POLYROPE_LEVEL_FUNCTION wide fma(wide a, wide b, wide c) {
    return {{pd::fma(a.v[0], b.v[0], c.v[0]), pd::fma(a.v[1], b.v[1], c.v[1])}};
}
POLYROPE_LEVEL_FUNCTION real multiply(real a, real b) {
    return each([&](int i) { return pd::opaque(a.v[i] * b.v[i]); });
}
POLYROPE_LEVEL_FUNCTION wide multiply(wide a, wide b) {
    return {{pd::opaque(a.v[0] * b.v[0]), pd::opaque(a.v[1] * b.v[1])}};
}
POLYROPE_LEVEL_FUNCTION real add(real a, real b) {
    return each([&](int i) { return pd::opaque(a.v[i] + b.v[i]); });
}
POLYROPE_LEVEL_FUNCTION real subtract(real a, real b) {
    return each([&](int i) { return pd::opaque(a.v[i] - b.v[i]); });
}
POLYROPE_LEVEL_FUNCTION float negate_one(float a) {
    return pd::bit_copy<float>(pd::bit_copy<std::uint32_t>(a) ^ 0x80000000u);
}
POLYROPE_LEVEL_FUNCTION real negate(real a) {
    return each([&](int i) { return negate_one(a.v[i]); });
}
POLYROPE_LEVEL_FUNCTION real fused_subtract(real a, real b, real c) { return fma(a, b, negate(c)); }
POLYROPE_LEVEL_FUNCTION real round_even(real a) {
    return each([&](int i) { return pd::round_even(a.v[i]); });
}
POLYROPE_LEVEL_FUNCTION wide round_even(wide a) { return {{pd::round_even(a.v[0]), pd::round_even(a.v[1])}}; }
POLYROPE_LEVEL_FUNCTION integer to_integer(real a) {
    integer q;
    for (int i = 0; i < 4; ++i) q.v[i] = static_cast<std::int32_t>(a.v[i]);
    return q;
}
POLYROPE_LEVEL_FUNCTION real smaller(real a, real b) {
    return each([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
POLYROPE_LEVEL_FUNCTION real larger(real a, real b) {
    return each([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
POLYROPE_LEVEL_FUNCTION real magnitude(real a) {
    return each([&](int i) { return pd::bit_copy<float>(pd::bit_copy<std::uint32_t>(a.v[i]) & 0x7fffffffu); });
}
POLYROPE_LEVEL_FUNCTION real with_sign_of(real a, real b) {
    return each([&](int i) {
        return pd::bit_copy<float>(pd::bit_copy<std::uint32_t>(a.v[i]) |
                                   (pd::bit_copy<std::uint32_t>(b.v[i]) & 0x80000000u));
    });
}
POLYROPE_LEVEL_FUNCTION real times_power_of_two(real a, integer n) {
    return each([&](int i) {
        return pd::bit_copy<float>(pd::bit_copy<std::uint32_t>(a.v[i]) + (static_cast<std::uint32_t>(n.v[i]) << 23));
    });
}
POLYROPE_LEVEL_FUNCTION real first_reciprocal(real a) {
    return each([&](int i) { return pd::bit_copy<float>(0x7ef311c7u - pd::bit_copy<std::uint32_t>(a.v[i])); });
}
POLYROPE_LEVEL_FUNCTION void quadrant(integer q, real sine, real cosine, real& s, real& c) {
    for (int i = 0; i < 4; ++i) {
        const float a = (q.v[i] & 1) != 0 ? cosine.v[i] : sine.v[i], b = (q.v[i] & 1) != 0 ? sine.v[i] : cosine.v[i];
        s.v[i] = (q.v[i] & 2) != 0 ? negate_one(a) : a;
        c.v[i] = ((q.v[i] + 1) & 2) != 0 ? negate_one(b) : b;
    }
}
POLYROPE_LEVEL_FUNCTION wide widen_low(real a) { return {{a.v[0], a.v[1]}}; }
POLYROPE_LEVEL_FUNCTION wide widen_high(real a) { return {{a.v[2], a.v[3]}}; }
POLYROPE_LEVEL_FUNCTION real narrow(wide low, wide high) {
    return {{static_cast<float>(low.v[0]), static_cast<float>(low.v[1]), static_cast<float>(high.v[0]),
             static_cast<float>(high.v[1])}};
}
// Whole numbers below 2^51 modulo 2^32.
POLYROPE_LEVEL_FUNCTION std::int32_t narrow_one(double a) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(a));
}
POLYROPE_LEVEL_FUNCTION integer narrow_integer(wide low, wide high) {
    return {{narrow_one(low.v[0]), narrow_one(low.v[1]), narrow_one(high.v[0]), narrow_one(high.v[1])}};
}
POLYROPE_LEVEL_FUNCTION real pick(const float* at, const std::int32_t* axis) {
    return each([&](int i) { return at[axis[i]]; });
}
POLYROPE_LEVEL_FUNCTION real choose_axis(const std::int32_t* axis, int a, real yes, real no) {
    return each([&](int i) { return axis[i] == a ? yes.v[i] : no.v[i]; });
}
POLYROPE_LEVEL_FUNCTION real canonical(real a) {
    return each([&](int i) {
        const auto bits = pd::bit_copy<std::uint32_t>(a.v[i]);
        return (bits & 0x7fffffffu) > 0x7f800000u ? pd::bit_copy<float>(std::uint32_t{0x7fc00000u}) : a.v[i];
    });
}
POLYROPE_LEVEL_FUNCTION void deinterleave(real a, real b, real& even, real& odd) {
    even = {{a.v[0], a.v[2], b.v[0], b.v[2]}};
    odd = {{a.v[1], a.v[3], b.v[1], b.v[3]}};
}
POLYROPE_LEVEL_FUNCTION void double_up(real a, real& low, real& high) {
    low = {{a.v[0], a.v[0], a.v[1], a.v[1]}};
    high = {{a.v[2], a.v[2], a.v[3], a.v[3]}};
}
POLYROPE_LEVEL_FUNCTION real swap_neighbours(real a) { return {{a.v[1], a.v[0], a.v[3], a.v[2]}}; }
POLYROPE_LEVEL_FUNCTION real negate_even(real a) { return {{negate_one(a.v[0]), a.v[1], negate_one(a.v[2]), a.v[3]}}; }

POLYROPE_LEVEL_FUNCTION real load_float16(const f16* p) {
    return each([&](int i) { return p[i].value(); });
}
POLYROPE_LEVEL_FUNCTION void store_float16(f16* p, real a) {
    for (int i = 0; i < 4; ++i) p[i] = f16::from(a.v[i]);
}
POLYROPE_LEVEL_FUNCTION real round_float16(real a) {
    return each([&](int i) { return f16::from(a.v[i]).value(); });
}
POLYROPE_LEVEL_FUNCTION void load_bfloat16(const bf16* p, real& even, real& odd) {
    even = each([&](int i) { return p[2 * i].value(); });
    odd = each([&](int i) { return p[2 * i + 1].value(); });
}
POLYROPE_LEVEL_FUNCTION void store_bfloat16(bf16* p, real even, real odd) {
    for (int i = 0; i < 4; ++i) {
        p[2 * i] = bf16::from(even.v[i]);
        p[2 * i + 1] = bf16::from(odd.v[i]);
    }
}
POLYROPE_LEVEL_FUNCTION real round_bfloat16(real a) {
    return each([&](int i) { return bf16::from(a.v[i]).value(); });
}
