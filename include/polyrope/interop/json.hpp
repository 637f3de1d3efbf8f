#pragma once
// From a parsed config.json to a model: Qwen2-VL, Qwen2.5-VL, Qwen3-VL, Qwen3.5, GLM-4.1V to GLM-4.6V, GLM-OCR,
// ERNIE-4.5-VL, PaddleOCR-VL (dense and mixture of experts), in the spellings that their published configurations and
// the ones saved by transformers 4 and 5 have. Models with audio are in interop/omni.hpp, Hunyuan-VL in
// interop/hunyuan.hpp. Needs nlohmann-json; throws nothing.
//
//     const auto config = nlohmann::json::parse(file, nullptr, /*allow_exceptions*/ false);
//     interop::config_report report;
//     const auto model = interop::read_model(config, &report);
//     if (!model) std::printf("%s: %s\n", to_string(model.error()).c_str(), report.refused.c_str());
//
// Whatever the configuration leaves open or says twice differently is refused, and so is every unknown key beside the
// rotary ones and every scaling but linear, yarn and llama3 (interop/rope_config.hpp). Keys that do not concern
// positions are not looked at.

#include "polyrope/interop/rope_config.hpp"
#include "polyrope/preset/ernie4_5_vl.hpp"
#include "polyrope/preset/glm4v.hpp"
#include "polyrope/preset/glm4v_moe.hpp"
#include "polyrope/preset/glm_image.hpp"
#include "polyrope/preset/glm_ocr.hpp"
#include "polyrope/preset/paddleocr_vl.hpp"
#include "polyrope/preset/qwen2_5_vl.hpp"
#include "polyrope/preset/qwen2_vl.hpp"
#include "polyrope/preset/qwen3_5.hpp"
#include "polyrope/preset/qwen3_vl.hpp"

POLYROPE_BEGIN

