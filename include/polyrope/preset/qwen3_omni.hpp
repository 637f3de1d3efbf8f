#pragma once
// Qwen3-Omni (30B-A3B), the thinker. arXiv:2509.17765, section 2.3; tested against qwen3_omni_moe of Hugging Face
// transformers v4.57.6 and v5.15.0. 13 positions a second and fractions kept, so positions are real numbers; a video
// with audio is merged token by token, between markers that count as text. vLLM floors the times, lets each pair of
// markers share a position and goes on behind the whole video: set the layout's time, markers and behind to follow it.
//
//     thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt     theta 1e6

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/omni_tokens.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen3_omni {
    model_shape shape{48, 32, 4, 128};
    double theta = 1e6;
    thw sections{24, 20, 20};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    index_t positions_per_second = 13;
    omni_special_tokens ids{151652, 151653, 151655, 151656, 151669, 151670, 151675};
    audio_token_rule audio_tokens = qwen3_omni_audio_tokens;

    [[nodiscard]] layout::tmrope layout() const noexcept {
        return {spatial_merge, real_time_float32(positions_per_second), layout::audio_order::by_time,
                layout::span_markers::consecutive};
    }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::tmrope>> make(const Spectrum& spectrum) const {
        return make_multimodal(shape, layout(), allocation::interleaved{sections}, spectrum, rotary_dim,
                               pairing::half_split, {ids.vision_start, ids.vision_end, ids.image, ids.video},
                               video_runs::one_run);
    }
    [[nodiscard]] result<multimodal<layout::tmrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
