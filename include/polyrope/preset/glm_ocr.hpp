#pragma once
// GLM-OCR. Tested against glm_ocr of Hugging Face transformers v5.15.0. Placed as GLM-4.1V; whole heads turn,
// neighbouring channels together.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e4

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct glm_ocr : grid_model<allocation::chunked> {
    constexpr glm_ocr() noexcept
        : grid_model{{16, 16, 8, 128},
                     1e4,
                     {16, 24, 24},
                     128,
                     pairing::adjacent,
                     layout::video_form::frame_by_frame,
                     {59256, 59257, 59280, 59281, 59258, 59259, true}} {}
};

}  // namespace preset

POLYROPE_END
