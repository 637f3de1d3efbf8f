#pragma once
// GLM-Image, which generates images as tokens: where its prompts and the images to come sit. Tested against glm_image
// of Hugging Face transformers v5.15.0, which stores positions alone; pairs turn as in GLM-4.5V, whose text attention
// it is. Finished images are grids at the running position, without a merge. The images to come are planned behind the
// prompt, from the last of their grids to the first, an end marker behind them all, so that one plan answers every step
// of decoding.
//
//     const auto targets = preset::glm_image::planned(grids, count);
//     plan_options options;
//     options.planned = targets.data(), options.planned_count = static_cast<index_t>(targets.size());
//     const auto plan = make_plan(preset::glm_image{}.layout(), segments, segment_count, options);
//
//     tttttttthhhhhhhhhhhhwwwwwwwwwwww     theta 1e4

#include <vector>

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/preset/grid_model.hpp"

POLYROPE_BEGIN

namespace preset {

struct glm_image : grid_model<allocation::chunked> {
    constexpr glm_image() noexcept
        : grid_model{
              {40, 32, 2, 128},           1e4, {8, 12, 12}, 64, pairing::half_split, layout::video_form::one_block,
              {16384, 16385, 167855, -1}, 1} {}

    /// The images to come, of grids in the order that the processor lists them: draft images behind the final one.
    [[nodiscard]] static std::vector<segment> planned(const patch_grid* targets, index_t count) {
        std::vector<segment> all;
        for (index_t i = count; i-- > 0;) all.push_back(image(targets[i]));
        all.push_back(text(1));
        return all;
    }
};

}  // namespace preset

POLYROPE_END
