#pragma once
// MHRoPE: every key/value head follows one axis with its whole spectrum, and its query heads with it; positions are
// MRoPE-I's. Huang et al., arXiv:2510.23095; JJJYmmm/Multimodal-RoPEs cd413b9. Of eight key/value heads, one per line:
//
//     tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt     theta 1e6
//     tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt
//     hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh
//     hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh
//     hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh
//     wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww
//     wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww
//     wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww

#include "polyrope/frequency/per_head.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct mhrope {
    double theta = 1e6;
    thw heads{2, 3, 3};           ///< key/value heads of each axis
    index_t key_value_heads = 8;  ///< of the whole model; those behind the last section do not rotate
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    bool spatial_reset = true;

    [[nodiscard]] layout::mrope layout() const noexcept {
        return {spatial_merge, by_index(), layout::advance::past_everything, layout::video_form::frame_by_frame,
                spatial_reset};
    }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::per_head{heads, key_value_heads}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
