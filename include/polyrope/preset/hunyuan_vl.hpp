#pragma once
// HunyuanOCR (1B), and Hunyuan-VL with four axes. Tested against hunyuan_vl of Hugging Face transformers v5.15.0
// (positions) and against vLLM (May 2026, fork commit 28be48f). Sections are in pairs, for the position, the width, the
// height and the image; transformers 5.15.0 shares them out over channels instead, which is no rotation
// (frequency/per_channel.hpp refuses it).
//
//     ttttttttttttttttwwwwwwwwwwwwwwwwhhhhhhhhhhhhhhhhuuuuuuuuuuuuuuuu     theta 1e4, alpha 1000

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/ntk_alpha.hpp"
#include "polyrope/layout/xdrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

struct hunyuan_vl {
    model_shape shape{24, 16, 8, 128};
    double theta = 1e4;
    double alpha = 1000.0;        ///< of spectrum::ntk_alpha
    index_t position_pairs = 16;  ///< 0 is the form with three axes
    index_t width_pairs = 16;
    index_t height_pairs = 16;
    index_t image_pairs = 16;
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    vision_ids ids{120118, 120119, 120120, -1};

    [[nodiscard]] layout::xdrope layout() const noexcept { return {spatial_merge}; }
    [[nodiscard]] allocation::chunked sections() const noexcept {
        const section list[] = {
            {axis::t, position_pairs}, {axis::w, width_pairs}, {axis::h, height_pairs}, {axis::u, image_pairs}};
        return {list};
    }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::xdrope>> make(const Spectrum& spectrum) const {
        auto model = make_multimodal(shape, layout(), sections(), spectrum, rotary_dim, pairing::half_split, ids,
                                     video_runs::one_run);
        if (model) model->slots = image_slots::lines_and_ends;
        return model;
    }
    [[nodiscard]] result<multimodal<layout::xdrope>> make() const { return make(spectrum::ntk_alpha{theta, alpha}); }
};

}  // namespace preset

POLYROPE_END
