#pragma once
// From a parsed config.json to a model: Qwen2-VL, Qwen2.5-VL, Qwen3-VL (dense and mixture of experts), in the spellings
// that their published configurations and the ones saved by transformers 4 and 5 have. Needs nlohmann-json; throws
// nothing.
//
//     const auto config = nlohmann::json::parse(file, nullptr, /*allow_exceptions*/ false);
//     interop::config_report report;
//     const auto model = interop::read_model(config, &report);
//     if (!model) std::printf("%s: %s\n", to_string(model.error()).c_str(), report.refused.c_str());
//
// Whatever the configuration leaves open or says twice differently is refused, and so is every unknown key beside the
// rotary ones and every scaling but linear, yarn and llama3 (interop/rope_config.hpp). Keys that do not concern positions
// are not looked at.

#include "polyrope/interop/rope_config.hpp"
#include "polyrope/preset/qwen2_5_vl.hpp"
#include "polyrope/preset/qwen2_vl.hpp"
#include "polyrope/preset/qwen3_vl.hpp"

POLYROPE_BEGIN

namespace interop {

namespace detail {

inline constexpr index_t most_layers = 65536, most_heads = 65536, most_hidden = index_t{1} << 30, most_id = INT32_MAX;

enum class family { qwen2_vl, qwen2_5_vl, qwen3_vl };

/// The family of model_type; text_config's own type must be the same with or without "_text".
[[nodiscard]] inline family read_family(const nlohmann::json& config, const std::vector<config_place>& text,
                                        config_reader& reader) {
    const nlohmann::json* const found = reader.find({&config, ""}, "model_type");
    if (found == nullptr)
        return reader.refuse({errc::key_missing, operand::model_type, 0, 0, 0}, "model_type"), family::qwen2_vl;
    const std::string* const name = config_reader::text(*found);
    if (name == nullptr)
        return reader.refuse({errc::value_type, operand::model_type, 0, 0, 0}, "model_type"), family::qwen2_vl;
    if (text.size() > 1) {
        if (const nlohmann::json* const inner = reader.find(text.front(), "model_type")) {
            const std::string* const inner_name = config_reader::text(*inner);
            if (inner_name == nullptr || (*inner_name != *name && *inner_name != *name + "_text"))
                reader.refuse({errc::value_unknown, operand::model_type, 0, 0, 0}, "text_config.model_type");
        }
    }
    if (*name == "qwen2_vl") return family::qwen2_vl;
    if (*name == "qwen2_5_vl") return family::qwen2_5_vl;
    if (*name == "qwen3_vl" || *name == "qwen3_vl_moe") return family::qwen3_vl;
    return reader.refuse({errc::value_unknown, operand::model_type, 0, 0, 0}, "model_type"), family::qwen2_vl;
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

/// Sets what every preset of these families has.
/// @return the spectrum, scaled where the configuration says so.
template <class Preset>
[[nodiscard]] scaled_spectrum read_common(Preset& preset, const nlohmann::json& config,
                                          const std::vector<config_place>& text,
                                          const std::vector<config_place>& vision, bool turns, config_reader& reader) {
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
    preset.ids.start = reader.integer(top, "vision_start_token_id", operand::vision_start_token_id, 0, most_id, true);
    preset.ids.end = reader.integer(top, "vision_end_token_id", operand::vision_end_token_id, 0, most_id, true);
    preset.ids.image = reader.integer(top, "image_token_id", operand::image_token_id, 0, most_id, true);
    preset.ids.video = reader.integer(top, "video_token_id", operand::video_token_id, 0, most_id, true);
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

    const auto made = [&](auto preset, bool turns) -> result<multimodal<layout::mrope>> {
        const scaled_spectrum spectrum = detail::read_common(preset, config, text, vision, turns, reader);
        if (!reader.ok()) return reader.error();
        return preset.make(spectrum);
    };
    if (which == detail::family::qwen3_vl) return made(preset::qwen3_vl{}, true);
    if (which == detail::family::qwen2_vl) return made(preset::qwen2_vl{}, false);
    preset::qwen2_5_vl timed;
    timed.time =
        floored_product(reader.integer(vision, "tokens_per_second", operand::tokens_per_second, 1, INT32_MAX, true, 1));
    return made(timed, false);
}

}  // namespace interop

POLYROPE_END
