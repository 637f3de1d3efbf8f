#pragma once
// VideoRoPE: frames two positions apart with their middle on the text diagonal, rows and columns on the high
// frequencies, time on the low ones. Wei et al., arXiv:2502.05173; Wiselnn570/VideoRoPE 7712ca3.
//
//     hwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwtttttttttttttttt     theta 1e6

#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/layout/videorope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct videorope {
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    double delta = 2.0;  ///< positions per frame

    [[nodiscard]] layout::videorope layout() const noexcept { return {spatial_merge, delta}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::videorope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::spatial_first{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::videorope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
