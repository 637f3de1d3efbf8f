#pragma once
// Qwen3.5, dense and mixture of experts: the layers with full attention. Tested against qwen3_5 of Hugging Face
// transformers v5.15.0 and against vLLM (May 2026, fork commit 28be48f). Placed as Qwen3-VL; a quarter of each head
// turns.
//
//     thwthwthwthwthwthwthwthwthwthwth     theta 1e7

#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct qwen3_5 : grid_model<allocation::interleaved> {
    constexpr qwen3_5() noexcept
        : grid_model{{32, 16, 4, 256},
                     1e7,
                     {11, 11, 10},
                     64,
                     pairing::half_split,
                     layout::video_form::frame_by_frame,
                     {248053, 248054, 248056, 248057}} {}
};

}  // namespace preset

POLYROPE_END
