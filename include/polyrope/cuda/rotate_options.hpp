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
    /// Programmatic dependent launch, sm_90 and later: the kernel starts while the one before it on the stream still
    /// runs, reads positions, tables and everything else but q, k and v, and waits for it before those. So all but q, k
    /// and v were written earlier than by that kernel.
    bool launch_early = false;
    /// Asks the driver whether q and k lie in memory that the device can read: some 100 ns each.
    bool check_memory = true;
};

}  // namespace cuda
POLYROPE_END
