#pragma once
// Two partial softmax answers to one query as one, number by number: what merge_states does on the host and a kernel
// may do on the GPU, with the same bits.
//
//     output = (e^a x + e^b y) / (e^a + e^b)      log_sum_exp = log(e^a + e^b)      a, b the two log-sum-exps
//
// An answer over no keys has the log-sum-exp -infinity and does not count, whatever its channels hold; every other
// log-sum-exp is finite. Weights are right to 3e-7, the log-sum-exp to 1.5e-7 of the larger of 1 and itself.
// Milakov and Gimelshein, arXiv:1805.02867.

#include <cmath>

#include "polyrope/core/exponential.hpp"

POLYROPE_BEGIN
namespace detail {

/// Read from the bits: stays true to itself under -ffast-math.
[[nodiscard]] POLYROPE_HOST_DEVICE inline bool is_no_state(float log_sum_exp) noexcept {
    return bit_copy<std::uint32_t>(log_sum_exp) == 0xff800000u;
}
[[nodiscard]] POLYROPE_HOST_DEVICE inline bool is_no_state(double log_sum_exp) noexcept {
    return bit_copy<std::uint64_t>(log_sum_exp) == 0xfff0000000000000u;
}

/// What the two answers weigh, own + other = 1, and the log-sum-exp of both.
template <class T>
struct merge_weights {
    T own, other, log_sum_exp;
};

inline namespace POLYROPE_AMBIENT {

[[nodiscard]] POLYROPE_LEVEL_FUNCTION merge_weights<float> weights_of(float own, float other) {
    if (is_no_state(other)) return {1.0f, 0.0f, own};
    if (is_no_state(own)) return {0.0f, 1.0f, other};
    const float highest = other > own ? other : own;
    const float x = scalar::exp(scalar::subtract(own, highest)), y = scalar::exp(scalar::subtract(other, highest));
    const float sum = scalar::add(x, y), inverse = scalar::reciprocal(sum);
    return {scalar::multiply(x, inverse), scalar::multiply(y, inverse), scalar::add(highest, scalar::log(sum))};
}

/// The same in double, for oracles on the host: by the mathematical library, and bound to no bits.
[[nodiscard]] inline merge_weights<double> weights_of(double own, double other) noexcept {
    if (is_no_state(other)) return {1.0, 0.0, own};
    if (is_no_state(own)) return {0.0, 1.0, other};
    const double highest = other > own ? other : own;
    const double x = std::exp(own - highest), y = std::exp(other - highest), sum = x + y;
    return {x / sum, y / sum, highest + std::log(sum)};
}

/// One channel of both. An answer that weighs nothing is not read.
template <class T>
[[nodiscard]] POLYROPE_LEVEL_FUNCTION T merged_channel(const merge_weights<T>& weights, T own, T other) {
    if (!(weights.other > T(0))) return own;
    if (!(weights.own > T(0))) return other;
    return fma(weights.own, own, scalar::multiply(weights.other, other));
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
