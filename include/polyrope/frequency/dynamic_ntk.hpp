#pragma once
// Dynamic NTK scaling: the base grows with the sequence once it is longer than the model's original length L0, as
// theta * (factor * L / L0 - (factor - 1))^(d / (d - 2)), and is theta up to there. emozilla, "Dynamically Scaled RoPE"
// (2023); tested against Hugging Face transformers v4.57.6 and v5.15.0 (`dynamic`), which make a new table when
// table_length says so. vLLM makes one table for good, of length factor * L0.
//
//     spectrum::dynamic_ntk rule{10000.0, 2.0, 4096};
//     make_frequency_table(sections, rule.at_length(8192), 128, pairing::half_split)      8192 tokens: base 30527.6

#include "polyrope/frequency/at_length.hpp"
#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct dynamic_ntk {
    double theta;
    double factor;
    index_t original_length;  ///< tokens

    /// The spectrum of a sequence of so many tokens.
    [[nodiscard]] of_length<dynamic_ntk> at_length(index_t tokens) const noexcept { return {*this, tokens}; }

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept {
        if (const status s = detail::check_length(original_length, operand::original_length); !s.ok()) return s;
        return detail::check_stretch(theta, factor, operand::factor, rotary_dim);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim, index_t tokens) const noexcept {
        if (tokens <= original_length) return detail::geometric_frequency(theta, l, rotary_dim);
        const double longer = detail::quotient(detail::product(factor, static_cast<double>(tokens)),
                                               static_cast<double>(original_length));
        const double stretch = detail::difference(longer, detail::difference(factor, 1.0));
        return detail::geometric_frequency(detail::stretched_base(theta, stretch, rotary_dim), l, rotary_dim);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
