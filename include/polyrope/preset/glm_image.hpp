#pragma once
// GLM-Image, which generates images as tokens: where its prompts and the images to come sit. Tested against glm_image of
// Hugging Face transformers v5.15.0. Finished images are grids at the running position, without a merge. The images to
// come are planned behind the prompt, from the last of their grids to the first, an end marker behind them all, so that
// one plan answers every step of decoding.
//
//     const auto targets = preset::glm_image::planned(grids, count);
//     plan_options options;
//     options.planned = targets.data(), options.planned_count = static_cast<index_t>(targets.size());
//     const auto plan = make_plan(preset::glm_image{}.layout(), segments, segment_count, options);

#include <vector>

#include "polyrope/layout/mrope.hpp"

POLYROPE_BEGIN

namespace preset {

struct glm_image {
    [[nodiscard]] layout::mrope layout() const noexcept { return {1}; }

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
