#pragma once
// What a call on the device may say beyond its operands.

#include "polyrope/core/operands.hpp"
#include "polyrope/rotary/direction.hpp"

POLYROPE_BEGIN
namespace cuda {

struct rotate_options {
    direction way = direction::forward;
    slot_list slots{};  ///< device memory; -1 skips a token, which is how a captured graph is padded
    head_shard q_shard{}, k_shard{};
};

}  // namespace cuda
POLYROPE_END
