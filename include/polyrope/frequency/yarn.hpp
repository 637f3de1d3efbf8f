#pragma once
// YaRN: pairs that turn often within the original length keep their frequency, pairs that turn less than once are
// divided by `factor`, and those between are blended; the attention scaling grows with the logarithm of the factor.
// Peng et al., arXiv:2309.00071; tested against Hugging Face transformers v4.57.6 and v5.15.0 (`yarn`) and vLLM (May
// 2026, fork commit 28be48f), which with mrope_section looks up the blend at four times the original length
// (correction_length). The blend goes by pair index, whatever axis a pair follows.
//
//     spectrum::yarn long_context{5e6, 3.0, 262144};     // Qwen3-VL at 3 x 256k: attention scaling 0.1 ln 3 + 1
//     long_context.correction_length = 4 * 262144;       // vLLM's

#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

struct yarn {
    double theta;
    double factor;
    index_t original_length;        ///< tokens
    double beta_fast = 32.0;        ///< turns within the original length from which a pair keeps its frequency
    double beta_slow = 1.0;         ///< turns up to which it is divided by the factor
    double attention_factor = 0.0;  ///< the attention scaling; 0: worked out from factor and the two scales below
    double mscale = 0.0;            ///< counts only together with mscale_all_dim, both not 0
    double mscale_all_dim = 0.0;
    bool truncate = true;           ///< the ends of the blend are whole pairs
    index_t correction_length = 0;  ///< tokens, that the ends of the blend are found with; 0: the original length

    [[nodiscard]] status validate(index_t) const noexcept {
        if (!detail::is_finite(theta) || !(theta > 1.0)) return {errc::parameter_invalid, operand::rope_theta, 0, 1, 0};
        if (const status s = detail::check_positive(factor, operand::factor); !s.ok()) return s;
        if (const status s = detail::check_length(original_length, operand::original_length); !s.ok()) return s;
        if (correction_length != 0)
            if (const status s = detail::check_length(correction_length, operand::correction_length); !s.ok()) return s;
        if (const status s = detail::check_positive(beta_fast, operand::beta_fast); !s.ok()) return s;
        if (const status s = detail::check_positive(beta_slow, operand::beta_slow); !s.ok()) return s;
        if (beta_fast < beta_slow) return {errc::bounds_crossed, operand::beta_fast, 0, 0, 0};
        return {};
    }

    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        const double plain = detail::geometric_frequency(theta, l, rotary_dim);
        const double slow = slowness(l, rotary_dim);
        return detail::sum(detail::product(detail::quotient(plain, factor), slow),
                           detail::product(plain, detail::difference(1.0, slow)));
    }

    [[nodiscard]] double attention_scaling() const noexcept {
        if (attention_factor != 0.0) return attention_factor;
        if (mscale != 0.0 && mscale_all_dim != 0.0) return detail::quotient(scale(mscale), scale(mscale_all_dim));
        return scale(1.0);
    }

    /// How far pair l is blended towards the divided frequency, from 0 to 1.
    [[nodiscard]] double slowness(index_t l, index_t rotary_dim) const noexcept {
        double first = pair_that_turns(beta_fast, rotary_dim), last = pair_that_turns(beta_slow, rotary_dim);
        if (truncate) first = detail::libm::floor(first), last = detail::libm::ceil(last);
        if (first < 0.0) first = 0.0;
        if (last > static_cast<double>(rotary_dim - 1)) last = static_cast<double>(rotary_dim - 1);
        // As in the references, where both ends meet: a step.
        if (first == last) last = detail::sum(last, 0.001);
        const double ramp =
            detail::quotient(detail::difference(static_cast<double>(l), first), detail::difference(last, first));
        return ramp < 0.0 ? 0.0 : ramp > 1.0 ? 1.0 : ramp;
    }

private:
    /// The pair, as a real number, that turns `turns` times within the correction length.
    [[nodiscard]] double pair_that_turns(double turns, index_t rotary_dim) const noexcept {
        const auto length = static_cast<double>(correction_length != 0 ? correction_length : original_length);
        const double wavelength = detail::quotient(length, detail::product(turns, 6.283185307179586));
        return detail::quotient(detail::product(static_cast<double>(rotary_dim), detail::logarithm(wavelength)),
                                detail::product(2.0, detail::logarithm(theta)));
    }
    [[nodiscard]] double scale(double by) const noexcept {
        if (factor <= 1.0) return 1.0;
        return detail::sum(detail::product(detail::product(0.1, by), detail::logarithm(factor)), 1.0);
    }
};

}  // namespace spectrum

POLYROPE_END
