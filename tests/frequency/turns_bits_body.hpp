#pragma once
// Included by translation units that define TURNS_BITS_NAME and compile it with different flags.

#include "polyrope/frequency/dynamic_ntk.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/linear.hpp"
#include "polyrope/frequency/llama3.hpp"
#include "polyrope/frequency/log_scaled.hpp"
#include "polyrope/frequency/longrope.hpp"
#include "polyrope/frequency/ntk_alpha.hpp"
#include "polyrope/frequency/proportional.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/yarn.hpp"

#include <cstdint>
#include <vector>

std::vector<std::uint32_t> TURNS_BITS_NAME() {
    using namespace polyrope;
    std::vector<std::uint32_t> bits;
    // Parameters that the compiler can see through are what -ffast-math rewrites.
    const auto put = [&](double seen) {
        bits.push_back(static_cast<std::uint32_t>(detail::bit_copy<std::uint64_t>(seen)));
        bits.push_back(static_cast<std::uint32_t>(detail::bit_copy<std::uint64_t>(seen) >> 32));
    };
    const auto put_spectrum = [&](const auto& s) {
        for (index_t l = 0; l < 64; ++l) put(s.frequency(l, 128));
        put(s.attention_scaling());
    };
    std::vector<float> divisors;
    for (int i = 0; i < 64; ++i) divisors.push_back(1.0f + 0.25f * static_cast<float>(i));
    put_spectrum(spectrum::geometric{5e6});
    put_spectrum(spectrum::linear{5e6, 3.0});
    put_spectrum(spectrum::ntk_alpha{1e4, 1000.0});
    put_spectrum(spectrum::dynamic_ntk{1e4, 3.0, 4096}.at_length(5000));
    put_spectrum(spectrum::yarn{5e6, 3.0, 262144});
    put_spectrum(spectrum::llama3{5e5, 7.0, 1.0, 4.0, 8192});
    put_spectrum(spectrum::longrope<float>{1e4, divisors.data(), divisors.data(), 64, 4096, 131072}.at_length(9000));
    put_spectrum(spectrum::proportional{1e6, 0.75, 3.0});
    put_spectrum(spectrum::log_scaled{1e6, 3.0});
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
