// wants: positions are int32, int64, float32 or float64
#include "polyrope/cpu/rotate.hpp"

using namespace polyrope;

#ifdef SOUND
using position = std::int32_t;
#else
using position = short;
#endif

status turn(const rotary& rope, position* positions, float* q) {
    return cpu::rotate(rope, axis_major(positions, 3, 8), compact_heads(q, 8, 4, 128));
}
