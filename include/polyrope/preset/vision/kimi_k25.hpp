#pragma once
// Kimi-K2.5: columns and rows take turns over the pairs, and all patches of a clip attend to each other. Tested against
// Hugging Face transformers v5.15.0 (commit 5eddc12), Kimi_K25VisionRotaryEmbedding.
//
//     head_dim 16:   whwhwhwh     theta 1e4, from the start on each axis

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct kimi_k25 {
    index_t head_dim = 72;
    double theta = 1e4;

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        return make_tower({/*merge*/ 1}, attention_span::per_medium, rounding::float32_unfused,
                          allocation::periodic{{axis::w, axis::h}}, spectrum, head_dim, pairing::half_split);
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::per_axis{spectrum::geometric{theta}}); }
};

}  // namespace vision
}  // namespace preset

POLYROPE_END
