#pragma once
// Long-range decay as pictures show it: over the head groups that read an axis, and smooth in distance.

#include "polyrope/metric/content_free.hpp"

POLYROPE_BEGIN

namespace draw {
namespace detail {

/// Entries of a table that a picture of its decay looks at; of more head groups than that, the first ones.
inline constexpr index_t most_decay_entries = index_t{1} << 14;

/// The mean over the head groups that read an axis of `direction`; below zero where none does.
[[nodiscard]] inline double decay_of(const frequency_table& table, const coordinate& direction, double distance) {
    double sum = 0.0;
    index_t groups = 0;
    const index_t most = most_decay_entries / (table.pairs() > 0 ? table.pairs() : 1);
    for (index_t group = 0; group < table.groups() && group <= most; ++group) {
        bool reads = false;
        for (index_t l = 0; l < table.pairs() && !reads; ++l) {
            const axis which = table.at(group, l).which;
            reads = which != axis_none && direction[which] > 0.0;
        }
        if (!reads) continue;
        ++groups;
        sum += metric::long_range_decay(table, direction, distance, group).bound;
    }
    return groups > 0 ? sum / static_cast<double>(groups) : -1.0;
}

/// The mean around a distance, between it and its neighbours on a logarithmic scale, without the ripples between them.
[[nodiscard]] inline double smoothed(const frequency_table& table, const coordinate& direction, double distance,
                                     double factor = 1.1) {
    constexpr int samples = 9;
    double sum = 0.0;
    for (int i = 0; i < samples; ++i)
        sum += decay_of(table, direction, distance * std::pow(factor, 2.0 * i / (samples - 1) - 1.0));
    return sum / samples;
}

}  // namespace detail
}  // namespace draw

POLYROPE_END
