#pragma once
// TAD-RoPE: one position per token that counts frames and tokens together. Gao et al., TC-LLaVA, arXiv:2409.03206; as
// Wiselnn570/VideoRoPE 7712ca3 carries it.
//
//     tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt     theta 1e6

#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct tad_rope {
    double theta = 1e6;
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;

    [[nodiscard]] layout::tad_rope layout() const noexcept { return {spatial_merge}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::tad_rope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::single_axis{}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::tad_rope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
