// wants: the first argument must be an allocation
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"

using namespace polyrope;

#ifdef SOUND
allocation::chunked const sections = thw{16, 24, 24};
#else
thw const sections{16, 24, 24};
#endif

auto const table = make_frequency_table(sections, spectrum::geometric{1e6}, 128, pairing::half_split);
