#pragma once
// Vanilla RoPE: one position per token, visual tokens too, and every pair turned by it. Su et al., RoFormer,
// arXiv:2104.09864; as the baseline in JJJYmmm/Multimodal-RoPEs cd413b9.
//
//     tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt     theta 1e6

#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct vanilla {
    double theta = 1e6;
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;

    [[nodiscard]] layout::sequential layout() const noexcept { return {spatial_merge}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::sequential>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::single_axis{}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::sequential>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
