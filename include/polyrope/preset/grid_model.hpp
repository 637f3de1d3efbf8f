#pragma once
// A model whose images and videos are grids at the running position (layout::mrope) and whose rotary pairs are shared
// out by one list of sections. The presets of these families fill in the numbers; preset/glm4v.hpp is the pattern.

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/section.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/multimodal.hpp"

POLYROPE_BEGIN

namespace preset {

/// `Allocation` is made of `thw` sections.
template <class Allocation>
struct grid_model {
    model_shape shape{};
    double theta = 0.0;
    thw sections{};  ///< pairs
    index_t rotary_dim = 0;
    pairing paired = pairing::half_split;
    layout::video_form video = layout::video_form::one_block;
    vision_ids ids{};
    index_t spatial_merge = 2;
    index_t temporal_merge = 1;

    [[nodiscard]] layout::mrope layout() const noexcept {
        layout::mrope rule{spatial_merge};
        rule.video = video;
        rule.temporal_merge = temporal_merge;
        return rule;
    }

    /// The model with another spectrum: one of scaled frequencies, or numbers that a checkpoint brings.
    template <class Spectrum>
    [[nodiscard]] result<multimodal<layout::mrope>> make(const Spectrum& spectrum) const {
        const bool split = video == layout::video_form::frame_by_frame;
        auto model = make_multimodal(shape, layout(), Allocation{sections}, spectrum, rotary_dim, paired, ids,
                                     split ? video_runs::run_of_frame : video_runs::one_run);
        if (model) model->temporal_merge = temporal_merge;
        return model;
    }
    [[nodiscard]] result<multimodal<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
