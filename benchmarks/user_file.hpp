#pragma once
// One call of a user's file, compiled twice into one program: with plain -O2 and for this machine.

#include "polyrope/core/views.hpp"
#include "polyrope/rotary/rotary.hpp"
#include "polyrope/rotary/table.hpp"

namespace bench {

void rotate_plain(const polyrope::rotary& rope, polyrope::cos_sin_view<float> table, polyrope::heads_view<float> q,
                  polyrope::heads_view<float> k);
void rotate_native(const polyrope::rotary& rope, polyrope::cos_sin_view<float> table, polyrope::heads_view<float> q,
                   polyrope::heads_view<float> k);

}  // namespace bench
