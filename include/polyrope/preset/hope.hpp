#pragma once
// HoPE: VideoRoPE's frames a step gamma apart, which a segment may state for itself, and no rotation by time. Li et
// al., arXiv:2505.20444; hrlics/HoPE 85b76c0. Training draws gamma from {1/2, 3/4, 1, 5/4, 3/2}.
//
//     hwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhw----------------     theta 1e6

#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct hope {
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    double gamma = 1.0;  ///< positions per frame

    [[nodiscard]] layout::hope layout() const noexcept { return {spatial_merge, gamma}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::hope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::spatial_first{sections, temporal_pairs::still}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::hope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
