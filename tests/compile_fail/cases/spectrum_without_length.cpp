// wants: the second argument must be a spectrum
#include "polyrope/frequency/dynamic_ntk.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/single_axis.hpp"

using namespace polyrope;

const spectrum::dynamic_ntk rule{1e6, 2.0, 32768};
#ifdef SOUND
const auto table = make_frequency_table(allocation::single_axis{}, rule.at_length(40000), 128, pairing::half_split);
#else
const auto table = make_frequency_table(allocation::single_axis{}, rule, 128, pairing::half_split);
#endif
