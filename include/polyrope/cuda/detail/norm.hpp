#pragma once
// RMSNorm of a head in front of its rotation: x * rsqrt(mean(x^2) + epsilon) * w, or * (1 + w). Zhang and Sennrich,
// arXiv:1910.07467; per head as in Qwen3 and Gemma 3.
//
// Every lane of a head adds the squares of its own channels in order, and the lanes' sums are added in a butterfly, which
// gives each lane the same bits. Square root and reciprocal are rounded correctly, so that no compiler flag changes them.
// Under rounding::once all is float32 until the rotated value is rounded; the other roundings round the normalised value
// and its product with the weight as the frameworks do, which keep 1 + w in float32 and round once.

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

/// Factor of a head whose squares add up to `total`.
POLYROPE_DEVICE_FUNCTION float norm_factor(float total, std::int32_t head_dim, float epsilon) {
#if defined(__CUDA_ARCH__)
    const float share = __frcp_rn(static_cast<float>(head_dim));
#else
    const float share = 1.0f / pd::scalar::opaque(static_cast<float>(head_dim));
#endif
    return reciprocal_root(pd::scalar::fma(total, share, epsilon));
}

template <class T, int Count>
POLYROPE_DEVICE_FUNCTION void normalise(rounding how, bool plus_one, float factor, const float (&weight)[Count],
                                        float (&x)[Count]) {
    constexpr element kind = element_traits<T>::kind;
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Count; ++i) {
        const float w = plus_one ? pd::scalar::add(1.0f, weight[i]) : weight[i];
        float y = pd::scalar::multiply(x[i], factor);
        if (how != rounding::once && !plus_one) y = pd::scalar::round_to(kind, y);
        y = pd::scalar::multiply(y, w);
        x[i] = how == rounding::once ? y : pd::scalar::round_to(kind, y);
    }
}

}  // namespace cuda::detail
POLYROPE_END
