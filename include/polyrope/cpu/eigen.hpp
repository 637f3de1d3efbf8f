#pragma once
// The same rotation for any Eigen scalar: float, double, long double and automatic differentiation. The portable
// backend and a readable oracle: angles are formed in float64 or wider, and the arithmetic is that of the scalar, so it
// shows the formula and not the rounding of an engine. Optional: needs Eigen 3.4.

#include <cmath>
#include <type_traits>

#include <Eigen/Core>

#include "polyrope/core/views.hpp"
#include "polyrope/rotary/direction.hpp"
#include "polyrope/rotary/rotary.hpp"

POLYROPE_BEGIN
namespace cpu {
namespace eigen {

/// Cosines and sines [pairs] of one token and head group, times the attention scaling.
template <class Scalar>
struct row {
    Eigen::Array<Scalar, Eigen::Dynamic, 1> cos, sin;
};

/// The row of a token with coordinates at[0 .. axes). Angles are long double for a long double scalar, else double.
template <class Scalar, class P>
[[nodiscard]] row<Scalar> row_of(const rotary& rope, const P* at, index_t group = 0) {
    using angle_type = std::conditional_t<std::is_same_v<Scalar, long double>, long double, double>;
    row<Scalar> r;
    r.cos.resize(rope.pairs());
    r.sin.resize(rope.pairs());
    for (index_t l = 0; l < rope.pairs(); ++l) {
        const pair_frequency& pair = rope.frequencies().at(group, l);
        angle_type angle = 0;
        if (pair.which != axis_none) {
            const auto position = at[static_cast<int>(pair.which)];
            angle = rope.angle() == phase::exact
                        ? static_cast<angle_type>(position) * static_cast<angle_type>(pair.frequency)
                        : static_cast<angle_type>(static_cast<float>(position) * pair.inv_freq);
        }
        const auto scaling = static_cast<angle_type>(rope.frequencies().attention_scaling());
        r.cos[l] = static_cast<Scalar>(std::cos(angle) * scaling);
        r.sin[l] = static_cast<Scalar>(std::sin(angle) * scaling);
    }
    return r;
}

/// Turns one head of head_dim contiguous channels by a row.
template <class Scalar>
void turn_head(pairing paired, const row<Scalar>& by, Scalar* head) {
    using stride = Eigen::InnerStride<>;
    using channels = Eigen::Map<Eigen::Array<Scalar, Eigen::Dynamic, 1>, 0, stride>;
    // Blocks one after the other; blocks of two channels are one run of neighbours.
    const index_t pairs = by.cos.size();
    const bool neighbours = paired == pairing::adjacent;
    const index_t half = neighbours ? pairs : paired.block(2 * pairs) / 2;
    for (index_t l = 0; l < pairs; l += half) {
        const stride step(neighbours ? 2 : 1);
        channels x(head + first_channel(paired, l), half, step),
            y(head + second_channel(paired, l, 2 * pairs), half, step);
        const auto c = by.cos.segment(l, half), s = by.sin.segment(l, half);
        const Eigen::Array<Scalar, Eigen::Dynamic, 1> turned = x * c - y * s;
        y = y * c + x * s;
        x = turned;
    }
}

/// Turns heads [tokens, heads, head_dim] in place by positions [axes, tokens].
template <class Scalar, class P>
status rotate(const rotary& rope, positions_view<P> positions, heads_view<Scalar> heads,
              direction way = direction::forward) {
    if (heads.empty()) return {};
    if (rope.rotary_dim() > heads.head_dim)
        return {errc::rotary_dim_too_large, operand::q, 0, heads.head_dim, rope.rotary_dim()};
    if (positions.axes != rope.axes())
        return {errc::axis_count_mismatch, operand::positions, 0, rope.axes(), positions.axes};
    if (positions.tokens != heads.tokens)
        return {errc::extent_mismatch, operand::positions, 1, heads.tokens, positions.tokens};
    const index_t groups = rope.frequencies().groups();
    for (index_t n = 0; n < heads.tokens; ++n) {
        std::remove_const_t<P> at[max_axes] = {};
        for (int a = 0; a < rope.axes(); ++a) at[a] = positions.at(a, n);
        for (index_t group = 0; group < groups; ++group) {
            row<Scalar> by = row_of<Scalar>(rope, at, group);
            if (way != direction::forward) by.sin = -by.sin;
            if (way == direction::undo) {
                const auto square = static_cast<Scalar>(rope.frequencies().attention_scaling() *
                                                        rope.frequencies().attention_scaling());
                by.cos /= square;
                by.sin /= square;
            }
            for (index_t m = 0; m < heads.heads; ++m)
                if (rope.frequencies().group_of(m, heads.heads) == group) turn_head(rope.paired(), by, heads.at(n, m));
        }
    }
    return {};
}

}  // namespace eigen
}  // namespace cpu
POLYROPE_END
