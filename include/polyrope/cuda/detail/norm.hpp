#pragma once
// RMSNorm of a head in front of its rotation: x * rsqrt(mean(x^2) + epsilon) * w, or * (1 + w). Zhang and Sennrich,
// arXiv:1910.07467; per head as in Qwen3 and Gemma 3.
//
// Every lane of a head adds the squares of its own channels in order, and the lanes' sums are added in a butterfly,
// which gives each lane the same bits. Square root and reciprocal are rounded correctly, so that no compiler flag
// changes them. Under rounding::once all is float32 until the rotated value is rounded; the other roundings round the
// normalised value and its product with the weight as the frameworks do, which keep 1 + w in float32 and round once.

#include <cmath>

#include "polyrope/cuda/detail/channels.hpp"
#include "polyrope/rotary/rotation.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

template <int Count>
POLYROPE_DEVICE_FUNCTION float add_squares(const float (&x)[Count], float sum) {
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Count; ++i) sum = pd::scalar::fma(x[i], x[i], sum);
    return sum;
}

POLYROPE_DEVICE_FUNCTION float reciprocal_root(float x) {
#if defined(__CUDA_ARCH__)
    return __frcp_rn(__fsqrt_rn(x));
#else
    return 1.0f / pd::scalar::opaque(std::sqrt(x));
#endif
}

/// Factor of a head whose squares add up to `total`; `share` is 1 / head_dim.
POLYROPE_DEVICE_FUNCTION float norm_factor(float total, float share, float epsilon) {
    return reciprocal_root(pd::scalar::fma(total, share, epsilon));
}

template <class T, int Count>
POLYROPE_DEVICE_FUNCTION void normalise(rounding how, bool plus_one, float factor, float (&weight)[Count],
                                        float (&x)[Count]) {
    constexpr element kind = element_traits<T>::kind;
    if (plus_one) {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < Count; ++i) weight[i] = pd::scalar::add(1.0f, weight[i]);
    }
    if (how == rounding::once) {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < Count; ++i) x[i] = pd::scalar::multiply(pd::scalar::multiply(x[i], factor), weight[i]);
        return;
    }
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Count; ++i) {
        const float y = pd::scalar::multiply(x[i], factor);
        x[i] =
            pd::scalar::round_to(kind, pd::scalar::multiply(plus_one ? y : pd::scalar::round_to(kind, y), weight[i]));
    }
}

}  // namespace cuda::detail
POLYROPE_END
