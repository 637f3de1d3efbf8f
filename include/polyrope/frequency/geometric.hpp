#pragma once
// The geometric spectrum: frequency of pair l = theta^(-2 l / rotary_dim), the highest first. Su et al., RoFormer,
// arXiv:2104.09864, section 3.2.2; tested against the inv_freq of Hugging Face transformers (`default` of its rope
// types).
//
//     theta 10000, rotary_dim 8:   1   0.1   0.01   0.001
//
// One power in double per pair, rounded to float32 once: within 1 unit of the correctly rounded value. The reference
// forms exponent and power in float32 and can be 3 units away, 1e-3 radian at position 31000; to match it bit for bit,
// hand in its own numbers (explicit_frequencies).

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct geometric {
    double theta;

    [[nodiscard]] status validate(index_t) const noexcept { return detail::check_theta(theta); }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return detail::geometric_frequency(theta, l, rotary_dim);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return 1.0; }
};

}  // namespace spectrum

POLYROPE_END
