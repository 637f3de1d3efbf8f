#pragma once
// Qwen3-VL, dense and mixture of experts. arXiv:2511.21631; tested against qwen3_vl of Hugging Face transformers
// v4.57.6 and v5.15.0 and of vLLM. The axes take turns over the pairs; each frame of a video is a medium of its own
// behind its timestamp in the text, so time is carried by the text.
//
//     thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt     theta 5e6

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen3_vl {
    model_shape shape{36, 32, 8, 128};  ///< 8B
    double theta = 5e6;
    thw sections{24, 20, 20};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    vision_ids ids{151652, 151653, 151655, 151656};

    [[nodiscard]] layout::mrope layout() const noexcept {
        return {spatial_merge, by_index(), layout::advance::past_everything, layout::video_form::frame_by_frame};
    }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_multimodal(shape, layout(), allocation::interleaved{sections}, spectrum, rotary_dim,
                               pairing::half_split, ids, video_runs::run_of_frame);
    }
    [[nodiscard]] result<multimodal<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
