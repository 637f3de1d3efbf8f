#pragma once
// MRoPE-I: axes take turns over the pairs, rows and columns of a medium start at zero, each frame is a medium of its
// own behind its timestamp. Huang et al., "Revisiting Multimodal Positional Encoding in Vision-Language Models",
// arXiv:2510.23095; JJJYmmm/Multimodal-RoPEs cd413b9. Qwen3-VL has the same pairs without the reset.
//
//     thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt     theta 1e6

#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct mrope_i {
    double theta = 1e6;
    thw sections{24, 20, 20};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    bool spatial_reset = true;

    [[nodiscard]] layout::mrope layout() const noexcept {
        return {spatial_merge, by_index(), layout::advance::past_everything, layout::video_form::frame_by_frame,
                spatial_reset};
    }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::interleaved{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
