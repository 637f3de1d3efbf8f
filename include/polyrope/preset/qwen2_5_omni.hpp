#pragma once
// Qwen2.5-Omni (3B, 7B), the thinker. arXiv:2503.20215, section 2.2; tested against qwen2_5_omni of Hugging Face
// transformers v4.57.6 and v5.15.0. 25 positions a second; a video with audio comes in chunks of two seconds, a chunk
// of the video before the same chunk of the audio, between markers that share their positions.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/layout/omni_tokens.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen2_5_omni {
    model_shape shape{28, 28, 4, 128};  ///< 7B
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    index_t positions_per_second = 25;
    index_t seconds_per_chunk = 2;
    omni_special_tokens ids{151652, 151653, 151655, 151656, 151647, 151648, 151646};
    audio_token_rule audio_tokens = qwen2_5_omni_audio_tokens;

    [[nodiscard]] layout::tmrope layout() const noexcept {
        index_t chunk = 0;  // which the layout refuses
        if (!checked_multiply(positions_per_second, seconds_per_chunk, chunk)) chunk = 0;
        return {spatial_merge,
                floored_time_float32(positions_per_second),
                layout::audio_order::by_chunks,
                layout::span_markers::shared,
                layout::span_end::last_slice,
                chunk};
    }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::tmrope>> make(const Spectrum& spectrum) const {
        return make_multimodal(shape, layout(), allocation::chunked{sections}, spectrum, rotary_dim,
                               pairing::half_split, {ids.vision_start, ids.vision_end, ids.image, ids.video},
                               video_runs::one_run);
    }
    [[nodiscard]] result<multimodal<layout::tmrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
