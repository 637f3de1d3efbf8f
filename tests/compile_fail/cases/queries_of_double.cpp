// wants: q and k hold float, polyrope::bf16, polyrope::f16 or a type that element_traits is specialised for
#include "polyrope/cpu/rotate.hpp"

using namespace polyrope;

#ifdef SOUND
using element_type = float;
#else
using element_type = double;
#endif

status turn(const rotary& rope, std::int32_t* positions, element_type* q) {
    return cpu::rotate(rope, axis_major(positions, 3, 8), compact_heads(q, 8, 4, 128));
}
