// Compiled once as it is and once with -march=native; CMakeLists.txt names the function.

#include "user_file.hpp"

#include <cstdlib>

#include "polyrope/cpu/rotate.hpp"

void bench::ROTATE_NAME(const polyrope::rotary& rope, polyrope::cos_sin_view<float> table,
                        polyrope::heads_view<float> q, polyrope::heads_view<float> k) {
    if (!polyrope::cpu::rotate(rope, table, q, k).ok()) std::abort();
}
