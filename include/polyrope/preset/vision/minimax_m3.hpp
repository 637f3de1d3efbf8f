#pragma once
// MiniMax-M3: three bands of one width, frames first, then rows, then columns; the channels that are left over are not
// turned. Tested against Hugging Face transformers v5.15.0 (commit 5eddc12), MiniMaxM3VL3DRotaryEmbedding.
//
//     head_dim 20:   ttthhhwww     theta 1e4, from the start on each axis; 18 of 20 channels turn

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct minimax_m3 {
    index_t head_dim = 80;
    index_t merge = 2;
    double theta = 1e4;

    /// Pairs of each axis: a third of the head's, so that a band has whole pairs.
    [[nodiscard]] constexpr index_t band() const noexcept { return 2 * (head_dim / 2) / 3 / 2; }
    [[nodiscard]] constexpr index_t rotary_dim() const noexcept { return 6 * band(); }

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        return make_tower({merge}, attention_span::per_frame, rounding::table_cast_each,
                          allocation::chunked{thw{band(), band(), band()}}, spectrum, rotary_dim(),
                          pairing::half_split);
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::per_axis{spectrum::geometric{theta}}); }
};

}  // namespace vision
}  // namespace preset

POLYROPE_END
