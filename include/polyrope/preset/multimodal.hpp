#pragma once
// A model by name: what its text layers need from this library, in one value. A preset is a struct whose fields are
// those of the model's config.json, with the published values as defaults, and whose `make` composes them; a new model
// is a few lines (preset/qwen3_vl.hpp is the pattern).
//
//     const auto model = preset::qwen3_vl{}.make();
//     if (!model) return model.error();
//     auto plan = make_plan(model->layout, segments, count);          // once per request
//     auto rope = make_rotary(model->frequencies);                    // once per model

#include <utility>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/tokens.hpp"

POLYROPE_BEGIN

/// Attention of the text model. `key_value_heads` divides `query_heads`.
struct model_shape {
    index_t layers = 0;
    index_t query_heads = 0;
    index_t key_value_heads = 0;
    index_t head_dim = 0;  ///< channels
};

/// Ids of the tokens around and inside media.
struct vision_ids {
    index_t start;             ///< before a run of placeholders
    index_t end;               ///< behind it
    index_t image;             ///< placeholder
    index_t video;             ///< placeholder
    index_t video_start = -1;  ///< around a video, where those are other markers
    index_t video_end = -1;
    bool frames_as_images = false;  ///< special_tokens has what it means

    /// The ids that segments_of reads.
    [[nodiscard]] constexpr special_tokens special() const noexcept {
        return {start, image, video, video_start, video_end, frames_as_images};
    }
};

template <class Layout>
struct multimodal {
    model_shape shape{};
    Layout layout{};
    frequency_table frequencies{};
    vision_ids ids{};
    video_runs runs = video_runs::one_run;  ///< how a prompt holds the placeholders of a video
    index_t temporal_merge = 1;             ///< frames per temporal cell of a video
    image_slots slots = image_slots::cells;

    /// What segments_of needs to know of the model; the grids of a prompt are to be set.
    [[nodiscard]] prompt_media media() const noexcept {
        prompt_media all;
        all.spatial_merge = layout.spatial_merge;
        all.temporal_merge = temporal_merge;
        all.runs = runs;
        all.slots = slots;
        return all;
    }
};

namespace detail {

[[nodiscard]] constexpr status check_shape(const model_shape& shape, index_t rotary_dim) noexcept {
    if (shape.layers < 1) return {errc::value_invalid, operand::layers, 0, 1, shape.layers};
    if (shape.query_heads < 1) return {errc::value_invalid, operand::query_heads, 0, 1, shape.query_heads};
    if (shape.key_value_heads < 1 || shape.query_heads % shape.key_value_heads != 0)
        return {errc::value_invalid, operand::key_value_heads, 0, shape.query_heads, shape.key_value_heads};
    if (rotary_dim > shape.head_dim)
        return {errc::rotary_dim_too_large, operand::rotary_dim, 0, shape.head_dim, rotary_dim};
    return {};
}

}  // namespace detail

/// Composes a model from its parts, checked.
template <class Layout, class Allocation, class Spectrum>
[[nodiscard]] result<multimodal<Layout>> make_multimodal(const model_shape& shape, const Layout& layout,
                                                         const Allocation& allocation, const Spectrum& spectrum,
                                                         index_t rotary_dim, pairing paired, const vision_ids& ids,
                                                         video_runs runs) {
    if (const status s = detail::check_shape(shape, rotary_dim); !s.ok()) return s;
    result<frequency_table> table = make_frequency_table(allocation, spectrum, rotary_dim, paired);
    if (!table) return table.error();
    return multimodal<Layout>{shape, layout, *std::move(table), ids, runs};
}

POLYROPE_END
