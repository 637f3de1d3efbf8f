#pragma once
// RMSNorm of each head of q and k, as models with QK-norm have in front of the rotation.

#include "polyrope/config.hpp"

#include <cstdint>

POLYROPE_BEGIN
namespace cuda {

/// What the normalised value is multiplied with: the weight, or 1 + weight (Gemma, Qwen3.5).
enum class norm_weight : std::uint8_t { plain, plus_one };

/// Weights [head_dim] in device memory; null: that operand is not normalised.
template <class T>
struct head_norm {
    const T* q = nullptr;
    const T* k = nullptr;
    float epsilon = 1e-6f;
    norm_weight weight = norm_weight::plain;
};

}  // namespace cuda
POLYROPE_END
