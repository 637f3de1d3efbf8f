#pragma once
// GLM-4.1V. arXiv:2507.01006; tested against glm4v of Hugging Face transformers v4.57.6 and v5.15.0, and GLM-4.6V's
// positions, which are the same, against glm46v of v5.0.0 and v5.15.0. Half of each head turns, neighbouring channels
// together. A video is a frame per run between its own two markers, each frame written as an image; the timestamps
// between them are text.
//
//     tttttttthhhhhhhhhhhhwwwwwwwwwwww     theta 1e4

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct glm4v : grid_model<allocation::chunked> {
    constexpr glm4v() noexcept
        : grid_model{{40, 32, 2, 128},
                     1e4,
                     {8, 12, 12},
                     64,
                     pairing::adjacent,
                     layout::video_form::frame_by_frame,
                     {151339, 151340, 151343, 151344, 151341, 151342, true}} {}
};

}  // namespace preset

POLYROPE_END
