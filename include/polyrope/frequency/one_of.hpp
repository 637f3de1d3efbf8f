#pragma once
// A spectrum chosen at run time, one of a list of kinds, as a configuration names it. A table made of it holds the same
// numbers as one made of the spectrum itself.
//
//     spectrum::one_of<spectrum::geometric, spectrum::yarn> scaled{spectrum::yarn{5e6, 3.0, 262144}};
//     if (auto* rule = std::get_if<spectrum::yarn>(&scaled.chosen)) rule->correction_length = 4 * 262144;

#include <variant>

#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

template <class... Spectra>
struct one_of {
    static_assert((is_spectrum_v<Spectra> && ...), "every kind to choose from must be a spectrum");
    static_assert((!restarts_per_axis_v<Spectra> && ...), "restart the chosen spectrum: per_axis{one_of<...>{...}}");

    std::variant<Spectra...> chosen;

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept {
        return std::visit([&](const auto& s) { return s.validate(rotary_dim); }, chosen);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return std::visit([&](const auto& s) { return s.frequency(l, rotary_dim); }, chosen);
    }
    [[nodiscard]] double attention_scaling() const noexcept {
        return std::visit([](const auto& s) { return s.attention_scaling(); }, chosen);
    }
};

}  // namespace spectrum

POLYROPE_END
