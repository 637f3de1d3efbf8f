#pragma once
// Pixtral and the encoders of Mistral-3 (arXiv:2410.07073, section 2.2): rows turn the first half of the pairs and
// columns the second, and both share one series: rows take its even members, columns its odd ones. Hugging Face's
// weights pair channels half a head apart, the original checkpoint's neighbours. Tested against Hugging Face
// transformers v5.15.0 (commit 5eddc12), PixtralRotaryEmbedding.
//
//     head_dim 16:   hhhhwwww     theta 1e4

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/even_then_odd.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct pixtral {
    index_t head_dim = 64;
    double theta = 1e4;
    pairing paired = pairing::half_split;  ///< adjacent for the original weights

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        return make_tower({/*merge*/ 1}, attention_span::per_frame, rounding::table_cast_each,
                          allocation::chunked{thw{0, head_dim / 4, head_dim / 4}}, spectrum, head_dim, paired);
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::even_then_odd{spectrum::geometric{theta}}); }
};

}  // namespace vision
}  // namespace preset

POLYROPE_END
