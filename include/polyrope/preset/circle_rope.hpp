#pragma once
// Circle-RoPE as released, arXiv:2505.16416, on Qwen2.5-VL: rings of radius 10, half by angle and half by index. In AGE
// the even layers read the rings and the odd ones `other_layers` (layout/layer_plans.hpp). Tested against
// lose4578/CircleRoPE 063fb2c, which refuses videos, and JJJYmmm/Multimodal-RoPEs cd413b9, which stacks their rings.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/layer_plans.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct circle_rope {
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    layout::ring ring{};
    layout::ring_video video = layout::ring_video::stacked;
    ring_layers age = ring_layers::alternating;

    [[nodiscard]] layout::circle_rope layout() const noexcept { return {spatial_merge, ring, video}; }
    /// The layers that read no ring.
    [[nodiscard]] layout::mrope other_layers() const noexcept { return {spatial_merge, floored_time_float32(2)}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::circle_rope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::chunked{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::circle_rope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
