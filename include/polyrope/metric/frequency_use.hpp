#pragma once
// Which part of the spectrum each axis gets, as wavelengths. "Full frequency utilisation" of Revisiting Multimodal
// Positional Encoding in Vision-Language Models, arXiv:2510.23095, section 3: an axis of fast pairs alone cannot tell
// far places apart, one of slow pairs alone cannot tell near ones apart. The wavelength of a pair is 2 pi over its
// frequency, in positions.
//
//     chunked thw{16, 24, 24}, 128 channels, theta 1e6:        t 16 pairs, wavelengths 6.28 to 160: 0.24 of the spectrum
//     interleaved thw{24, 20, 20}, 128 channels, theta 5e6:    t 24 pairs, wavelengths 6.28 to 2.47e+07: 1.00

#include <cmath>
#include <cstdio>
#include <string>

#include "polyrope/metric/detail/tokens.hpp"

POLYROPE_BEGIN

namespace metric {

/// Positions of one turn of a pair; infinite for a pair that stands still.
[[nodiscard]] inline double wavelength(const pair_frequency& pair) noexcept {
    const double frequency = std::fabs(pair.frequency);
    return frequency > 0.0 ? 6.283185307179586476925 / frequency : HUGE_VAL;
}

struct axis_use {
    axis which = axis_none;
    index_t pairs = 0;      ///< over all head groups
    double shortest = 0.0;  ///< wavelengths, in positions; zero without pairs
    double longest = 0.0;
    double share = 0.0;  ///< of the spectrum between the two, on a logarithmic scale: 0 to 1
};

/// An entry for each axis of a table, and a last one, axis_none, for pairs that do not rotate. The spectrum reaches
/// from the shortest to the longest wavelength of any pair that rotates.
[[nodiscard]] inline std::vector<axis_use> frequency_use(const frequency_table& table) {
    std::vector<axis_use> all(static_cast<std::size_t>(table.axes()) + 1);
    for (int a = 0; a < table.axes(); ++a) all[static_cast<std::size_t>(a)].which = static_cast<axis>(a);
    double shortest = HUGE_VAL, longest = 0.0;
    for (index_t i = 0; i < table.groups() * table.pairs(); ++i) {
        const pair_frequency& pair = table.data()[i];
        const bool still = pair.which == axis_none || !(std::fabs(pair.frequency) > 0.0);
        axis_use& use = still ? all.back() : all[static_cast<std::size_t>(pair.which)];
        ++use.pairs;
        if (still) continue;
        const double length = wavelength(pair);
        use.shortest = use.pairs == 1 ? length : std::fmin(use.shortest, length);
        use.longest = std::fmax(use.longest, length);
        shortest = std::fmin(shortest, length);
        longest = std::fmax(longest, length);
    }
    for (axis_use& use : all)
        if (use.longest > 0.0)
            use.share = longest > shortest ? std::log(use.longest / use.shortest) / std::log(longest / shortest) : 1.0;
    return all;
}

namespace detail {
[[nodiscard]] inline std::string in_digits(const char* format, double value) {
    char text[40];
    std::snprintf(text, sizeof(text), format, value);
    for (char& c : text)
        if (c == ',') c = '.';
    return text;
}
}  // namespace detail

/// All pairs of a table as a table in markdown: group, pair, axis, radians per position, wavelength in positions.
[[nodiscard]] inline std::string wavelength_table(const frequency_table& table) {
    std::string text =
        "| group | pair | axis | radians per position | wavelength, positions |\n|---:|---:|:---:|---:|---:|\n";
    for (index_t group = 0; group < table.groups(); ++group)
        for (index_t l = 0; l < table.pairs(); ++l) {
            const pair_frequency& pair = table.at(group, l);
            const bool still = pair.which == axis_none || !(std::fabs(pair.frequency) > 0.0);
            text += "| " + std::to_string(group) + " | " + std::to_string(l) + " | " + letter(pair.which) + " | " +
                    (still ? "0" : detail::in_digits("%.6g", pair.frequency)) + " | " +
                    (still ? "does not turn" : detail::in_digits("%.6g", wavelength(pair))) + " |\n";
        }
    return text;
}

}  // namespace metric

POLYROPE_END
