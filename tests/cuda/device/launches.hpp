#pragma once
// Launches for programs that a C++ compiler builds: the calls of cuda.cuh, instantiated in launches.cu for the types
// that models run in. Each queues its work on the stream.

#include <cuda_runtime_api.h>

#include "polyrope/cuda/device_plan.hpp"
#include "polyrope/cuda/device_rotary.hpp"
#include "polyrope/cuda/fused_heads.hpp"
#include "polyrope/cuda/partial_attention.hpp"
#include "polyrope/cuda/rotate_options.hpp"
#include "polyrope/mask/coordinate_selection.hpp"
#include "polyrope/rotary/table.hpp"

namespace polyrope::device {

using positions = positions_view<const std::int32_t>;

status rotate(const cuda::device_rotary& rope, const positions& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options = {});
status rotate(const cuda::device_rotary& rope, const cuda::planned_tokens& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options = {});
status rotate(const cuda::device_rotary& rope, const cuda::decode_tails& at, heads_view<bf16> q, heads_view<bf16> k,
              cudaStream_t stream, const cuda::rotate_options& options = {});
status rotate(const cuda::device_rotary& rope, const cos_sin_view<const float>& at, heads_view<bf16> q,
              heads_view<bf16> k, cudaStream_t stream, const cuda::rotate_options& options = {});

status rotate_fused(const cuda::device_rotary& rope, const positions& at, const cuda::fused_heads<bf16>& heads,
                    cudaStream_t stream, const cuda::rotate_options& options = {});
status rotate_fused(const cuda::device_rotary& rope, const positions& at,
                    const cuda::fused_heads<bf16, bf16, e4m3>& heads, cudaStream_t stream,
                    const cuda::rotate_options& options = {});

status rotate_banks(const cuda::device_rotary& rope, const position_plan& plan, const cuda::device_plan& there,
                    token_index first, coordinate_selection which, heads_view<bf16> q, heads_view<bf16> k,
                    heads_view<bf16> visual_q, heads_view<bf16> visual_k, cudaStream_t stream);

status merge_states(const cuda::partial_attention<bf16>& into, const cuda::partial_attention<bf16>& from,
                    const index_t* rows, cudaStream_t stream);

/// A kernel that does nothing: what a launch costs by itself.
status nothing(cudaStream_t stream);
/// A kernel that copies `bytes`, a multiple of 16, in accesses of 16 bytes.
status copy(void* to, const void* from, index_t bytes, cudaStream_t stream);

}  // namespace polyrope::device
