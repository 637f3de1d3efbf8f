// wants: positions come as a positions_view
#include "polyrope/cpu/rotate.hpp"

using namespace polyrope;

status turn(const rotary& rope, std::int32_t* positions, float* q) {
#ifdef SOUND
    return cpu::rotate(rope, axis_major(positions, 3, 8), compact_heads(q, 8, 4, 128));
#else
    return cpu::rotate(rope, positions, compact_heads(q, 8, 4, 128));
#endif
}
