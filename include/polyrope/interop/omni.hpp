#pragma once
// From a parsed config.json to Qwen2.5-Omni or Qwen3-Omni: the thinker, as its own configuration or inside the whole
// model's. Spellings and refusals as in interop/json.hpp. Needs nlohmann-json; throws nothing.
//
//     const auto preset = interop::read_qwen3_omni(config, &report);
//     if (!preset) return preset.error();
//     const auto model = preset->make();           // and preset->ids, preset->audio_tokens for plan_of_omni
//
// Positions per second must be stated: the code's own default of 25 is not what Qwen3-Omni was trained with.

#include "polyrope/interop/json.hpp"
#include "polyrope/preset/qwen2_5_omni.hpp"
#include "polyrope/preset/qwen3_omni.hpp"

POLYROPE_BEGIN

namespace interop {
namespace detail {

/// thinker_config where there is one, else the document itself; either must be of the model.
[[nodiscard]] inline config_place read_thinker(const nlohmann::json& config, const std::string& model,
                                               config_reader& reader) {
    const config_place top{&config, ""};
    if (!config.is_object()) return reader.refuse({errc::value_type, operand::document, 0, 0, 0}, ""), top;
    std::vector<config_place> places;
    reader.descend(top, "thinker_config", operand::thinker_config, places);
    const bool whole = !places.empty();
    const auto check = [&](const config_place& place, const std::string& right, bool required) {
        const nlohmann::json* const found = reader.find(place, "model_type");
        const std::string key = place.path + "model_type";
        if (found == nullptr) {
            if (required) reader.refuse({errc::key_missing, operand::model_type, 0, 0, 0}, key);
            return;
        }
        const std::string* const name = config_reader::text(*found);
        if (name == nullptr) reader.refuse({errc::value_type, operand::model_type, 0, 0, 0}, key);
        else if (*name != right) reader.refuse({errc::value_unknown, operand::model_type, 0, 0, 0}, key);
    };
    check(top, whole ? model : model + "_thinker", true);
    if (whole) check(places.front(), model + "_thinker", false);
    return whole ? places.front() : top;
}

/// An id under either of two names, which must agree where both are there.
[[nodiscard]] inline index_t read_id(const config_place& place, const char* name, const char* older, operand what,
                                     config_reader& reader) {
    const std::vector<config_place> here{place};
    const index_t id = reader.integer(here, name, what, 0, most_id, false, -1);
    const index_t other = older != nullptr ? reader.integer(here, older, what, 0, most_id, false, -1) : -1;
    if (id < 0 && other < 0) reader.refuse({errc::key_missing, what, 0, 0, 0}, place.path + name);
    if (id >= 0 && other >= 0 && id != other)
        reader.refuse({errc::key_conflict, what, 0, id, other}, place.path + older);
    return id >= 0 ? id : other;
}

/// Sets what both presets have. `turns`: the axes take turns over the pairs.
template <class Preset>
void read_omni(Preset& preset, const config_place& thinker, bool turns, config_reader& reader) {
    std::vector<config_place> text, vision;
    reader.descend(thinker, "text_config", operand::text_config, text);
    reader.descend(thinker, "vision_config", operand::vision_config, vision);
    if (vision.empty()) reader.refuse({errc::key_missing, operand::vision_config, 0, 0, 0}, "vision_config");
    text.push_back(thinker);
    const rope_config rope = read_rope_from(text, reader, "interleaved");
    if (rope.says_interleaved && rope.interleaved != turns)
        reader.refuse({errc::value_invalid, operand::mrope_interleaved, 0, turns ? 1 : 0, rope.interleaved ? 1 : 0},
                      "mrope_interleaved");
    if (!(rope.theta > 0.0)) reader.refuse({errc::key_missing, operand::rope_theta, 0, 0, 0}, "rope_theta");
    preset.shape = read_shape(text, reader);
    preset.theta = rope.theta;
    preset.sections = rope.sections;
    preset.rotary_dim = static_cast<index_t>(static_cast<double>(preset.shape.head_dim) * rope.partial_rotary_factor);
    preset.spatial_merge = reader.integer(vision, "spatial_merge_size", operand::spatial_merge_size, 1, 1024, true, 1);
    preset.positions_per_second =
        reader.integer({thinker}, "position_id_per_seconds", operand::position_id_per_seconds, 1, INT32_MAX, true, 1);
    omni_special_tokens& ids = preset.ids;
    const auto id = [&](const char* name, const char* older, operand what) {
        return read_id(thinker, name, older, what, reader);
    };
    ids.vision_start = id("vision_start_token_id", nullptr, operand::vision_start_token_id);
    ids.vision_end = id("vision_end_token_id", nullptr, operand::vision_end_token_id);
    ids.image = id("image_token_id", "image_token_index", operand::image_token_id);
    ids.video = id("video_token_id", "video_token_index", operand::video_token_id);
    ids.audio_start = id("audio_start_token_id", nullptr, operand::audio_start_token_id);
    ids.audio_end = id("audio_end_token_id", nullptr, operand::audio_end_token_id);
    ids.audio = id("audio_token_id", "audio_token_index", operand::audio_token_id);
}

}  // namespace detail

/// The preset of a configuration of model_type qwen2_5_omni or qwen2_5_omni_thinker. `report`, where given, says which
/// keys were used and which one a refusal speaks of.
[[nodiscard]] inline result<preset::qwen2_5_omni> read_qwen2_5_omni(const nlohmann::json& config,
                                                                    config_report* report = nullptr) {
    config_report unread;
    detail::config_reader reader(report != nullptr ? *report : unread);
    const detail::config_place thinker = detail::read_thinker(config, "qwen2_5_omni", reader);
    if (!reader.ok()) return reader.error();
    preset::qwen2_5_omni preset;
    detail::read_omni(preset, thinker, false, reader);
    preset.seconds_per_chunk =
        reader.integer({thinker}, "seconds_per_chunk", operand::seconds_per_chunk, 1, INT32_MAX, true, 1);
    if (!reader.ok()) return reader.error();
    return preset;
}

/// The preset of a configuration of model_type qwen3_omni_moe or qwen3_omni_moe_thinker.
[[nodiscard]] inline result<preset::qwen3_omni> read_qwen3_omni(const nlohmann::json& config,
                                                                config_report* report = nullptr) {
    config_report unread;
    detail::config_reader reader(report != nullptr ? *report : unread);
    const detail::config_place thinker = detail::read_thinker(config, "qwen3_omni_moe", reader);
    if (!reader.ok()) return reader.error();
    preset::qwen3_omni preset;
    detail::read_omni(preset, thinker, true, reader);
    // The count of audio tokens is that of windows of 50.
    std::vector<detail::config_place> heard;
    reader.descend(thinker, "audio_config", operand::audio, heard);
    reader.integer(heard, "n_window", operand::n_window, 50, 50, false);
    if (!reader.ok()) return reader.error();
    return preset;
}

}  // namespace interop

POLYROPE_END
