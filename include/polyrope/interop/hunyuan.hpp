#pragma once
// From a parsed config.json to Hunyuan-VL or HunyuanOCR, as published (rope type "xdrope", xdrope_section) and as saved
// by transformers 5 (type "dynamic", mrope_section). Needs nlohmann-json; throws nothing.
//
//     const auto preset = interop::read_hunyuan_vl(config, &report);
//     if (!preset) return preset.error();
//     const auto model = preset->make();
//
// Both codes scale by alpha alone. beta_fast, beta_slow, mscale and mscale_all_dim, which the published configurations
// carry along, have no effect in either and are passed over; any other key, a factor but 1 and a partial rotation, on
// which the codes disagree, are refused.

#include "polyrope/interop/json.hpp"
#include "polyrope/preset/hunyuan_vl.hpp"

POLYROPE_BEGIN

namespace interop {
namespace detail {

/// Pairs for the position, the width, the height and the image; lists of three leave out the first.
inline bool read_xdrope_section(const config_place& place, const char* name, index_t (&pairs)[4],
                                config_reader& reader) {
    const nlohmann::json* const found = reader.find(place, name);
    if (found == nullptr) return false;
    const std::string key = place.path + name;
    const operand what = operand::xdrope_section;
    if (!found->is_array()) return reader.refuse({errc::value_type, what, 0, 0, 0}, key), false;
    const std::size_t count = found->size();
    if (count != 3 && count != 4)
        return reader.refuse({errc::extent_mismatch, what, 0, 4, static_cast<index_t>(count)}, key), false;
    pairs[0] = 0;
    for (std::size_t i = 0; i < count; ++i) {
        index_t& entry = pairs[i + 4 - count];
        if (!(*found)[i].is_number_integer())
            return reader.refuse({errc::value_type, what, static_cast<index_t>(i), 0, 0}, key), false;
        if (!config_reader::whole((*found)[i], entry)) entry = index_max;
    }
    return true;
}

/// The rotary part: sections, theta, alpha.
inline void read_xdrope(preset::hunyuan_vl& preset, const std::vector<config_place>& text, config_reader& reader) {
    std::vector<config_place> ropes;
    for (const config_place& place : text) {
        reader.descend(place, "rope_scaling", operand::rope_scaling, ropes);
        reader.descend(place, "rope_parameters", operand::rope_parameters, ropes);
    }
    bool seen = false;
    index_t pairs[4] = {};
    for (const config_place& place : ropes) {
        for (auto item = place.object->begin(); item != place.object->end(); ++item)
            if (!item->is_null() &&
                !is_one_of(item.key(), {"type", "rope_type", "xdrope_section", "mrope_section", "rope_theta", "alpha",
                                        "factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"}))
                reader.refuse({errc::value_unknown, operand::rope_scaling, 0, 0, 0}, place.path + item.key());
        for (const char* const key : {"type", "rope_type"}) {
            const nlohmann::json* const found = reader.find(place, key);
            if (found == nullptr) continue;
            const std::string* const name = config_reader::text(*found);
            if (name == nullptr) reader.refuse({errc::value_type, operand::rope_type, 0, 0, 0}, place.path + key);
            else if (!is_one_of(*name, {"xdrope", "dynamic"}))
                reader.refuse({errc::value_unknown, operand::rope_type, 0, 0, 0}, place.path + key);
        }
        for (const char* const name : {"xdrope_section", "mrope_section"}) {
            index_t here[4] = {};
            if (!read_xdrope_section(place, name, here, reader)) continue;
            for (int i = 0; i < 4; ++i) {
                if (seen && here[i] != pairs[i])
                    reader.refuse({errc::key_conflict, operand::xdrope_section, i, pairs[i], here[i]},
                                  place.path + name);
                pairs[i] = here[i];
            }
            seen = true;
        }
    }
    if (!seen) reader.refuse({errc::key_missing, operand::xdrope_section, 0, 0, 0}, "xdrope_section");
    preset.position_pairs = pairs[0];
    preset.width_pairs = pairs[1];
    preset.height_pairs = pairs[2];
    preset.image_pairs = pairs[3];
    std::vector<config_place> anywhere = ropes;
    anywhere.insert(anywhere.end(), text.begin(), text.end());
    preset.theta = reader.real(anywhere, "rope_theta", operand::rope_theta, 1e15, true, 1e4);
    preset.alpha = reader.real(ropes, "alpha", operand::alpha, 1e15, true, 1.0);
    const auto only_one = [&](const std::vector<config_place>& places, const char* key, operand what) {
        const double value = reader.real(places, key, what, 1e15, false, 1.0);
        if (value < 1.0 || value > 1.0)
            reader.refuse({errc::value_invalid, what, 0, 1, static_cast<index_t>(value)}, key);
    };
    only_one(ropes, "factor", operand::factor);
    only_one(text, "partial_rotary_factor", operand::partial_rotary_factor);
}

}  // namespace detail

/// The preset of a configuration of model_type hunyuan_vl. `report`, where given, says which keys were used and which
/// one a refusal speaks of.
[[nodiscard]] inline result<preset::hunyuan_vl> read_hunyuan_vl(const nlohmann::json& config,
                                                                config_report* report = nullptr) {
    config_report unread;
    detail::config_reader reader(report != nullptr ? *report : unread);
    const auto text = detail::text_places(config, reader);
    if (!reader.ok()) return reader.error();
    const std::string* const name = detail::read_type({&config, ""}, true, reader);
    if (name != nullptr && *name != "hunyuan_vl")
        reader.refuse({errc::value_unknown, operand::model_type, 0, 0, 0}, "model_type");
    std::vector<detail::config_place> vision;
    reader.descend({&config, ""}, "vision_config", operand::vision_config, vision);
    if (vision.empty()) reader.refuse({errc::key_missing, operand::vision_config, 0, 0, 0}, "vision_config");
    if (!reader.ok()) return reader.error();
    preset::hunyuan_vl preset;
    detail::read_xdrope(preset, text, reader);
    preset.shape = detail::read_shape(text, reader);
    preset.rotary_dim = preset.shape.head_dim;
    preset.spatial_merge = reader.integer(vision, "spatial_merge_size", operand::spatial_merge_size, 1, 1024, true, 1);
    const std::vector<detail::config_place> top{{&config, ""}};
    preset.ids.start = reader.integer(top, "im_start_id", operand::im_start_id, 0, detail::most_id, true);
    preset.ids.end = reader.integer(top, "im_end_id", operand::im_end_id, 0, detail::most_id, true);
    preset.ids.image = reader.integer(top, "image_token_id", operand::image_token_id, 0, detail::most_id, true);
    if (!reader.ok()) return reader.error();
    return preset;
}

}  // namespace interop

POLYROPE_END
