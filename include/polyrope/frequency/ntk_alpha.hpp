#pragma once
// NTK-aware scaling with a fixed alpha: a larger base, theta * alpha^(d / (d - 2)), from position 0 on, whatever the
// length, so that the fastest pair keeps its frequency and the slowest is divided by alpha. bloc97, "NTK-Aware Scaled
// RoPE" (2023); HunyuanOCR with alpha 1000. Tested against vLLM (May 2026, fork commit 28be48f,
// DynamicNTKAlphaRotaryEmbedding) and Hugging Face transformers v5.15.0 (HunYuanVLRotaryEmbedding). d is rotary_dim;
// the Hugging Face class rotates whole heads whatever partial_rotary_factor says: hand it head_dim as rotary_dim to
// follow.
//
//     theta 10000, alpha 1000, rotary_dim 8:   1   0.01   0.0001   0.000001

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct ntk_alpha {
    double theta;
    double alpha;

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept {
        return detail::check_stretch(theta, alpha, operand::alpha, rotary_dim);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return detail::geometric_frequency(detail::stretched_base(theta, alpha, rotary_dim), l, rotary_dim);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
