#pragma once
// Any spectrum, restarted per axis: every axis begins again at the first frequency, over its own width. Omni-RoPE of
// OmniGen2, Wu et al., arXiv:2506.18871, whose three axes own 40 channels each, tested against VectorSpaceLab/OmniGen2
// at 0f72fa9; the vision towers of Qwen, GLM, Llama-4, Kimi and others turn this way too. Goes with every allocation:
// sections one after the other, bands, halves, axes that take turns.
//
//     chunked thw{2, 2, 2} with per_axis{geometric{10000}}:   pairs tthhww at 1 0.01 1 0.01 1 0.01

#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

template <class Spectrum>
struct per_axis {
    static constexpr bool restarts_per_axis = true;

    Spectrum along;  ///< of each axis

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept { return along.validate(rotary_dim); }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return along.frequency(l, rotary_dim);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return along.attention_scaling(); }
};
template <class Spectrum>
per_axis(Spectrum) -> per_axis<Spectrum>;

}  // namespace spectrum

POLYROPE_END
