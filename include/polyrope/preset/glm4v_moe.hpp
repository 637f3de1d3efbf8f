#pragma once
// GLM-4.5V, and GLM-4.6V where its text model is the same. arXiv:2507.01006; tested against glm4v_moe of Hugging Face
// transformers v4.57.6 and v5.15.0. As GLM-4.1V, but channels half the turned width apart turn together.
//
//     tttttttthhhhhhhhhhhhwwwwwwwwwwww     theta 1e4

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct glm4v_moe : grid_model<allocation::chunked> {
    constexpr glm4v_moe() noexcept
        : grid_model{{46, 96, 8, 128},
                     1e4,
                     {8, 12, 12},
                     64,
                     pairing::half_split,
                     layout::video_form::frame_by_frame,
                     {151339, 151340, 151363, 151364, 151341, 151342, true}} {}
};

}  // namespace preset

POLYROPE_END
