#pragma once
// The kernel and its launch. The body is turn_token, which the host runs too.

#include <cuda_runtime_api.h>

#include "polyrope/cuda/detail/bind.hpp"
#include "polyrope/cuda/detail/shipped.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// The lanes of one head, which add up a number each in a butterfly. `width` is a power of two up to 32.
struct warp_lanes {
    std::int32_t width;
    static constexpr bool collects = false;
    __device__ __forceinline__ float sum(float x) const {
        const unsigned at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        const auto lanes = static_cast<unsigned>(width);
        const unsigned mask = (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1u) << (at % 32u & ~(lanes - 1u));
        for (std::int32_t d = width / 2; d > 0; d /= 2) x = pd::scalar::add(x, __shfl_xor_sync(mask, x, d));
        return x;
    }
};

template <class T, channel_order Order, class Source, int Pairs, parts Parts>
__global__ void __launch_bounds__(block_threads, 2) turn_kernel(const POLYROPE_GRID_CONSTANT rotate_task task) {
    const index_t n = static_cast<index_t>(blockIdx.x) * blockDim.z + threadIdx.z;
    const auto chunk = static_cast<std::int32_t>(blockIdx.y * blockDim.y + threadIdx.y);
    if (n >= task.tokens || chunk >= task.chunks) return;
    turn_token<T, Order, Source, Pairs, Parts>(task, n, static_cast<std::int32_t>(threadIdx.x), chunk,
                                               warp_lanes{static_cast<std::int32_t>(blockDim.x)});
}

[[nodiscard]] inline status device_status(cudaError_t error) noexcept {
    if (error == cudaSuccess) return {};
    return {errc::device_failed, operand::none, 0, 0, static_cast<index_t>(error)};
}

/// Whether the device can read what an operand points at, where the driver can tell.
[[nodiscard]] inline status check_memory(const void* data, operand what) noexcept {
    if (data == nullptr) return {};
    cudaPointerAttributes known;
    if (const status s = device_status(cudaPointerGetAttributes(&known, data)); !s.ok()) return s;
    if (known.type != cudaMemoryTypeUnregistered) return {};
    int device = 0, reads_all = 0;
    if (const status s = device_status(cudaGetDevice(&device)); !s.ok()) return s;
    if (const status s = device_status(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, device));
        !s.ok())
        return s;
    if (reads_all != 0) return {};
    return {errc::not_device_memory, what, 0, 0, 0};
}

template <class T, channel_order Order, class Source, int Pairs, parts Parts>
[[nodiscard]] status launch(const rotate_task& task, cudaStream_t stream, const rotate_options& options) noexcept {
    launch_shape shape;
    if (const status s = shape_launch(shape, task, Parts, Pairs); !s.ok()) return s;
    if (shape.token_blocks == 0) return {};
    if (options.check_memory) {
        if (const status s = check_memory(task.q().source, operand::q); !s.ok()) return s;
        if (const status s = check_memory(task.k().source, operand::k); !s.ok()) return s;
        if (const status s = check_memory(task.positions, operand::positions); !s.ok()) return s;
        if (const status s = check_memory(first_read(task.plans), operand::plan); !s.ok()) return s;
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
    return device_status(cudaLaunchKernelEx(&how, turn_kernel<T, Order, Source, Pairs, Parts>, task));
}

/// Launches the shipped kernel for a task, or says that there is none.
template <class T, class Source, parts Parts>
[[nodiscard]] status launch_listed(const rotate_task& task, pairing paired, cudaStream_t stream,
                                   const rotate_options& options) noexcept {
    const int pairs = pairs_per_thread(task, Parts, sizeof(T));
    const channel_order order = paired == pairing::adjacent ? channel_order::adjacent : channel_order::half_split;
    status done = not_shipped(task, Parts, sizeof(T));
    for_shipped<T, Source, Parts>([&](auto kernel) {
        using of = decltype(kernel);
        if (of::order != order || of::pairs != pairs) return;
        done = launch<T, of::order, Source, of::pairs, Parts>(task, stream, options);
    });
    return done;
}

/// One of the parts that a call may ask for.
template <class T, class Source, parts... Any>
[[nodiscard]] status launch_one_of(parts what, const rotate_task& task, pairing paired, cudaStream_t stream,
                                   const rotate_options& options) noexcept {
    status done{errc::unsupported, operand::none, 0, 0, 0};
    static_cast<void>(
        ((Any == what && (done = launch_listed<T, Source, Any>(task, paired, stream, options), true)) || ...));
    return done;
}

}  // namespace cuda::detail
POLYROPE_END
