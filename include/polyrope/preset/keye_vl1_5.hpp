#pragma once
// Keye-VL-1.5 (8B). arXiv:2509.01563; tested against vLLM (May 2026, fork commit 28be48f). Each frame of a video is a
// run of its own behind its timestamp.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct keye_vl1_5 : grid_model<allocation::chunked> {
    constexpr keye_vl1_5() noexcept
        : grid_model{{36, 32, 8, 128},
                     1e6,
                     {16, 24, 24},
                     128,
                     pairing::half_split,
                     layout::video_form::frame_by_frame,
                     {151652, 151653, 151655, 151656}} {}
};

}  // namespace preset

POLYROPE_END
