#pragma once
// The CUDA kernel: turns queries and keys [tokens, heads, head_dim] on the device by their tokens' positions, together,
// in place or not: one launch, asynchronous on the caller's stream, no allocation, no synchronisation; a captured graph
// may hold it. The bits are those of cpu::rotate.
//
//     const auto rope = cuda::on_device(host_rope, memory);
//     status s = cuda::rotate(rope, axis_major(positions, 3, tokens), q, k, stream);
//
// Positions are int32, int64 or float32 in device memory, [axes, tokens] in either order; or they come straight from
// a plan (planned), from the tails of requests that decode (decode_tails), or as a row of cosines and sines per token
// (cos_sin_view). Positions lie within int32; the host cannot look. Rows on 16-byte boundaries and a multiple of eight
// pairs are moved in 16-byte accesses, others element by element.

#include "polyrope/cuda/detail/launch.cuh"
#include "polyrope/cuda/detail/source_of.hpp"

POLYROPE_BEGIN
namespace cuda {
namespace detail {

template <class Source, class T, class Positions>
[[nodiscard]] status rotate_operands(const device_rotary& rope, const Positions& positions,
                                     const pd::operand_pair<T>& q, const pd::operand_pair<T>& k, cudaStream_t stream,
                                     const rotate_options& options) noexcept {
    rotate_task task;
    pd::call_footprints at;
    if (const status s = bind_task(task, at, rope, q, k, options); !s.ok()) return s;
    if (const status s = bind_source(task, rope, positions, options.way); !s.ok()) return s;
    return launch_listed<storage_of<T>, Source, parts::plain>(task, rope.paired, stream, options);
}

}  // namespace detail

/// Turns q and k in place. k may be absent (no_heads).
/// @return ok once the launch is queued, or what is wrong: nothing is launched then.
template <class T, class Positions>
status rotate(const device_rotary& rope, const Positions& positions, heads_view<T> q, heads_view<T> k,
              cudaStream_t stream, const rotate_options& options = {}) noexcept {
    using source = detail::required_source<Positions>;
    return detail::rotate_operands<typename source::type, T>(
        rope, typename source::view(positions), {nullptr, q, options.q_shard, operand::q, operand::q},
        {nullptr, k, options.k_shard, operand::k, operand::k}, stream, options);
}

/// Turns q and k into q_out and k_out; channels past rotary_dim are copied. An output may be its own input, and nothing
/// else may overlap.
template <class T, class Positions>
status rotate_to(const device_rotary& rope, const Positions& positions, heads_view<const T> q, heads_view<const T> k,
                 heads_view<T> q_out, heads_view<T> k_out, cudaStream_t stream,
                 const rotate_options& options = {}) noexcept {
    using source = detail::required_source<Positions>;
    return detail::rotate_operands<typename source::type, T>(
        rope, typename source::view(positions), {&q, q_out, options.q_shard, operand::q, operand::q_out},
        {&k, k_out, options.k_shard, operand::k, operand::k_out}, stream, options);
}

}  // namespace cuda
POLYROPE_END
