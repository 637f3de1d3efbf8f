#pragma once
// The rotation once more, one number at a time, written from the definitions of rotary/rounding.hpp and
// rotary/direction.hpp without any of the library's rotation code: conversions by arithmetic on doubles, products and
// sums that no compiler can fuse. Only the sine and cosine of one pair are the library's scalar ones; tests/rotary
// holds those against long double.

#include <cmath>
#include <vector>

#include "polyrope/core/sincos.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "random.hpp"

namespace polyrope::test {

/// `v` on the grid of a binary format, as a double: `digits` significant bits, no step below 2^least, ties to even.
inline double on_grid(double v, int digits, int least) {
    if (v == 0.0 || !std::isfinite(v)) return v;
    int exponent = 0;
    std::frexp(v, &exponent);
    const int step = exponent - digits > least ? exponent - digits : least;
    return std::ldexp(std::nearbyint(std::ldexp(v, -step)), step);
}

template <class T>
struct format;
template <>
struct format<float> {
    static double value(float v) { return static_cast<double>(v); }
    static float nearest(double v) { return static_cast<float>(v); }
    static double unit(double v) {
        int exponent = 0;
        std::frexp(v, &exponent);
        return std::ldexp(1.0, exponent - 24 > -149 ? exponent - 24 : -149);
    }
};
template <>
struct format<bf16> {
    static double value(bf16 v) {
        return static_cast<double>(detail::bit_copy<float>(static_cast<std::uint32_t>(v.bits) << 16));
    }
    static bf16 nearest(double v) {
        if (std::isnan(v)) return {0x7fc0u};
        return {static_cast<std::uint16_t>(bits_of(static_cast<float>(on_grid(v, 8, -133))) >> 16)};
    }
    static double unit(double v) {
        int exponent = 0;
        std::frexp(v, &exponent);
        return std::ldexp(1.0, exponent - 8 > -133 ? exponent - 8 : -133);
    }
};
template <>
struct format<f16> {
    static double value(f16 v) {
        const int exponent = (v.bits >> 10) & 31, fraction = v.bits & 1023;
        const double sign = (v.bits & 0x8000u) != 0 ? -1.0 : 1.0;
        if (exponent == 31) return fraction != 0 ? std::nan("") : sign * static_cast<double>(INFINITY);
        return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
    }
    static f16 nearest(double v) {
        if (std::isnan(v)) return {0x7e00u};
        const unsigned sign = std::signbit(v) ? 0x8000u : 0u;
        const double g = std::fabs(on_grid(v, 11, -24));
        if (g >= 65536.0) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
        if (g < 0x1p-14) return {static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(g, 24)))};
        int exponent = 0;
        const double fraction = std::frexp(g, &exponent);  // [1/2, 1)
        return {static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent + 14) << 10) |
                                           (static_cast<unsigned>(std::ldexp(fraction, 11)) - 1024u))};
    }
    static double unit(double v) {
        int exponent = 0;
        std::frexp(v, &exponent);
        return std::ldexp(1.0, exponent - 11 > -24 ? exponent - 11 : -24);
    }
};

/// One rounding to float32 each, whatever the compiler would like to fuse.
inline float times(float a, float b) {
    volatile float product = a * b;
    return product;
}
inline float plus(float a, float b) {
    volatile float sum = a + b;
    return sum;
}
inline float minus(float a, float b) {
    volatile float difference = a - b;
    return difference;
}

/// Cosine and sine of a pair.
struct turn {
    float c = 1.0f, s = 0.0f;
};

/// The turn of position `p`. A number that a float holds is taken as it is up to 2^24; otherwise whole blocks of 65536
/// are taken apart past 2^20, and what a float loses of the rest.
inline turn turn_at(phase angle, const pair_frequency& pair, double p) {
    namespace scalar = detail::scalar;
    turn t;
    if (pair.which == axis_none) return t;
    if (angle == phase::float32) {
        scalar::sincos_radians(times(static_cast<float>(p), pair.inv_freq), t.s, t.c);
        return t;
    }
    const double whole = std::trunc(p);
    const bool held = static_cast<double>(static_cast<float>(p)) == p && std::fabs(p) <= 16777216.0;
    const double many = held || std::fabs(whole) <= 1048576.0 ? 0.0 : std::floor((whole + 32768.0) / 65536.0);
    const double left = p - many * 65536.0;
    const auto low = static_cast<float>(left);
    const auto rest = static_cast<float>(left - static_cast<double>(low));
    scalar::sincos_turns_split(static_cast<float>(many), low, rest, pair.turns_hi, pair.turns_lo, pair.wrapped_hi,
                               pair.wrapped_lo, t.s, t.c);
    return t;
}

