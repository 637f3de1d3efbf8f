#pragma once
// The rotary part of a parsed config.json, whatever the model: sections, order, base. Needs nlohmann-json.
//
// Both spellings are read (rope_scaling and rope_parameters; type and rope_type; rope_theta inside or beside them;
// inside text_config or at the top). A key that stands in several places must say the same in all of them. What makes a
// model multi-axis is that sections are given, never the type string, which reads "mrope" in one release and "default"
// in the next. A type names frequency scaling, which goes with the sections: linear, yarn, llama3. Any other type, and
// any key that is not known or does not go with the type, is refused, because a key that is passed over in silence is a
// model that runs and answers wrongly.

#include "polyrope/frequency/section.hpp"
#include "polyrope/interop/detail/scaling_reader.hpp"

POLYROPE_BEGIN

namespace interop {

/// What rope_scaling or rope_parameters says.
struct rope_config {
    thw sections{};
    bool interleaved = false;       ///< mrope_interleaved; false where it is absent
    bool says_interleaved = false;  ///< whether it was given
    double theta = 0.0;             ///< rope_theta; 0 where it is absent
    double partial_rotary_factor = 1.0;
    scaled_spectrum spectrum{};  ///< of this theta
};

namespace detail {

/// text_config where there is one, then the top.
[[nodiscard]] inline std::vector<config_place> text_places(const nlohmann::json& config, config_reader& reader) {
    std::vector<config_place> places;
    if (!config.is_object()) {
        reader.refuse({errc::value_type, operand::document, 0, 0, 0}, "");
        return places;
    }
    reader.descend({&config, ""}, "text_config", operand::text_config, places);
    places.push_back({&config, ""});
    return places;
}

/// The three numbers under mrope_section, or false where it is absent.
inline bool read_sections(const config_place& place, thw& out, config_reader& reader) {
    const nlohmann::json* const found = reader.find(place, "mrope_section");
    if (found == nullptr) return false;
    const std::string key = place.path + "mrope_section";
    if (!found->is_array()) return reader.refuse({errc::value_type, operand::mrope_section, 0, 0, 0}, key), false;
    if (found->size() != 3)
        return reader.refuse({errc::extent_mismatch, operand::mrope_section, 0, 3, static_cast<index_t>(found->size())},
                             key),
               false;
    index_t pairs[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto entry = static_cast<index_t>(i);
        if (!(*found)[i].is_number_integer())
            return reader.refuse({errc::value_type, operand::mrope_section, entry, 0, 0}, key), false;
        if (!config_reader::whole((*found)[i], pairs[i])) pairs[i] = index_max;
        if (pairs[i] < 0)
            return reader.refuse({errc::section_negative, operand::section, entry, 0, pairs[i]}, key), false;
    }
    out = {pairs[0], pairs[1], pairs[2]};
    return true;
}

/// `other_name`, where given, is a model's second name for mrope_interleaved. `scaled`: the caller takes the spectrum,
/// where without it a type that asks for frequency scaling is refused.
inline rope_config read_rope_from(const std::vector<config_place>& text, config_reader& reader,
                                  const char* other_name = nullptr, bool scaled = false) {
    std::vector<config_place> ropes;
    std::vector<operand> spelled;
    for (const config_place& place : text) {
        for (const operand what : {operand::rope_scaling, operand::rope_parameters}) {
            reader.descend(place, what == operand::rope_scaling ? "rope_scaling" : "rope_parameters", what, ropes);
            spelled.resize(ropes.size(), what);
        }
    }
    rope_config out;
    bool seen = false;
    scaling type = scaling::unsaid;
    for (const config_place& place : ropes) read_rope_type(place, reader, scaled, type);
    for (std::size_t i = 0; i < ropes.size(); ++i) {
        const config_place& place = ropes[i];
        for (auto item = place.object->begin(); item != place.object->end(); ++item)
            if (!item->is_null() && !is_scaling_key(type, item.key()) &&
                (other_name == nullptr || item.key() != other_name) &&
                !is_one_of(item.key(), {"type", "rope_type", "mrope_section", "mrope_interleaved", "rope_theta",
                                        "partial_rotary_factor"}))
                reader.refuse({errc::value_unknown, spelled[i], 0, 0, 0}, place.path + item.key());
        thw here{};
        if (read_sections(place, here, reader)) {
            if (seen && (here.t != out.sections.t || here.h != out.sections.h || here.w != out.sections.w))
                reader.refuse({errc::key_conflict, operand::mrope_section, 0, out.sections.t, here.t},
                              place.path + "mrope_section");
            out.sections = here;
            seen = true;
        }
        for (const char* const name : {"mrope_interleaved", other_name}) {
            const nlohmann::json* const found = name != nullptr ? reader.find(place, name) : nullptr;
            if (found == nullptr) continue;
            const std::string key = place.path + name;
            const bool* const value = found->get_ptr<const nlohmann::json::boolean_t*>();
            if (value == nullptr) reader.refuse({errc::value_type, operand::mrope_interleaved, 0, 0, 0}, key);
            else if (out.says_interleaved && out.interleaved != *value)
                reader.refuse(
                    {errc::key_conflict, operand::mrope_interleaved, 0, out.interleaved ? 1 : 0, *value ? 1 : 0}, key);
            else out.interleaved = *value, out.says_interleaved = true;
        }
    }
    if (!seen) reader.refuse({errc::key_missing, operand::mrope_section, 0, 0, 0}, "mrope_section");

    std::vector<config_place> anywhere = ropes;
    anywhere.insert(anywhere.end(), text.begin(), text.end());
    out.theta = reader.real(anywhere, "rope_theta", operand::rope_theta, 1e15, false, 0.0);
    out.partial_rotary_factor =
        reader.real(anywhere, "partial_rotary_factor", operand::partial_rotary_factor, 1.0, false, 1.0);
    out.spectrum = scaling_reader{ropes, text, reader}(type, out.theta);
    return out;
}

}  // namespace detail

/// The rotary part of a configuration. `report`, where given, says which keys were used and which one a refusal speaks
/// of.
[[nodiscard]] inline result<rope_config> read_rope(const nlohmann::json& config, config_report* report = nullptr) {
    config_report unread;
    detail::config_reader reader(report != nullptr ? *report : unread);
    const auto places = detail::text_places(config, reader);
    const rope_config out = detail::read_rope_from(places, reader, nullptr, true);
    if (!reader.ok()) return reader.error();
    return out;
}

}  // namespace interop

POLYROPE_END
