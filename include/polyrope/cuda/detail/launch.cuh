#pragma once
// The kernel and its launch. The body is turn_token, which the host runs too.

#include <cuda_runtime_api.h>

#include "polyrope/cuda/detail/bind.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

template <class T, channel_order Order, class Source, int Pairs>
__global__ void __launch_bounds__(block_threads, 2) turn_kernel(const __grid_constant__ rotate_task task) {
    const index_t n = static_cast<index_t>(blockIdx.x) * blockDim.z + threadIdx.z;
    const auto chunk = static_cast<std::int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
    if (n >= task.tokens || chunk * task.heads_each >= task.q.heads + task.k.heads) return;
    turn_token<T, Order, Source, Pairs>(task, n, static_cast<std::int32_t>(threadIdx.x), chunk);
}

template <class T, channel_order Order, class Source, int Pairs>
[[nodiscard]] status launch(const rotate_task& task, const launch_shape& shape, cudaStream_t stream) noexcept {
    const dim3 block(static_cast<unsigned>(shape.lanes), static_cast<unsigned>(shape.chunks),
                     static_cast<unsigned>(shape.tokens));
    const dim3 grid(static_cast<unsigned>(shape.token_blocks), static_cast<unsigned>(shape.chunk_blocks));
    turn_kernel<T, Order, Source, Pairs><<<grid, block, 0, stream>>>(task);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return {errc::device_failed, operand::none, 0, 0, static_cast<index_t>(error)};
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
