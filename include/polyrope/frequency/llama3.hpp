#pragma once
// The scaling of Llama 3.1: wavelengths past the original length over low_freq_factor are divided by `factor`, those
// within it over high_freq_factor stay, those between are blended by wavelength. Grattafiori et al., "The Llama 3 Herd
// of Models", arXiv:2407.21783; tested against Hugging Face transformers v4.57.6 and v5.15.0 (`llama3`).

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct llama3 {
    double theta;
    double factor;
    double low_freq_factor;
    double high_freq_factor;
    index_t original_length;  ///< tokens

    [[nodiscard]] status validate(index_t) const noexcept {
        if (const status s = detail::check_theta(theta); !s.ok()) return s;
        if (const status s = detail::check_positive(factor, operand::factor); !s.ok()) return s;
        if (const status s = detail::check_positive(low_freq_factor, operand::low_freq_factor); !s.ok()) return s;
        if (const status s = detail::check_positive(high_freq_factor, operand::high_freq_factor); !s.ok()) return s;
        if (!(high_freq_factor > low_freq_factor)) return {errc::bounds_crossed, operand::high_freq_factor, 0, 0, 0};
        return detail::check_length(original_length, operand::original_length);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        const double plain = detail::geometric_frequency(theta, l, rotary_dim);
        const auto length = static_cast<double>(original_length);
        const double wavelength = detail::quotient(6.283185307179586, plain);
        if (wavelength < detail::quotient(length, high_freq_factor)) return plain;
        const double divided = detail::quotient(plain, factor);
        if (wavelength > detail::quotient(length, low_freq_factor)) return divided;
        const double kept = detail::quotient(detail::difference(detail::quotient(length, wavelength), low_freq_factor),
                                             detail::difference(high_freq_factor, low_freq_factor));
        return detail::sum(detail::product(detail::difference(1.0, kept), divided), detail::product(kept, plain));
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
