#pragma once
// Linear scaling: positions `factor` times as dense, that is, every frequency divided by it. Chen et al., Position
// Interpolation, arXiv:2306.15595; tested against Hugging Face transformers v5.15.0 (`linear`).
//
//     theta 10000, factor 4, rotary_dim 8:   0.25   0.025   0.0025   0.00025

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct linear {
    double theta;
    double factor;

    [[nodiscard]] status validate(index_t) const noexcept {
        if (const status s = detail::check_theta(theta); !s.ok()) return s;
        return detail::check_positive(factor, operand::factor);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return detail::quotient(detail::geometric_frequency(theta, l, rotary_dim), factor);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
