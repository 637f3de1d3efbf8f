#pragma once
// What a call on the CPU may say beyond its operands: which tokens, whose share, which way, which
// level, which cache slots.

#include "polyrope/core/checked.hpp"
#include "polyrope/core/partition.hpp"
#include "polyrope/cpu/level.hpp"
#include "polyrope/rotary/direction.hpp"

POLYROPE_BEGIN
namespace cpu {

/// Which heads of the whole model a view holds, for tables that turn head groups differently: heads
/// [first, first + heads) of `all`. `all` 0: the view holds all of them.
struct head_shard {
    index_t first = 0;
    index_t all = 0;
};

/// Token n lies in cache slot slots[n] instead of slot n; -1: the token is skipped. No slot comes twice.
struct slot_list {
    const index_t* slots = nullptr;
    index_t count = 0;
};

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
