#pragma once
// What a launch is told: plain numbers and device addresses, checked before. Passed by value, at most 4 KiB.

#include "polyrope/core/scalar.hpp"
#include "polyrope/cuda/device_plan.hpp"
#include "polyrope/rotary/direction.hpp"
#include "polyrope/rotary/rotary.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

namespace pd = polyrope::detail;

// One of q and k. Element (n, m, i) lies at base + (n * token_stride + m * head_stride + i) elements. Where heads is
// zero nothing else is read.
struct task_operand {
    const void* source = nullptr;
    void* target = nullptr;
    index_t source_token_stride = 0, source_head_stride = 0;
    index_t target_token_stride = 0, target_head_stride = 0;
    std::int32_t heads = 0, head_dim = 0;
    std::int32_t first_head = 0, all_heads = 0;  // of the whole model, for head groups
};

/// Type of the positions of a launch.
enum class position_element : std::uint8_t { int32, int64, float32 };
template <class P>
inline constexpr position_element position_element_of = sizeof(P) == 8                ? position_element::int64
                                                        : std::is_floating_point_v<P> ? position_element::float32
                                                                                      : position_element::int32;

struct rotate_task {
    task_operand q, k;
    const pd::pair_lanes* lanes = nullptr;    // [groups, lane_blocks]
    std::int32_t pairs = 0, block_pairs = 0;  // of a head, and of a block of its pairing
    std::int32_t lane_blocks = 0, groups = 1, axes = 0;
    float factor = 1.0f;  // of cosines and sines
    std::uint8_t product = 0, back = 0, copies_rest = 0;
    position_element position_type = position_element::int32;
    rounding round = rounding::once;
    index_t tokens = 0;
    const index_t* slots = nullptr;  // where token n lies, or null: at n; -1 skips it
    std::int32_t heads_each = 1;     // heads that a thread turns

    // Where angles come from; a source reads what it needs.
    const void* positions = nullptr;  // coordinate a of token n at [a * axis_stride + n * token_stride]
    index_t axis_stride = 0, token_stride = 0;
    const float *cos = nullptr, *sin = nullptr;  // pair l of row n at [n * row_stride + l * step]
    index_t row_stride = 0;
    std::int32_t step = 1;

    // A plan: `positions` are its placements; or tails, one per token, and `first_tokens` the live indices.
    const index_t* first_tokens = nullptr;
    const double* arena = nullptr;
    index_t first_token = 0;
    std::int32_t placements = 0;
    std::uint8_t neutral = 0;
};

}  // namespace cuda::detail
POLYROPE_END
