#pragma once
// Rows turn the first half of the pairs and columns the second, each with a series of its own: the vision encoders of
// Qwen2-VL (arXiv:2409.12191), Qwen2.5-VL, Qwen3-VL, their Omni models, GLM-4.1V to GLM-OCR, ERNIE-4.5-VL and
// PaddleOCR-VL. Tested against Hugging Face transformers v5.15.0 (commit 5eddc12), VisionRotaryEmbedding of qwen2_vl,
// qwen3_vl, glm4v and ernie4_5_vl_moe.
//
//     head_dim 16:   hhhhwwww     theta 1e4, from the start on each axis

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/layout/window_order.hpp"
#include "polyrope/preset/vision/tower.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct hw_halves {
    index_t head_dim;
    index_t merge = 2;  ///< spatial_merge_size; patches come block by block
    double theta = 1e4;

    template <class Spectrum>
    [[nodiscard]] result<tower> make(const Spectrum& spectrum) const {
        return make_tower({merge}, attention_span::per_frame, rounding::float32_unfused,
                          allocation::chunked{thw{0, head_dim / 4, head_dim / 4}}, spectrum, head_dim,
                          pairing::half_split);
    }
    [[nodiscard]] result<tower> make() const { return make(spectrum::per_axis{spectrum::geometric{theta}}); }
};

inline constexpr hw_halves qwen2_vl{80};
inline constexpr hw_halves qwen2_5_vl{80};                                               ///< and its Omni model
inline constexpr window_order qwen2_5_vl_windows = window_order::of_pixels(112, 14, 2);  ///< of most layers
inline constexpr hw_halves qwen3_vl{72};                                                 ///< and its Omni model
inline constexpr hw_halves paddleocr_vl{72, /*merge*/ 1};

}  // namespace vision
}  // namespace preset

POLYROPE_END
