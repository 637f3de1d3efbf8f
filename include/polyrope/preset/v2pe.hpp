#pragma once
// V2PE: one position per token, a visual one a fraction of a text one. Ge et al., arXiv:2412.09616; OpenGVLab/V2PE
// f96f189, whose evaluations of InternVL2-2B give each tile of 256 tokens 64 positions. Grids count tokens, a frame is
// a tile.
//
//     tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt     theta 1e6

#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/v2pe.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct v2pe {
    double theta = 1e6;
    index_t rotary_dim = 128;
    index_t spatial_merge = 1;
    double span = 64.0;  ///< positions of a tile: training draws 1, 2, 4, ... 256

    [[nodiscard]] layout::v2pe layout() const noexcept { return {spatial_merge, span}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::v2pe>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::single_axis{}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::v2pe>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
