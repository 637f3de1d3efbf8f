#pragma once
// Qwen2.5-VL (3B, 7B, 32B, 72B). arXiv:2502.13923, section 2.1; tested against qwen2_5_vl of Hugging Face transformers
// v4.57.6 and v5.15.0 and of vLLM. As Qwen2-VL, but a video's time is in seconds: frame f stands floor(f * seconds per
// grid * 2) behind the first, exactly. transformers cuts the seconds to a whole number first (truncated_interval), vLLM
// takes them through float32 (floored_product_float32): set `time` to follow one of them.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen2_5_vl {
    model_shape shape{28, 28, 4, 128};  ///< 7B
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    frame_time time = floored_product(2);  ///< tokens_per_second is 2
    vision_ids ids{151652, 151653, 151655, 151656};

    [[nodiscard]] layout::mrope layout() const noexcept { return {spatial_merge, time}; }

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
