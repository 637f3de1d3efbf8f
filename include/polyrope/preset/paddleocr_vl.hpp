#pragma once
// PaddleOCR-VL (0.9B). arXiv:2510.14528; tested against paddleocr_vl of Hugging Face transformers v5.0.0 and v5.15.0
// and against vLLM (May 2026, fork commit 28be48f). Placed as Qwen2-VL.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 5e5

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct paddleocr_vl : grid_model<allocation::chunked> {
    constexpr paddleocr_vl() noexcept
        : grid_model{{18, 16, 2, 128},
                     5e5,
                     {16, 24, 24},
                     128,
                     pairing::half_split,
                     layout::video_form::one_block,
                     {101305, 101306, 100295, 101307}} {}
};

}  // namespace preset

POLYROPE_END
