#pragma once
// What a launch is told: plain numbers and device addresses, checked before. Passed by value, at most 4 KiB.

#include "polyrope/core/scalar.hpp"
#include "polyrope/cuda/detail/plan_points.hpp"
#include "polyrope/rotary/direction.hpp"
#include "polyrope/rotary/rotary.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// What a kernel does beside the rotation, switched when it is compiled: per-head RMSNorm before it; outputs in e4m3
/// and a paged cache behind it; or visual tokens turned twice, for the masking layer.
enum class parts : std::uint8_t { plain, norm, write, norm_write, banks, norm_banks };
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool has_norm(parts p) noexcept {
    return p == parts::norm || p == parts::norm_write || p == parts::norm_banks;
}
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool has_write(parts p) noexcept {
    return p == parts::write || p == parts::norm_write;
}
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool has_banks(parts p) noexcept {
    return p == parts::banks || p == parts::norm_banks;
}

// Where an operand is written: element (n, m, i) at base + (n * token_stride + m * head_stride + i) elements. Null:
// nowhere.
struct task_target {
    void* data = nullptr;
    index_t token_stride = 0, head_stride = 0;
    index_t page_stride = 0;             // of a cache, whose tokens are counted inside a page
    const float* multipliers = nullptr;  // [heads], of e4m3; null: ones
    float multiplier = 1.0f;
    std::uint8_t is_e4m3 = 0;
};

// One of q, k and v. Where heads is zero nothing else is read. v is moved, never turned.
struct task_operand {
    const void* source = nullptr;
    index_t token_stride = 0, head_stride = 0;  // of the source
    task_target target;                         // in place, or an output
    task_target cache;                          // parts write
    task_target second;                         // parts banks: rows of visual tokens
    const void* weight = nullptr;               // parts norm: [head_dim]; null: no norm
    std::int32_t heads = 0, head_dim = 0;
    std::int32_t first_head = 0, all_heads = 0;  // of the whole model, for head groups
    std::int32_t chunks = 0;                     // of heads_each heads
    float share = 1.0f;                          // 1 / head_dim
};

// Where the cache keeps a token: by a slot of each token, or by the page of its request and index.
struct task_pages {
    const index_t* slots = nullptr;            // [tokens], page * size + place; or null:
    const std::int32_t* table = nullptr;       // [requests, width]
    const std::int32_t* request_of = nullptr;  // [tokens]; null: token n is of request n
    const index_t* index_of = nullptr;         // [tokens]
    index_t table_stride = 0;
    std::int32_t width = 0, requests = 0;
    std::int32_t count = 0, size = 1;  // pages, and tokens of a page
};

/// Type of the positions of a launch.
enum class position_element : std::uint8_t { int32, int64, float32 };
template <class P>
inline constexpr position_element position_element_of = sizeof(P) == 8                ? position_element::int64
                                                        : std::is_floating_point_v<P> ? position_element::float32
                                                                                      : position_element::int32;

struct rotate_task {
    task_operand operands[3];  // q, k and v
    task_pages pages;
    const pd::pair_lanes* lanes = nullptr;    // [groups, lane_blocks]
    std::int32_t pairs = 0, block_pairs = 0;  // of a head, and of a block of its pairing
    std::int32_t lane_blocks = 0, groups = 1, axes = 0;
    float factor = 1.0f;  // of cosines and sines
    float epsilon = 0.0f;
    std::uint8_t product = 0, back = 0, copies_rest = 0, weight_plus_one = 0;
    position_element position_type = position_element::int32;
    rounding round = rounding::once;
    index_t tokens = 0;
    const index_t* slots = nullptr;  // where token n lies, or null: at n; -1 skips it
    std::int32_t heads_each = 1;     // heads that a thread turns
    std::int32_t chunks = 0;         // of q, k and v

    // Where angles come from; a source reads what it needs.
    const void* positions = nullptr;  // coordinate a of token n at [a * axis_stride + n * token_stride]
    index_t axis_stride = 0, token_stride = 0;
    const float *cos = nullptr, *sin = nullptr;  // pair l of row n at [n * row_stride + l * step]
    index_t row_stride = 0, rows = 0;            // rows that positions pick, where they do
    std::int32_t step = 1;
    float scaling = 1.0f;  // the cosine of a pair without an axis there
    task_plans plans;
    const index_t* visual_before = nullptr;  // parts banks: visual tokens in front of a placement
    index_t first_visual = 0;

    [[nodiscard]] task_operand& q() noexcept { return operands[0]; }
    [[nodiscard]] task_operand& k() noexcept { return operands[1]; }
    [[nodiscard]] task_operand& v() noexcept { return operands[2]; }
    [[nodiscard]] const task_operand& q() const noexcept { return operands[0]; }
    [[nodiscard]] const task_operand& k() const noexcept { return operands[1]; }
    [[nodiscard]] const task_operand& v() const noexcept { return operands[2]; }
};
static_assert(sizeof(rotate_task) <= 4096, "a launch passes its task by value, and parameters have 4 KiB");

}  // namespace cuda::detail
POLYROPE_END
