#pragma once
// openPangu-VL. Tested against vLLM (May 2026, fork commit 28be48f). Each frame of a video is a run of its own, two
// markers as text between; the axes are spread evenly over the pairs. Shape, theta, sections and ids are the
// configuration's and have no default here: without them `make` refuses. For sections {24, 20, 20}:
//
//     thwthwthwthwthwthwthwthtwthwthwthwthwthwthwthtwthwthwthwthwthwtt     theta of the configuration

#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct openpangu_vl : grid_model<allocation::even_interleaved> {
    constexpr openpangu_vl() noexcept
        : grid_model{
              {}, 0.0, {0, 0, 0}, 128, pairing::half_split, layout::video_form::frame_by_frame, {-1, -1, -1, -1}} {}
};

}  // namespace preset

POLYROPE_END
