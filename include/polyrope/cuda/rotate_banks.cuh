#pragma once
// Rotation for a mixed coordinate selection (mask/coordinate_selection.hpp) on the device: one pass over q and k turns
// visual tokens twice and text once, as cpu::rotate_banks does, with its bits.
//
//     text(2), image [1, 1, 3], text(1)      tv bank   t t v v v t     vv bank   v v v
//
// A selection that is not mixed is one ordinary rotation.

#include "polyrope/cuda/detail/bind_banks.hpp"
#include "polyrope/cuda/rotate.cuh"

POLYROPE_BEGIN
namespace cuda {

/// Turns q and k [tokens, heads, head_dim] of tokens first, first + 1, ... of a plan in place to their text-vision
/// positions, and their visual tokens into visual_q and visual_k [visual tokens, heads, head_dim] at their
/// vision-vision positions. `there` is the plan's copy on the device. k, and then visual_k, may be absent; so may both
/// second banks where the selection is not mixed. With a norm, both banks are normalised. Options hold no slots.
/// @return ok once the launch is queued, or what is wrong: nothing is launched then.
template <class T>
status rotate_banks(const device_rotary& rope, const position_plan& plan, const device_plan& there, token_index first,
                    coordinate_selection which, heads_view<T> q, heads_view<T> k, heads_view<T> visual_q,
                    heads_view<T> visual_k, cudaStream_t stream, const head_norm<T>& norm = {},
                    const rotate_options& options = {}) noexcept {
    using storage = detail::storage_of<T>;
    using source = detail::planned_rows;
    detail::rotate_task task;
    detail::parts what{};
    if (const status s =
            detail::bind_banks(task, what, rope, plan, there, first, which, q, k, visual_q, visual_k, norm, options);
        !s.ok())
        return s;
    return detail::launch_one_of<storage, source, detail::parts::plain, detail::parts::norm, detail::parts::banks,
                                 detail::parts::norm_banks>(what, task, rope.paired, stream, options);
}

}  // namespace cuda
POLYROPE_END
