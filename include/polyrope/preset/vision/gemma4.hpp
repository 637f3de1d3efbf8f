#pragma once
// Gemma-4: each half of the head is turned on its own, the first by the column and the second by the row, so that
// channels pair inside their half. Tested against Hugging Face transformers v5.15.0 (commit 5eddc12),
// Gemma4VisionRotaryEmbedding.
//
//     head_dim 16:   wwwwhhhh     theta 100, from the start on each axis; pairing in blocks of 8

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct gemma4 {
    index_t head_dim = 64;
    double theta = 100.0;

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        const section sections[] = {{axis::w, head_dim / 4}, {axis::h, head_dim / 4}};
        return make_tower({/*merge*/ 1}, attention_span::per_frame, rounding::table_cast_each,
                          allocation::chunked{sections}, spectrum, head_dim, pairing::blocks(head_dim / 2));
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::per_axis{spectrum::geometric{theta}}); }
};

}  // namespace vision
}  // namespace preset

POLYROPE_END
