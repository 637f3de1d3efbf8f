#pragma once
// What a call on the CPU may say beyond its operands: which tokens, whose share, which way, which
// level, which cache slots.

#include "polyrope/core/operands.hpp"
#include "polyrope/core/partition.hpp"
#include "polyrope/cpu/level.hpp"
#include "polyrope/rotary/direction.hpp"

POLYROPE_BEGIN
namespace cpu {

using polyrope::head_shard;
using polyrope::slot_list;

struct rotate_options {
    token_range tokens{token_index{0}, token_index{index_max}};  ///< the part to turn; by default all
    partition part{};                                            ///< this worker's share of it
    direction way = direction::forward;
    level use = level::automatic;  ///< a level that is forced also takes data off its preferred alignment
    slot_list slots{};
    head_shard q_shard{}, k_shard{};
};

}  // namespace cpu
POLYROPE_END
