#pragma once
// Positions [axes, tokens] or [tokens, axes] written on the device, straight from plans: for kernels other than ours,
// or once for all layers. One launch, asynchronous, no allocation; the bits of position_plan::fill.
//
//     status s = cuda::fill_positions(cuda::planned(there, token_index{0}), axis_major(positions, 3, tokens), stream);
//
// Takes a range of a plan or a list of its indices (planned), a ragged batch of requests (planned_batch), or the next
// token of each request that decodes (decode_tails). Positions are int32, int64 or float32, coordinates or neutral
// points. A token that is skipped (an index or live index below zero, or past the requests of a batch) is not written.
//
// Refused as position_plan::fill refuses, with one difference: the host cannot see which tokens a launch asks for, so a
// plan with a fraction anywhere, or a coordinate past the type, is refused for all of its tokens. An integer type from
// decode_tails asks for decode_tails::whole. Text past the type, by an index that the device alone knows, is cut.

#include "polyrope/cuda/detail/fill.hpp"
#include "polyrope/cuda/detail/launch.cuh"

POLYROPE_BEGIN
namespace cuda {
namespace detail {

template <int Threads>
__global__ void __launch_bounds__(Threads) fill_kernel(const POLYROPE_GRID_CONSTANT fill_task task) {
    const index_t n = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (n < task.tokens) fill_token(task, n);
}

}  // namespace detail

struct fill_positions_options {
    fraction fractions = fraction::refused;
    bool check_memory = true;  ///< as rotate_options has it
};

/// Writes the position of token n into column n of `out`, whose tokens say how many there are.
/// @return ok once the launch is queued, or what is wrong: nothing is launched then.
template <class Tokens, class P>
status fill_positions(const Tokens& tokens, positions_view<P> out, cudaStream_t stream,
                      const fill_positions_options& options = {}) noexcept {
    detail::fill_task task;
    detail::fill_shape shape;
    if (const status s = detail::bind_fill(task, tokens, out, options.fractions); !s.ok()) return s;
    if (const status s = detail::shape_fill(shape, task); !s.ok()) return s;
    if (shape.blocks == 0) return {};
    if (options.check_memory) {
        if (const status s = detail::check_memory(task.out, operand::positions); !s.ok()) return s;
        if (const status s = detail::check_memory(detail::first_read(task.plans), operand::plan); !s.ok()) return s;
    }
    cudaLaunchConfig_t how{};
    how.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    how.blockDim = dim3(static_cast<unsigned>(shape.threads));
    how.stream = stream;
    return detail::device_status(cudaLaunchKernelEx(&how, detail::fill_kernel<detail::fill_threads>, task));
}

}  // namespace cuda
POLYROPE_END
