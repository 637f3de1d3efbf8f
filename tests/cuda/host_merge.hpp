#pragma once
// Runs a merge launch on the host: the same bodies, block by block and thread by thread.

#include "polyrope/cuda/detail/bind_merge.hpp"

namespace polyrope::test {

template <class T>
void run_merge(const cuda::detail::merge_task& task, const cuda::detail::launch_shape& shape) {
    using namespace cuda::detail;
    for (index_t i = 0; i < shape.token_blocks * shape.tokens; ++i)
        for (std::int32_t m = 0; m < shape.chunk_blocks * shape.chunks; ++m) {
            if (i >= task.from_rows || m >= task.heads) continue;
            const index_t n = merged_row(task, i);
            if (n < 0) continue;
            const auto weights = weigh_head(task, i, n, m);
            for (std::int32_t lane = 0; lane < shape.lanes; ++lane)
                merge_lane<T>(task, weights, i, n, m, lane, shape.lanes);
        }
}

/// cuda::merge_states on the host.
template <class T>
status host_merge(const cuda::partial_attention<T>& into, const cuda::partial_attention<const T>& from,
                  const index_t* rows) {
    cuda::detail::merge_task task;
    cuda::detail::launch_shape shape;
    if (const status s = cuda::detail::bind_merge(task, into, from, rows); !s.ok()) return s;
    if (const status s = cuda::detail::shape_merge(shape, task); !s.ok()) return s;
    run_merge<T>(task, shape);
    return {};
}

}  // namespace polyrope::test
