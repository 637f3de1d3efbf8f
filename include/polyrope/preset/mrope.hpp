#pragma once
// M-RoPE as Qwen2-VL published it: Wang et al., arXiv:2409.12191, section 2.1. The models themselves, with their ids
// and shapes, are presets of their own (qwen2_vl, qwen2_5_vl).
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct mrope {
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    frame_time time = by_index();

    [[nodiscard]] layout::mrope layout() const noexcept { return {spatial_merge, time}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::chunked{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
