// Frequency tables of vanilla RoPE, M-RoPE and MRoPE-I: axis and frequency of every pair, and cosines and sines made
// with the stored frequencies.

#include <cstdlib>

#include "golden/frequency_cases.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("frequencies of vanilla RoPE, M-RoPE and MRoPE-I are the references'", "[golden]") {
    check_frequency_cases("research/vanilla.json", "frequency_cases",
                          [](const json&, index_t) { return allocation::single_axis{}; });
    check_frequency_cases("research/mrope.json", "frequency_cases", [](const json& one, index_t) {
        return allocation::chunked{sections_of(one["params"]["mrope_section"])};
    });
    check_frequency_cases("research/mrope_i.json", "frequency_cases", [](const json& one, index_t) {
        return allocation::interleaved{sections_of(one["params"]["mrope_section"])};
    });
}
