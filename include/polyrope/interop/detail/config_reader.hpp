#pragma once
// Looks keys up in a parsed config.json where several places may hold them (text_config or the top, rope_scaling or
// rope_parameters) and all that do must agree. Throws nothing, whatever the document holds; the first refusal stays.

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

#include "polyrope/core/checked.hpp"
#include "polyrope/core/result.hpp"

POLYROPE_BEGIN

namespace interop {

/// What a reader looked at: the keys it used, in order, and the key that a refusal speaks of.
struct config_report {
    std::vector<std::string> used;
    std::string refused;
};

namespace detail {

/// An object of the document and the way to it.
struct config_place {
    const nlohmann::json* object;
    std::string path;  ///< "" at the top, else with a point at its end
};

class config_reader {
public:
    explicit config_reader(config_report& report) noexcept : report_(report) {}

    [[nodiscard]] bool ok() const noexcept { return error_.ok(); }
    [[nodiscard]] status error() const noexcept { return error_; }

    void refuse(status s, std::string key) {
        if (!ok()) return;
        error_ = s;
        report_.refused = std::move(key);
    }

    /// The value of a key, or null where the key is absent or null.
    [[nodiscard]] const nlohmann::json* find(const config_place& place, const char* key) {
        const auto found = place.object->find(key);
        if (found == place.object->end() || found->is_null()) return nullptr;
        report_.used.push_back(place.path + key);
        return &*found;
    }

    /// The object under a key: places grows by it. Anything else under the key is refused.
    void descend(const config_place& from, const char* key, operand what, std::vector<config_place>& places) {
        const nlohmann::json* const found = find(from, key);
        if (found == nullptr) return;
        if (!found->is_object()) return refuse({errc::value_type, what, 0, 0, 0}, from.path + key);
        places.push_back({found, from.path + key + '.'});
    }

    /// A whole number in [lowest, highest], equal wherever it stands. `fallback` where it is absent, which is refused
    /// if `required`.
    index_t integer(const std::vector<config_place>& places, const char* key, operand what, index_t lowest,
                    index_t highest, bool required, index_t fallback = 0) {
        index_t value = fallback;
        bool seen = false;
        for (const config_place& place : places) {
            const nlohmann::json* const found = find(place, key);
            if (found == nullptr) continue;
            index_t here = 0;
            if (!found->is_number_integer())
                return refuse({errc::value_type, what, 0, 0, 0}, place.path + key), fallback;
            if (!whole(*found, here)) here = index_max;
            if (here < lowest || here > highest)
                return refuse({errc::value_invalid, what, 0, here < lowest ? lowest : highest, here}, place.path + key),
                       fallback;
            if (seen && here != value)
                return refuse({errc::key_conflict, what, 0, value, here}, place.path + key), fallback;
            value = here;
            seen = true;
        }
        if (!seen && required) refuse({errc::key_missing, what, 0, 0, 0}, key);
        return value;
    }

    /// A finite number above zero and at most `highest`, equal wherever it stands.
    double real(const std::vector<config_place>& places, const char* key, operand what, double highest, bool required,
                double fallback = 0.0) {
        double value = fallback;
        bool seen = false;
        for (const config_place& place : places) {
            const nlohmann::json* const found = find(place, key);
            if (found == nullptr) continue;
            if (!found->is_number()) return refuse({errc::value_type, what, 0, 0, 0}, place.path + key), fallback;
            double here = 0.0;
            if (const auto* const f = found->get_ptr<const nlohmann::json::number_float_t*>()) here = *f;
            index_t n = index_max;
            if (found->is_number_integer()) here = static_cast<double>(whole(*found, n) ? n : index_max);
            if (!(here > 0.0) || !(here <= highest))
                return refuse({errc::value_invalid, what, 0, rounded(highest), rounded(here)}, place.path + key),
                       fallback;
            if (seen && (here < value || here > value))
                return refuse({errc::key_conflict, what, 0, rounded(value), rounded(here)}, place.path + key), fallback;
            value = here;
            seen = true;
        }
        if (!seen && required) refuse({errc::key_missing, what, 0, 0, 0}, key);
        return value;
    }

    /// Reads a whole number; false where it is another type or does not fit 64 bits.
    [[nodiscard]] static bool whole(const nlohmann::json& value, index_t& out) noexcept {
        if (const auto* const u = value.get_ptr<const nlohmann::json::number_unsigned_t*>()) {
            if (*u > static_cast<nlohmann::json::number_unsigned_t>(index_max)) return false;
            out = static_cast<index_t>(*u);
            return true;
        }
        if (const auto* const i = value.get_ptr<const nlohmann::json::number_integer_t*>()) {
            out = *i;
            return true;
        }
        return false;
    }

    [[nodiscard]] static const std::string* text(const nlohmann::json& value) noexcept {
        return value.get_ptr<const nlohmann::json::string_t*>();
    }

private:
    /// For sentences: the whole part, within 64 bits.
    [[nodiscard]] static index_t rounded(double value) noexcept {
        return value > -9.2e18 && value < 9.2e18 ? static_cast<index_t>(value) : value > 0.0 ? index_max : 0;
    }

    config_report& report_;
    status error_{};
};

}  // namespace detail
}  // namespace interop

POLYROPE_END
