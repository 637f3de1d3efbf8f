#pragma once
// Llama-4: columns first, then rows, counted from one; a class token stands behind the patches of every tile and is not
// turned. Tested against Hugging Face transformers v5.15.0 (commit 5eddc12), Llama4VisionRotaryEmbedding.
//
//     head_dim 16:   wwwwhhhh     theta 1e4, from the start on each axis

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct llama4 {
    index_t head_dim = 88;
    double theta = 1e4;

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        const section sections[] = {{axis::w, head_dim / 4}, {axis::h, head_dim / 4}};
        return make_tower({/*merge*/ 1, /*first*/ 1, {/*before*/ 0, /*after*/ 1}}, attention_span::per_frame,
                          rounding::float32_unfused, allocation::chunked{sections}, spectrum, head_dim,
                          pairing::adjacent);
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::per_axis{spectrum::geometric{theta}}); }
};

}  // namespace vision
}  // namespace preset

POLYROPE_END
