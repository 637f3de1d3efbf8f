#pragma once
// Runs a launch on the host: the same bodies, block by block and thread by thread. The kernels are those of shipped.inl
// and no others.

#include "polyrope/cuda/detail/bind.hpp"

namespace polyrope::test {

/// Calls body(n, lane, chunk) for every thread that a launch has work for.
template <class Body>
void for_each_thread(const cuda::detail::rotate_task& task, const cuda::detail::launch_shape& shape, Body body) {
    for (index_t x = 0; x < shape.token_blocks; ++x)
        for (std::int32_t y = 0; y < shape.chunk_blocks; ++y)
            for (std::int32_t z = 0; z < shape.tokens; ++z)
                for (std::int32_t j = 0; j < shape.chunks; ++j)
                    for (std::int32_t lane = 0; lane < shape.lanes; ++lane) {
                        const index_t n = x * shape.tokens + z;
                        const std::int32_t chunk = y * shape.chunks + j;
                        if (n >= task.tokens || chunk * task.heads_each >= task.q.heads + task.k.heads) continue;
                        body(n, lane, chunk);
                    }
}

template <class T, class Source>
status run_on_host(const cuda::detail::rotate_task& task, pairing paired) {
    using namespace cuda::detail;
    const int pairs = pairs_per_thread(task, sizeof(T));
    launch_shape shape;
    if (const status s = shape_launch(shape, task, pairs); !s.ok()) return s;
    const channel_order order = paired == pairing::adjacent ? channel_order::adjacent : channel_order::half_split;
    bool found = false;
#define POLYROPE_CUDA_KERNEL(T_, order_, source_, pairs_)                                        \
    if constexpr (std::is_same_v<T, T_> && std::is_same_v<Source, source_>)                      \
        if (order == order_ && pairs == pairs_) {                                                \
            found = true;                                                                        \
            for_each_thread(task, shape, [&](index_t n, std::int32_t lane, std::int32_t chunk) { \
                turn_token<T_, order_, source_, pairs_>(task, n, lane, chunk);                   \
            });                                                                                  \
        }
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_KERNEL
    return found ? status{} : status{errc::unsupported, operand::none, 0, 0, 0};
}

/// cuda::rotate_to on the host; in place where q_from is null.
template <class T, class Source, class Positions>
status host_rotate(const cuda::device_rotary& rope, const Positions& positions, const heads_view<const T>* q_from,
                   heads_view<T> q, const heads_view<const T>* k_from, heads_view<T> k,
                   const cuda::rotate_options& options = {}) {
    using namespace cuda::detail;
    rotate_task task;
    if (const status s = bind_task<T>(task, rope, {q_from, q, options.q_shard, operand::q, operand::q_out},
                                      {k_from, k, options.k_shard, operand::k, operand::k_out}, options);
        !s.ok())
        return s;
    if (const status s = bind_source(task, rope, positions, options.way); !s.ok()) return s;
    return run_on_host<T, Source>(task, rope.paired);
}

}  // namespace polyrope::test
