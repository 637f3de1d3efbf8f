#pragma once
// Where the angles of a call come from. Every entry of the CPU backend takes any of these in the same place:
//
//     axis_major(p, 3, tokens)                       positions [axes, tokens], int32, int64, float32 or float64
//     planned(plan, first)                           straight from a plan: token n sits where the plan puts first + n
//     halves_table(cs, rows, 128, table_rows::tokens)        a row of cosines and sines per token
//     looked_up(table, positions)                    a row per whole position; each pair takes the row of its own axis

#include "polyrope/core/views.hpp"
#include "polyrope/layout/position_plan.hpp"
#include "polyrope/rotary/table.hpp"

POLYROPE_BEGIN
namespace cpu {

/// Tokens first, first + 1, ... of a plan, also past its prompt. The plan outlives the call.
struct planned_tokens {
    const position_plan* plan = nullptr;
    token_index first;
    position_source which = position_source::coordinates;
};

[[nodiscard]] inline planned_tokens planned(const position_plan& plan, token_index first,
                                            position_source which = position_source::coordinates) noexcept {
    return {&plan, first, which};
}

using polyrope::looked_up;
using polyrope::table_lookup;

}  // namespace cpu
POLYROPE_END
