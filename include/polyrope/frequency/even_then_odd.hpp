#pragma once
// One series of frequencies dealt out to two halves: the first half of the pairs takes the even members, the second
// half the odd ones. The vision tower of Pixtral, arXiv:2410.07073, whose rows and columns share a series this way;
// tested against pixtral of Hugging Face transformers v5.15.0 (commit 5eddc12).
//
//     geometric{10000} over 8 channels, 1 0.1 0.01 0.001:   pairs turn at 1 0.01 0.1 0.001

#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

template <class Spectrum>
struct even_then_odd {
    Spectrum along;  ///< of all pairs

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept {
        if (rotary_dim % 4 != 0) return {errc::pattern_cut, operand::rotary_dim, 0, 2, rotary_dim / 2};
        return along.validate(rotary_dim);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        const index_t half = rotary_dim / 4;
        return along.frequency(l < half ? 2 * l : 2 * (l - half) + 1, rotary_dim);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return along.attention_scaling(); }
};
template <class Spectrum>
even_then_odd(Spectrum) -> even_then_odd<Spectrum>;

}  // namespace spectrum

POLYROPE_END
