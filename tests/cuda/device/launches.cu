#include "cuda/device/launches.hpp"

#include "polyrope/cuda.cuh"

namespace polyrope::device {

status rotate(const cuda::device_rotary& rope, const positions& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options) {
    return cuda::rotate(rope, at, q, k, stream, options);
}
status rotate(const cuda::device_rotary& rope, const cuda::planned_tokens& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options) {
    return cuda::rotate(rope, at, q, k, stream, options);
}
status rotate(const cuda::device_rotary& rope, const cuda::decode_tails& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options) {
    return cuda::rotate(rope, at, q, k, stream, options);
}
status rotate(const cuda::device_rotary& rope, const cos_sin_view<const float>& at, heads_view<bf16> q,
              heads_view<bf16> k, cudaStream_t stream, const cuda::rotate_options& options) {
    return cuda::rotate(rope, at, q, k, stream, options);
}

status rotate_fused(const cuda::device_rotary& rope, const positions& at, const cuda::fused_heads<bf16>& heads,
                    cudaStream_t stream, const cuda::rotate_options& options) {
    return cuda::rotate_fused(rope, at, heads, stream, options);
}
status rotate_fused(const cuda::device_rotary& rope, const positions& at,
                    const cuda::fused_heads<bf16, bf16, e4m3>& heads, cudaStream_t stream,
                    const cuda::rotate_options& options) {
    return cuda::rotate_fused(rope, at, heads, stream, options);
}

status rotate_banks(const cuda::device_rotary& rope, const position_plan& plan, const cuda::device_plan& there,
                    token_index first, coordinate_selection which, heads_view<bf16> q, heads_view<bf16> k,
                    heads_view<bf16> visual_q, heads_view<bf16> visual_k, cudaStream_t stream) {
    return cuda::rotate_banks(rope, plan, there, first, which, q, k, visual_q, visual_k, stream);
}

status merge_states(const cuda::partial_attention<bf16>& into, const cuda::partial_attention<bf16>& from,
                    const index_t* rows, cudaStream_t stream) {
    return cuda::merge_states(into, from.as_const(), rows, stream);
}

namespace {

__global__ void nothing_kernel() {}
__global__ void copy_kernel(uint4* to, const uint4* from, index_t count) {
    const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}

}  // namespace

status nothing(cudaStream_t stream) {
    nothing_kernel<<<1, 32, 0, stream>>>();
    return cuda::detail::device_status(cudaGetLastError());
}
status copy(void* to, const void* from, index_t bytes, cudaStream_t stream) {
    const index_t count = bytes / 16, blocks = (count + 255) / 256;
    if (count == 0) return {};
    copy_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(static_cast<uint4*>(to),
                                                                   static_cast<const uint4*>(from), count);
    return cuda::detail::device_status(cudaGetLastError());
}

}  // namespace polyrope::device