namespace interop {

namespace detail {

inline constexpr index_t most_layers = 65536, most_heads = 65536, most_hidden = index_t{1} << 30, most_id = INT32_MAX;

enum class family {
    qwen2_vl,
    qwen2_5_vl,
    qwen3_vl,
    qwen3_5,
    glm4v,
    glm4v_moe,
    glm_image,
    glm_ocr,
    ernie4_5_vl,
    paddleocr_vl
};

/// A model_type, and the type that its text_config states; without one, model_type with or without "_text".
struct family_name {
    const char* type;
    family which;
    const char* text_type = nullptr;
};
inline constexpr family_name families[] = {
    {"qwen2_vl", family::qwen2_vl},
    {"qwen2_5_vl", family::qwen2_5_vl},
    {"qwen3_vl", family::qwen3_vl},
    {"qwen3_vl_moe", family::qwen3_vl},
    {"qwen3_5", family::qwen3_5},
    {"qwen3_5_moe", family::qwen3_5},
    {"glm4v", family::glm4v},
    {"glm4v_moe", family::glm4v_moe},
    {"glm46v", family::glm4v, "glm4v_text"},
    {"glm46v", family::glm4v_moe, "glm4v_moe_text"},
    {"glm_image", family::glm_image},
    {"glm_ocr", family::glm_ocr},
    {"ernie4_5_vl_moe", family::ernie4_5_vl},
    {"paddleocr_vl", family::paddleocr_vl},
};

/// A model_type, or nullptr with a refusal where it is no string.
[[nodiscard]] inline const std::string* read_type(const config_place& place, bool required, config_reader& reader) {
    const nlohmann::json* const found = reader.find(place, "model_type");
    if (found == nullptr) {
        if (required) reader.refuse({errc::key_missing, operand::model_type, 0, 0, 0}, place.path + "model_type");
        return nullptr;
    }
    const std::string* const name = config_reader::text(*found);
    if (name == nullptr) reader.refuse({errc::value_type, operand::model_type, 0, 0, 0}, place.path + "model_type");
    return name;
}

[[nodiscard]] inline family read_family(const nlohmann::json& config, const std::vector<config_place>& text,
                                        config_reader& reader) {
    const std::string* const name = read_type({&config, ""}, true, reader);
    const std::string* const inner = text.size() > 1 ? read_type(text.front(), false, reader) : nullptr;
    if (!reader.ok()) return family::qwen2_vl;
    bool known = false;
    for (const family_name& each : families) {
        if (*name != each.type) continue;
        known = true;
        if (each.text_type != nullptr ? inner != nullptr && *inner == each.text_type
                                      : inner == nullptr || *inner == *name || *inner == *name + "_text")
            return each.which;
    }
    reader.refuse({errc::value_unknown, operand::model_type, 0, 0, 0}, known ? "text_config.model_type" : "model_type");
    return family::qwen2_vl;
}

[[nodiscard]] inline model_shape read_shape(const std::vector<config_place>& text, config_reader& reader) {
    model_shape shape;
    shape.layers = reader.integer(text, "num_hidden_layers", operand::num_hidden_layers, 1, most_layers, true, 1);
    shape.query_heads =
        reader.integer(text, "num_attention_heads", operand::num_attention_heads, 1, most_heads, true, 1);
    shape.key_value_heads =
        reader.integer(text, "num_key_value_heads", operand::num_key_value_heads, 1, shape.query_heads, true, 1);
    shape.head_dim = reader.integer(text, "head_dim", operand::head_dim, 2, max_rotary_dim, false);
    if (shape.head_dim == 0) {
        const index_t hidden = reader.integer(text, "hidden_size", operand::hidden_size, 1, most_hidden, true, 1);
        shape.head_dim = hidden / shape.query_heads;
        if (shape.head_dim * shape.query_heads != hidden)
            reader.refuse({errc::value_invalid, operand::hidden_size, 0, shape.query_heads, hidden}, "hidden_size");
    }
    return shape;
}

/// A key of the document's top that holds an id.
struct id_key {
    const char* name;
    operand what;
};

/// Sets what every preset of these families has. `start` and `end` are the markers around an image.
/// @return the spectrum, scaled where the configuration says so.
template <class Preset>
[[nodiscard]] scaled_spectrum read_common(Preset& preset, const nlohmann::json& config,
                                          const std::vector<config_place>& text,
                                          const std::vector<config_place>& vision, bool turns, const id_key& start,
                                          const id_key& end, config_reader& reader) {
    const rope_config rope = read_rope_from(text, reader, nullptr, true);
    if (rope.says_interleaved &&
        rope.interleaved != turns)  // the model's code goes by its class and would pass it over
        reader.refuse({errc::value_invalid, operand::mrope_interleaved, 0, turns ? 1 : 0, rope.interleaved ? 1 : 0},
                      "mrope_interleaved");
    if (!(rope.theta > 0.0)) reader.refuse({errc::key_missing, operand::rope_theta, 0, 0, 0}, "rope_theta");
    preset.shape = read_shape(text, reader);
    preset.theta = rope.theta;
    preset.sections = rope.sections;
    preset.rotary_dim = static_cast<index_t>(static_cast<double>(preset.shape.head_dim) * rope.partial_rotary_factor);
    preset.spatial_merge = reader.integer(vision, "spatial_merge_size", operand::spatial_merge_size, 1, 1024, true, 1);
    const std::vector<config_place> top{{&config, ""}};
    const auto id = [&](const id_key& key) { return reader.integer(top, key.name, key.what, 0, most_id, true); };
    preset.ids.start = id(start);
    preset.ids.end = id(end);
    preset.ids.image = id({"image_token_id", operand::image_token_id});
    if (preset.ids.video >= 0) preset.ids.video = id({"video_token_id", operand::video_token_id});
    if (preset.ids.video_start >= 0) {  // families whose videos have markers of their own
        preset.ids.video_start = id({"video_start_token_id", operand::video_start_token_id});
        preset.ids.video_end = id({"video_end_token_id", operand::video_end_token_id});
    }
    return rope.spectrum;
}

}  // namespace detail

/// The model of a configuration. `report`, where given, says which keys were used and which one a refusal speaks of.
[[nodiscard]] inline result<multimodal<layout::mrope>> read_model(const nlohmann::json& config,
                                                                  config_report* report = nullptr) {
    config_report unread;
    detail::config_reader reader(report != nullptr ? *report : unread);
    const auto text = detail::text_places(config, reader);
    if (!reader.ok()) return reader.error();
    const detail::family which = detail::read_family(config, text, reader);
    std::vector<detail::config_place> vision;
    reader.descend({&config, ""}, "vision_config", operand::vision_config, vision);
    if (vision.empty()) reader.refuse({errc::key_missing, operand::vision_config, 0, 0, 0}, "vision_config");
    if (!reader.ok()) return reader.error();

    using detail::family;
    constexpr detail::id_key vision_markers[] = {{"vision_start_token_id", operand::vision_start_token_id},
                                                 {"vision_end_token_id", operand::vision_end_token_id}};
    constexpr detail::id_key image_markers[] = {{"image_start_token_id", operand::image_start_token_id},
                                                {"image_end_token_id", operand::image_end_token_id}};
    const auto made = [&](auto preset, bool turns, const detail::id_key(&ids)[2]) -> result<multimodal<layout::mrope>> {
        const scaled_spectrum spectrum =
            detail::read_common(preset, config, text, vision, turns, ids[0], ids[1], reader);
        if constexpr (std::is_same_v<decltype(preset), preset::ernie4_5_vl>) {
            const thw listed = preset.sections;  // which reads h, w, t
            preset.sections = {listed.w, listed.t, listed.h};
            preset.temporal_merge =
                reader.integer(vision, "temporal_merge_size", operand::temporal_merge_size, 1, 1024, true, 1);
        }
        if (!reader.ok()) return reader.error();
        return preset.make(spectrum);
    };
    switch (which) {
        case family::qwen2_vl: return made(preset::qwen2_vl{}, false, vision_markers);
        case family::qwen3_vl: return made(preset::qwen3_vl{}, true, vision_markers);
        case family::qwen3_5: return made(preset::qwen3_5{}, true, vision_markers);
        case family::glm4v: return made(preset::glm4v{}, false, image_markers);
        case family::glm4v_moe: return made(preset::glm4v_moe{}, false, image_markers);
        case family::glm_image: return made(preset::glm_image{}, false, image_markers);
        case family::glm_ocr: return made(preset::glm_ocr{}, false, image_markers);
        case family::ernie4_5_vl: return made(preset::ernie4_5_vl{}, false, image_markers);
        case family::paddleocr_vl: return made(preset::paddleocr_vl{}, false, vision_markers);
        case family::qwen2_5_vl: break;
    }
    preset::qwen2_5_vl timed;
    timed.time =
        floored_product(reader.integer(vision, "tokens_per_second", operand::tokens_per_second, 1, INT32_MAX, true, 1));
    return made(timed, false, vision_markers);
}

}  // namespace interop

POLYROPE_END
