#pragma once
// Rotaries for tests: a frequency per pair in steps that no two pairs share, axes as they come.

#include <cmath>
#include <string>
#include <vector>

#include "polyrope/rotary/rotary.hpp"
#include "random.hpp"

namespace polyrope::test {

/// "thw-" to axes.
inline std::vector<axis> axes_of(const std::string& letters) {
    std::vector<axis> all;
    for (const char c : letters) {
        auto a = axis_none;
        for (int i = 0; i < max_axes; ++i)
            if (letter(static_cast<axis>(i)) == c) a = static_cast<axis>(i);
        all.push_back(a);
    }
    return all;
}

/// Every pairing of a width: half_split, adjacent, and blocks from narrow to wide.
inline std::vector<pairing> pairings_of(index_t rotary_dim) {
    std::vector<pairing> all = {pairing::half_split, pairing::adjacent};
    for (index_t block = 4; block < rotary_dim; block += 2)
        if (rotary_dim % block == 0) all.push_back(pairing::blocks(block));
    return all;
}
/// One of them, each of the three kinds as often as the others.
inline pairing any_pairing(random_bits& random, index_t rotary_dim) {
    const std::vector<pairing> all = pairings_of(rotary_dim);
    const auto kind = random.between(0, all.size() > 2 ? 2 : 1);
    return all[static_cast<std::size_t>(kind < 2 ? kind : random.between(2, static_cast<index_t>(all.size()) - 1))];
}

struct rope_shape {
    index_t rotary_dim = 64;
    int axes = 3;
    index_t groups = 1;
    pairing paired = pairing::half_split;
    double theta = 1e6;
    double attention_scaling = 1.0;
    bool leaves_pairs_out = false;  ///< every seventh pair has no axis
};

/// Pair l of group g turns by axis (l + g) mod axes; frequencies as in the geometric spectrum, shrunk
/// a little per group.
inline frequency_table make_frequencies(const rope_shape& shape) {
    const index_t pairs = shape.rotary_dim / 2;
    std::vector<axis_frequency> entries;
    for (index_t g = 0; g < shape.groups; ++g) {
        for (index_t l = 0; l < pairs; ++l) {
            const bool out = shape.leaves_pairs_out && (l + g) % 7 == 3;
            const double frequency =
                std::pow(shape.theta, -static_cast<double>(2 * l) / static_cast<double>(shape.rotary_dim)) /
                (1.0 + 0.125 * static_cast<double>(g));
            entries.push_back({out ? axis_none : static_cast<axis>((l + g) % shape.axes), frequency});
        }
    }
    frequency_options options;
    options.attention_scaling = shape.attention_scaling;
    return make_frequency_table(entries.data(), shape.groups, pairs, shape.axes, shape.paired, options).value();
}

inline rotary make_rope(const rope_shape& shape, rotary_options options = {}) {
    return make_rotary(make_frequencies(shape), options).value();
}

}  // namespace polyrope::test
