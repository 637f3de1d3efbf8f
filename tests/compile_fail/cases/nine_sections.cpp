// wants: a chunked allocation has at most eight sections
#include "polyrope/frequency/chunked.hpp"

using polyrope::axis;

#ifdef SOUND
constexpr polyrope::section sections[] = {{axis::t, 1}, {axis::h, 1}, {axis::w, 1}};
#else
constexpr polyrope::section sections[] = {{axis::t, 1}, {axis::h, 1}, {axis::w, 1}, {axis::t, 1}, {axis::h, 1},
                                          {axis::w, 1}, {axis::t, 1}, {axis::h, 1}, {axis::w, 1}};
#endif

const polyrope::allocation::chunked allocation(sections);
