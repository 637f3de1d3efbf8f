#pragma once
// Qwen2-VL (2B, 7B, 72B). arXiv:2409.12191, section 2.1; tested against qwen2_vl of Hugging Face transformers v4.57.6
// and v5.15.0 and of vLLM. An image is a grid [1, rows, columns], a video one grid whose frame index is its time.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen2_vl {
    model_shape shape{28, 28, 4, 128};  ///< 7B
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    vision_ids ids{151652, 151653, 151655, 151656};

    [[nodiscard]] layout::mrope layout() const noexcept { return {spatial_merge}; }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_multimodal(shape, layout(), allocation::chunked{sections}, spectrum, rotary_dim,
                               pairing::half_split, ids, video_runs::one_run);
    }
    [[nodiscard]] result<multimodal<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
