#pragma once
// The rotation with what stands around it in an engine, in one launch: RMSNorm of each head before it, e4m3 outputs and
// the write of k and v to a paged cache behind it. Any combination, any source of positions, any layout:
//
//     cuda::fused_heads<bf16, bf16, e4m3> step;
//     step.q = q, step.k = k, step.v = v, step.q_out = q_in_place;
//     step.norm = {q_weight, k_weight, 1e-6f};
//     step.cache = cuda::nhd_cache(k_pages, v_pages, pages, 16, 8, 128);
//     step.places.slots = {slots, tokens};
//     step.k_scale.multiplier = 1 / k_scale;
//     status s = cuda::rotate_fused(rope, positions, step, stream);
//
// Reads each of q, k and v once and writes each result once. Bits: those of the host's run of the same steps; without
// norm those of cpu::rotate, rounded once more where they become e4m3. Caches and e4m3 outputs need rows on 16-byte
// boundaries (8 for e4m3) and a multiple of eight pairs; heads that are normalised have at most 512 channels.

#include "polyrope/cuda/detail/bind_fused.hpp"
#include "polyrope/cuda/rotate.cuh"

POLYROPE_BEGIN
namespace cuda {

/// @return ok once the launch is queued, or what is wrong: nothing is launched then.
template <class T, class Q, class C, class Positions>
status rotate_fused(const device_rotary& rope, const Positions& positions, const fused_heads<T, Q, C>& heads,
                    cudaStream_t stream, const rotate_options& options = {}) noexcept {
    using source = detail::required_source<Positions>;
    using type = typename source::type;
    using storage = detail::storage_of<T>;
    detail::rotate_task task;
    detail::parts what{};
    if (const status s = detail::bind_fused(task, what, rope, heads, options); !s.ok()) return s;
    if (const status s = detail::bind_source(task, rope, typename source::view(positions), options.way); !s.ok())
        return s;
    return detail::launch_one_of<storage, type, detail::parts::plain, detail::parts::norm, detail::parts::write,
                                 detail::parts::norm_write>(what, task, rope.paired, stream, options);
}

}  // namespace cuda
POLYROPE_END
