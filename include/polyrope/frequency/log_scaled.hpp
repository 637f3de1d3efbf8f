#pragma once
// Frequencies whose logarithm is divided by one number, theta^(-2 l / (d * scale)): the canonical tables of GRAPE,
// Zhang et al., "Group Representational Position Encoding", arXiv:2512.07805. Tested against JJJYmmm/Multimodal-RoPEs
// at cd413b9, over allocation::chunked and over allocation::interleaved with `thirds`.
//
//     theta 10000, scale 2, rotary_dim 8:   1   0.31623   0.1   0.031623

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct log_scaled {
    double theta;
    double log_freq_scale;

    [[nodiscard]] status validate(index_t) const noexcept {
        if (const status s = detail::check_theta(theta); !s.ok()) return s;
        return detail::check_positive(log_freq_scale, operand::log_freq_scale);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return detail::power(theta, detail::quotient(static_cast<double>(-2 * l),
                                                     detail::product(static_cast<double>(rotary_dim), log_freq_scale)));
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
