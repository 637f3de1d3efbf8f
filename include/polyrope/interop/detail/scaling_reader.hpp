#pragma once
// The frequency scaling of a configuration: its type and the keys that go with it. Types whose tables depend on the
// length of the sequence (dynamic, longrope) are not read: one table of them would be wrong for the next sequence.

#include <cstring>
#include <initializer_list>

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/linear.hpp"
#include "polyrope/frequency/llama3.hpp"
#include "polyrope/frequency/one_of.hpp"
#include "polyrope/frequency/yarn.hpp"
#include "polyrope/interop/detail/config_reader.hpp"

POLYROPE_BEGIN

namespace interop {

/// What a configuration can ask for.
using scaled_spectrum = spectrum::one_of<spectrum::geometric, spectrum::linear, spectrum::yarn, spectrum::llama3>;

namespace detail {

/// In the order of scaled_spectrum. `unsaid`: no type but "mrope", which says nothing about scaling.
enum class scaling : std::uint8_t { unscaled, linear, yarn, llama3, unsaid };

[[nodiscard]] inline bool is_one_of(const std::string& text, std::initializer_list<const char*> all) noexcept {
    for (const char* each : all)
        if (text == each) return true;
    return false;
}

/// Whether a key beside the type belongs to it.
[[nodiscard]] inline bool is_scaling_key(scaling type, const std::string& key) noexcept {
    switch (type) {
        case scaling::linear: return key == "factor";
        case scaling::yarn:
            return is_one_of(key, {"factor", "original_max_position_embeddings", "beta_fast", "beta_slow",
                                   "attention_factor", "mscale", "mscale_all_dim", "truncate"});
        case scaling::llama3:
            return is_one_of(key,
                             {"factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"});
        default: return false;
    }
}

/// The types under type and rope_type, which must agree; `scaled`: others than the plain ones may stand there.
inline void read_rope_type(const config_place& place, config_reader& reader, bool scaled, scaling& type) {
    for (const char* const key : {"type", "rope_type"}) {
        const nlohmann::json* const found = reader.find(place, key);
        if (found == nullptr) continue;
        const std::string* const name = config_reader::text(*found);
        const std::string path = place.path + key;
        if (name == nullptr) return reader.refuse({errc::value_type, operand::rope_type, 0, 0, 0}, path);
        if (*name == "mrope") continue;
        scaling here = scaling::unsaid;
        if (*name == "default") here = scaling::unscaled;
        if (scaled && *name == "linear") here = scaling::linear;
        if (scaled && *name == "yarn") here = scaling::yarn;
        if (scaled && *name == "llama3") here = scaling::llama3;
        if (here == scaling::unsaid) return reader.refuse({errc::value_unknown, operand::rope_type, 0, 0, 0}, path);
        if (type != scaling::unsaid && type != here)
            return reader.refuse(
                {errc::key_conflict, operand::rope_type, 0, static_cast<index_t>(type), static_cast<index_t>(here)},
                path);
        type = here;
    }
}

/// Reads numbers beside the rope type.
struct scaling_reader {
    const std::vector<config_place>& ropes;  ///< rope_scaling and rope_parameters
    const std::vector<config_place>& text;   ///< what they stand in
    config_reader& reader;

    [[nodiscard]] double number(const char* key, operand what, bool required, double fallback = 0.0) const {
        return reader.real(ropes, key, what, 1e15, required, fallback);
    }
    /// A number for which 0 means that there is none.
    [[nodiscard]] double number_or_none(const char* key, operand what) const {
        for (const config_place& place : ropes) {
            const nlohmann::json* const found = reader.find(place, key);
            if (found != nullptr && found->is_number() && *found == 0) return 0.0;
        }
        return number(key, what, false);
    }
    [[nodiscard]] index_t max_length(bool required) const {
        return reader.integer(text, "max_position_embeddings", operand::max_length, 1, INT64_MAX, required);
    }
    /// The original length, which is max_position_embeddings where none is stated.
    [[nodiscard]] index_t original_length() const {
        std::vector<config_place> anywhere = ropes;
        anywhere.insert(anywhere.end(), text.begin(), text.end());
        const index_t stated =
            reader.integer(anywhere, "original_max_position_embeddings", operand::original_length, 1, INT64_MAX, false);
        return stated != 0 ? stated : max_length(true);
    }

    [[nodiscard]] spectrum::yarn yarn(double theta) const {
        spectrum::yarn rule{theta, 0.0, original_length()};
        rule.factor = number("factor", operand::factor, false);
        if (!(rule.factor > 0.0) && reader.ok())
            rule.factor = static_cast<double>(max_length(true)) / static_cast<double>(rule.original_length);
        rule.beta_fast = number("beta_fast", operand::beta_fast, false, rule.beta_fast);
        rule.beta_slow = number("beta_slow", operand::beta_slow, false, rule.beta_slow);
        rule.attention_factor = number("attention_factor", operand::attention_factor, false);
        rule.mscale = number_or_none("mscale", operand::attention_factor);
        rule.mscale_all_dim = number_or_none("mscale_all_dim", operand::attention_factor);
        for (const config_place& place : ropes) {
            const nlohmann::json* const found = reader.find(place, "truncate");
            if (found == nullptr) continue;
            const bool* const value = found->get_ptr<const nlohmann::json::boolean_t*>();
            if (value == nullptr)
                reader.refuse({errc::value_type, operand::rope_scaling, 0, 0, 0}, place.path + "truncate");
            else rule.truncate = *value;
        }
        return rule;
    }

    [[nodiscard]] scaled_spectrum operator()(scaling type, double theta) const {
        if (type == scaling::linear) return {spectrum::linear{theta, number("factor", operand::factor, true)}};
        if (type == scaling::yarn) return {yarn(theta)};
        if (type == scaling::llama3)
            return {spectrum::llama3{theta, number("factor", operand::factor, true),
                                     number("low_freq_factor", operand::low_freq_factor, true),
                                     number("high_freq_factor", operand::high_freq_factor, true), original_length()}};
        return {spectrum::geometric{theta}};
    }
};

}  // namespace detail
}  // namespace interop

POLYROPE_END
