// wants: a choice of rotaries needs positions
#include "polyrope/cpu/rotary_choice.hpp"

using namespace polyrope;

status turn(const cpu::rotary_choice& choice, const std::int32_t* positions, float* rows, float* q) {
#ifdef SOUND
    static_cast<void>(rows);
    return cpu::rotate(choice, axis_major(positions, 3, 8), compact_heads(q, 8, 4, 128));
#else
    static_cast<void>(positions);
    return cpu::rotate(choice, halves_table(rows, 8, 128, table_rows::tokens), compact_heads(q, 8, 4, 128));
#endif
}
