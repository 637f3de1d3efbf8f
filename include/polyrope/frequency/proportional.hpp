#pragma once
// Part of the pairs at the frequencies of the whole head, the rest standing still: the first `rotating` share of them
// take theta^(-2 l / rotary_dim), where a partial rotation would count over the rotating channels alone. Gemma 4,
// global layers; tested against Hugging Face transformers v5.15.0 (`proportional`). rotary_dim is the whole head's
// width.
//
//     theta 10000, rotating 0.5, factor 1, rotary_dim 8:   1   0.1   0   0

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct proportional {
    double theta;
    double rotating;      ///< share of the pairs, partial_rotary_factor: 0 to 1
    double factor = 1.0;  ///< divides every frequency

    [[nodiscard]] status validate(index_t) const noexcept {
        if (const status s = detail::check_theta(theta); !s.ok()) return s;
        if (const status s = detail::check_positive(rotating, operand::partial_rotary_factor); !s.ok()) return s;
        if (rotating > 1.0) return {errc::parameter_too_large, operand::partial_rotary_factor, 0, 1, 0};
        return detail::check_positive(factor, operand::factor);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        const double pairs =
            detail::libm::floor(detail::quotient(detail::product(rotating, static_cast<double>(rotary_dim)), 2.0));
        if (static_cast<double>(l) >= pairs) return 0.0;
        return detail::quotient(detail::geometric_frequency(theta, l, rotary_dim), factor);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
