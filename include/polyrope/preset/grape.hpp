#pragma once
// GRAPE in its canonical mode: M-RoPE's positions, and frequencies whose logarithm is divided by one number. Zhang et
// al., arXiv:2512.07805; JJJYmmm/Multimodal-RoPEs cd413b9, where the axes also come as thirds
// (allocation::interleaved).
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/log_scaled.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct grape {
    double theta = 1e6;
    double log_freq_scale = 1.0;  ///< 1 leaves the spectrum as it is
    thw sections{16, 24, 24};     ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;

    [[nodiscard]] layout::mrope layout() const noexcept { return {spatial_merge}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::chunked{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mrope>> make() const {
        return make(spectrum::log_scaled{theta, log_freq_scale});
    }
};

}  // namespace preset

POLYROPE_END
