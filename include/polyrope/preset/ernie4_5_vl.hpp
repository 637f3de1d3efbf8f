#pragma once
// ERNIE-4.5-VL (28B-A3B). Tested against ernie4_5_vl_moe of Hugging Face transformers v5.0.0 and v5.15.0 and against
// vLLM (May 2026, fork commit 28be48f). Two frames of a video make one temporal cell; a last odd frame is left out. Its
// configurations list the sections as h, w, t.
//
//     hwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwhwtttttttttttttttttttt     theta 5e5

#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct ernie4_5_vl : grid_model<allocation::spatial_first> {
    constexpr ernie4_5_vl() noexcept
        : grid_model{{28, 20, 4, 128},
                     5e5,
                     {20, 22, 22},
                     128,
                     pairing::adjacent,
                     layout::video_form::one_block,
                     {101304, 101305, 100295, 103367, 101306, 101307},
                     2,
                     2} {}
};

}  // namespace preset

POLYROPE_END
