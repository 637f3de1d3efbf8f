#pragma once
// Two partial answers to the same queries, over keys that do not overlap, as one, on the device: what follows queries
// that several attention calls answered (mask/attention_calls.hpp), or keys that were split.
//
//     output = (e^a x + e^b y) / (e^a + e^b)      log_sum_exp = log(e^a + e^b)      a, b the two log-sum-exps
//
//     status s = cuda::merge_states(all, visual, rows, stream);       // visual queries alone have a second answer
//
// One launch, asynchronous on the caller's stream, no allocation, no synchronisation; a captured graph may hold it. In
// float32 the bits are those of merge_states on the host (attention/merge_states.hpp), errors too; bfloat16 and float16
// are rounded once. core/merged_states.hpp states the error.

#include "polyrope/cuda/detail/bind_merge.hpp"
#include "polyrope/cuda/detail/launch.cuh"
#include "polyrope/cuda/detail/source_of.hpp"

POLYROPE_BEGIN
namespace cuda {
namespace detail {

template <class T>
__global__ void __launch_bounds__(block_threads) merge_kernel(const POLYROPE_GRID_CONSTANT merge_task task) {
    const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.z + threadIdx.z;
    const auto m = static_cast<std::int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
    if (i >= task.from_rows || m >= task.heads) return;
    const index_t n = merged_row(task, i);
    if (n < 0) return;
    wait_for_predecessor();
    const unsigned lanes = blockDim.x, at = threadIdx.x + lanes * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned mask = (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u) << (at % 32u & ~(lanes - 1u));
    pd::merge_weights<float> weights{};
    if (threadIdx.x == 0) weights = weigh_head(task, i, n, m);
    weights.own = __shfl_sync(mask, weights.own, 0, static_cast<int>(lanes));
    weights.other = __shfl_sync(mask, weights.other, 0, static_cast<int>(lanes));
    merge_lane<T>(task, weights, i, n, m, static_cast<std::int32_t>(threadIdx.x), static_cast<std::int32_t>(lanes));
}

}  // namespace detail

struct merge_options {
    /// Programmatic dependent launch, sm_90 and later: the kernel starts while the one before it on the stream still
    /// runs, and waits for it behind the list of rows, which was written earlier than by that kernel.
    bool launch_early = false;
    bool check_memory = true;  ///< as rotate_options has it
};

/// Merges row i of `from` into row rows[i] of `into`, or into row i where `rows` is null. `rows` lies in device memory
/// and holds no row twice; a row that does not exist, as -1, is skipped. The two answers share no memory.
/// @return ok once the launch is queued, or what is wrong: nothing is launched then.
template <class T>
status merge_states(partial_attention<T> into, partial_attention<const T> from, const index_t* rows,
                    cudaStream_t stream, const merge_options& options = {}) noexcept {
    detail::merge_task task;
    detail::launch_shape shape;
    if (const status s = detail::bind_merge(task, into, from, rows); !s.ok()) return s;
    if (const status s = detail::shape_merge(shape, task); !s.ok()) return s;
    if (shape.token_blocks == 0) return {};
    if (options.check_memory) {
        if (const status s = detail::check_memory(task.into, operand::output); !s.ok()) return s;
        if (const status s = detail::check_memory(task.from, operand::attention); !s.ok()) return s;
        if (const status s = detail::check_memory(task.rows, operand::slots); !s.ok()) return s;
    }
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(shape.token_blocks), static_cast<unsigned>(shape.chunk_blocks));
    how.blockDim = dim3(static_cast<unsigned>(shape.lanes), static_cast<unsigned>(shape.chunks),
                        static_cast<unsigned>(shape.tokens));
    how.stream = stream;
    how.attrs = &early;
    how.numAttrs = options.launch_early ? 1 : 0;
    return detail::device_status(cudaLaunchKernelEx(&how, detail::merge_kernel<detail::storage_of<T>>, task));
}

}  // namespace cuda
POLYROPE_END
