#pragma once
// Sines and cosines in long double, and the largest distance of a table from them.

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <vector>

#include "polyrope/cpu/table.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/single_axis.hpp"

namespace polyrope::test {

// Long double is hardware on x86; where it is software, a sixteenth of the numbers is looked at.
inline constexpr int thinning = LDBL_MANT_DIG == 64 ? 1 : 16;

/// One axis turns `rotary_dim` channels by the geometric spectrum of `theta`.
inline rotary one_axis(double theta, index_t rotary_dim, phase angle = phase::exact) {
    return make_rotary(make_frequency_table(allocation::single_axis{}, spectrum::geometric{theta}, rotary_dim,
                                            pairing::half_split)
                           .value(),
                       {angle, rounding::once})
        .value();
}

/// Cosines and sines [tokens, pairs, 2] of positions on one axis.
template <class P>
std::vector<float> cos_sin_of(const rotary& rope, const std::vector<P>& positions) {
    const auto tokens = static_cast<index_t>(positions.size());
    std::vector<float> table(static_cast<std::size_t>(tokens * rope.rotary_dim()));
    const status s = cpu::fill_table(rope, axis_major(positions.data(), 1, tokens),
                                     pairs_table(table.data(), tokens, rope.rotary_dim(), table_rows::tokens));
    if (!s.ok()) table.clear();
    return table;
}

/// Largest |cos - truth| and |sin - truth| over all pairs; infinite where the table could not be made.
template <class P>
double largest_error(const rotary& rope, const std::vector<P>& positions) {
    const std::vector<float> table = cos_sin_of(rope, positions);
    if (table.empty()) return HUGE_VAL;
    double worst = 0.0;
    std::size_t at = 0;
    for (const P p : positions) {
        for (index_t l = 0; l < rope.pairs(); ++l, at += 2) {
            const long double angle =
                static_cast<long double>(p) * static_cast<long double>(rope.frequencies().at(0, l).frequency);
            const auto c = static_cast<double>(std::fabs(static_cast<long double>(table[at]) - std::cos(angle)));
            const auto s = static_cast<double>(std::fabs(static_cast<long double>(table[at + 1]) - std::sin(angle)));
            if (!(c <= worst)) worst = c;
            if (!(s <= worst)) worst = s;
        }
    }
    return worst;
}

}  // namespace polyrope::test
