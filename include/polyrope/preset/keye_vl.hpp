#pragma once
// Keye-VL (8B). arXiv:2507.01949; tested against vLLM (May 2026, fork commit 28be48f). The frames of a video follow
// each other with no token and no gap between them, each behind all of the one before.
//
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct keye_vl : grid_model<allocation::chunked> {
    constexpr keye_vl() noexcept
        : grid_model{{36, 32, 8, 128},
                     1e6,
                     {16, 24, 24},
                     128,
                     pairing::half_split,
                     layout::video_form::abutting_frames,
                     {151652, 151653, 151655, 151656}} {}
};

}  // namespace preset

POLYROPE_END
