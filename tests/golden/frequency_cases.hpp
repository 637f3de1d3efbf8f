#pragma once
// Frequency cases of the research files: `inv_freq` and `axis_per_pair`, and cosines and sines of a few tokens.

#include <cstdlib>

#include "golden/rotation_cases.hpp"
#include "polyrope/frequency/geometric.hpp"

namespace polyrope::test {

/// Units in the last place between two float32 numbers of one sign.
inline int units_between(float a, float b) {
    return std::abs(detail::bit_copy<std::int32_t>(a) - detail::bit_copy<std::int32_t>(b));
}

/// Every frequency case of a group: axes equal, the library's own frequencies within 4 units of the stored ones, cosines
/// and sines from the stored ones within 1e-6. `make_allocation(case, pairs)` gives the allocation, `make_spectrum(case)`
/// the spectrum.
template <class MakeAllocation, class MakeSpectrum>
void check_frequency_cases(const std::string& file, const std::string& group, MakeAllocation make_allocation,
                           MakeSpectrum make_spectrum) {
    for (std::size_t i = 0; i < golden(file).at(group).size(); ++i) {
        golden_case one(file, group, i);
        const json& c = one.data();
        INFO(one.name());
        if (one.listed()) continue;
        const auto rotary_dim = c.at("rotary_dim").get<index_t>();
        const auto allocation = make_allocation(c, rotary_dim / 2);
        const auto own = make_frequency_table(allocation, make_spectrum(c), rotary_dim, pairing::half_split, {0.0, 3});
        INFO(to_string(own.error()).c_str());
        REQUIRE(own.ok());
        const auto inv_freq = c.at("inv_freq").get<std::vector<float>>();
        REQUIRE(inv_freq.size() == static_cast<std::size_t>(own->pairs()));
        REQUIRE(c.at("axis_per_pair").size() == inv_freq.size());
        for (index_t l = 0; l < own->pairs(); ++l) {
            const pair_frequency& pair = own->at(0, l);
            const auto at = static_cast<std::size_t>(l);
            CAPTURE(l, pair.inv_freq, inv_freq[at]);
            CHECK(one.equal(static_cast<int>(pair.which), c["axis_per_pair"][at].get<int>()));
            if (pair.which != axis_none)
                CHECK(one.compared(1, units_between(pair.inv_freq, inv_freq[at]) <= 4 ? 0 : 1));
        }
        const auto stored =
            make_frequency_table(allocation, spectrum::explicit_frequencies<float>{inv_freq.data(), own->pairs()},
                                 rotary_dim, pairing::half_split, {0.0, 3});
        REQUIRE(stored.ok());
        check_cosines_and_sines(one, make_rotary(*stored, {phase::float32, rounding::once}).value(), c.at("tokens"));
    }
}
template <class MakeAllocation>
void check_frequency_cases(const std::string& file, const std::string& group, MakeAllocation make_allocation) {
    check_frequency_cases(file, group, make_allocation,
                          [](const json& c) { return spectrum::geometric{c.at("base").get<double>()}; });
}

}  // namespace polyrope::test
