#pragma once
// Included by translation units that define TURNS_BITS_NAME and compile it with different flags.

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/single_axis.hpp"

#include <cstdint>
#include <vector>

std::vector<std::uint32_t> TURNS_BITS_NAME() {
    using namespace polyrope;
    std::vector<std::uint32_t> bits;
    // A base that the compiler can see through is what -ffast-math rewrites.
    for (index_t l = 0; l < 64; ++l) {
        const auto seen = detail::bit_copy<std::uint64_t>(spectrum::geometric{5e6}.frequency(l, 128));
        bits.push_back(static_cast<std::uint32_t>(seen));
        bits.push_back(static_cast<std::uint32_t>(seen >> 32));
    }
    for (const double theta : {1e4, 5e5, 1e6, 5e6, 1e7, 0.25}) {
        const auto table =
            make_frequency_table(allocation::single_axis{}, spectrum::geometric{theta}, 256, pairing::half_split);
        for (index_t l = 0; l < table.value().pairs(); ++l) {
            const pair_frequency& pair = table.value().at(0, l);
            for (const float number : {pair.inv_freq, pair.turns_hi, pair.turns_lo, pair.wrapped_hi, pair.wrapped_lo})
                bits.push_back(detail::bit_copy<std::uint32_t>(number));
        }
    }
    std::uint64_t state = 1;
    for (int i = 0; i < 20000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto exponent = (state >> 8) % 140u + 900u;  // 2^-123 to 2^16
        const auto pattern = (state & 0x800fffffffffffffu) | (exponent << 52);
        const double frequency = detail::bit_copy<double>(pattern);
        const float_pair turns = turns_of(frequency), wrapped = wrapped_turns_of(frequency);
        for (const float number : {turns.hi, turns.lo, wrapped.hi, wrapped.lo})
            bits.push_back(detail::bit_copy<std::uint32_t>(number));
    }
    return bits;
}
