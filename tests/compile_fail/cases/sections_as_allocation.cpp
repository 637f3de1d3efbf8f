// wants: the first argument must be an allocation
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"

using namespace polyrope;

#ifdef SOUND
const allocation::chunked sections = thw{16, 24, 24};
#else
const thw sections{16, 24, 24};
#endif

const auto table = make_frequency_table(sections, spectrum::geometric{1e6}, 128, pairing::half_split);