/// The same, scaled and turned the way that is asked for.
inline turn scaled(turn t, double attention_scaling, direction way) {
    const auto scaling = static_cast<float>(attention_scaling);
    const float factor = way == direction::undo ? 1.0f / scaling : scaling;
    t.c = times(t.c, factor);
    t.s = times(t.s, factor);
    if (way != direction::forward) t.s = -t.s;
    return t;
}

template <class T>
float cast(float v) {
    return static_cast<float>(format<T>::value(format<T>::nearest(static_cast<double>(v))));
}

/// (x, y) turned by t under a rounding.
template <class T>
void turn_pair(rounding how, T& x_io, T& y_io, turn t) {
    const auto x = static_cast<float>(format<T>::value(x_io)), y = static_cast<float>(format<T>::value(y_io));
    if (how == rounding::table_cast_float32 || how == rounding::table_cast_each) t = {cast<T>(t.c), cast<T>(t.s)};
    float first = 0.0f, second = 0.0f;
    if (how == rounding::once) {
        first = std::fma(x, t.c, -times(y, t.s));
        second = std::fma(y, t.c, times(x, t.s));
    } else {
        float xc = times(x, t.c), ys = times(y, t.s), yc = times(y, t.c), xs = times(x, t.s);
        if (how == rounding::table_cast_each) {
            xc = cast<T>(xc);
            ys = cast<T>(ys);
            yc = cast<T>(yc);
            xs = cast<T>(xs);
        }
        first = minus(xc, ys);
        second = plus(yc, xs);
    }
    x_io = format<T>::nearest(static_cast<double>(first));
    y_io = format<T>::nearest(static_cast<double>(second));
}

/// Positions [axes, tokens] as doubles, one row per axis.
struct positions_table {
    index_t axes = 0, tokens = 0;
    std::vector<double> at;
    [[nodiscard]] double operator()(index_t a, index_t n) const { return at[static_cast<std::size_t>(a * tokens + n)]; }
    [[nodiscard]] double& operator()(index_t a, index_t n) { return at[static_cast<std::size_t>(a * tokens + n)]; }
};

/// What rotate leaves in `to`, tokens [begin, end): `from` and `to` may be one buffer. `turn_of(group, l, n)` is the
/// turn of pair l of token n, scaled.
template <class T, class TurnOf>
void turn_heads(const rotary& rope, heads_view<const T> from, heads_view<T> to, index_t begin, index_t end,
                cpu::slot_list slots, cpu::head_shard shard, TurnOf turn_of) {
    const index_t all = shard.all == 0 ? from.heads : shard.all;
    for (index_t n = begin; n < end; ++n) {
        const index_t place = slots.slots == nullptr ? n : slots.slots[n];
        if (place < 0) continue;
        for (index_t m = 0; m < from.heads; ++m) {
            const T* source = from.data + place * from.token_stride + m * from.head_stride;
            T* target = to.data + place * to.token_stride + m * to.head_stride;
            for (index_t i = rope.rotary_dim(); i < from.head_dim; ++i) target[i] = source[i];
            const index_t group = (shard.first + m) * rope.frequencies().groups() / all;
            for (index_t l = 0; l < rope.pairs(); ++l) {
                const index_t block = rope.paired().block(rope.rotary_dim());
                const index_t i = l / (block / 2) * block + l % (block / 2), j = i + block / 2;
                T x = source[i], y = source[j];
                turn_pair<T>(rope.round(), x, y, turn_of(group, l, n));
                target[i] = x;
                target[j] = y;
            }
        }
    }
}

/// The same with turns from positions.
template <class T>
void turn_by_positions(const rotary& rope, const positions_table& positions, heads_view<const T> from, heads_view<T> to,
                       index_t begin, index_t end, cpu::slot_list slots = {}, cpu::head_shard shard = {},
                       direction way = direction::forward) {
    turn_heads<T>(rope, from, to, begin, end, slots, shard, [&](index_t group, index_t l, index_t n) {
        const pair_frequency& pair = rope.frequencies().at(group, l);
        const double p = pair.which == axis_none ? 0.0 : positions(static_cast<index_t>(pair.which), n);
        return scaled(turn_at(rope.angle(), pair, p), rope.frequencies().attention_scaling(), way);
    });
}

/// Levels that run on this machine.
inline std::vector<cpu::level> levels_here() {
    std::vector<cpu::level> all;
    for (const cpu::level l : {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon})
        if (cpu::supports(l)) all.push_back(l);
    return all;
}

/// The first element where two buffers differ, or -1.
template <class T>
index_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same(a[i], b[i])) return static_cast<index_t>(i);
    return -1;
}

}  // namespace polyrope::test
