#pragma once
// From what a caller hands over to a task: everything is checked before anything is launched. Addresses are the device's
// and are never read here.

#include "polyrope/cuda/detail/turn.hpp"
#include "polyrope/cuda/device_rotary.hpp"
#include "polyrope/cuda/rotate_options.hpp"
#include "polyrope/rotary/table.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// Threads of a launch: block [lanes, chunks, tokens], grid [blocks of tokens, blocks of chunks].
struct launch_shape {
    std::int32_t lanes = 0, chunks = 0, tokens = 0;  // of a block
    std::int32_t all_chunks = 0;
    index_t token_blocks = 0;
    std::int32_t chunk_blocks = 0;
};

inline constexpr std::int32_t block_threads = 256;
/// From here on a thread turns several heads with the cosines and sines it has; below, latency is all that counts.
inline constexpr index_t tokens_that_fill = 256;

template <class T>
[[nodiscard]] status bind_operand(task_operand& out, const pd::operand_pair<T>& o, const device_rotary& rope,
                                  pd::footprint& from, pd::footprint& to) noexcept {
    if (const status s = pd::explain_operand(o, rope.rotary_dim(), rope.groups); !s.ok()) return s;
    const heads_view<T>& view = o.to;
    if (view.empty()) return {};
    static_cast<void>(pd::sound_heads(view, rope.rotary_dim(), to));
    from = to;
    if (o.from != nullptr) static_cast<void>(pd::sound_heads(*o.from, rope.rotary_dim(), from));
    const index_t all = o.shard.all == 0 ? view.heads : o.shard.all;
    if (all > INT32_MAX / rope.groups) return {errc::capacity_exceeded, o.name_to, 1, INT32_MAX / rope.groups, all};
    if (view.head_dim > INT32_MAX / 8) return {errc::capacity_exceeded, o.name_to, 2, INT32_MAX / 8, view.head_dim};
    out.source = o.from != nullptr ? o.from->data : view.data;
    out.target = view.data;
    // Strides of a lone token or head may be anything: they are not used.
    const index_t by_token = view.tokens > 1 ? -1 : 0, by_head = view.heads > 1 ? -1 : 0;
    out.source_token_stride = (o.from != nullptr ? o.from->token_stride : view.token_stride) & by_token;
    out.source_head_stride = (o.from != nullptr ? o.from->head_stride : view.head_stride) & by_head;
    out.target_token_stride = view.token_stride & by_token;
    out.target_head_stride = view.head_stride & by_head;
    out.heads = static_cast<std::int32_t>(view.heads);
    out.head_dim = static_cast<std::int32_t>(view.head_dim);
    out.first_head = static_cast<std::int32_t>(o.shard.first);
    out.all_heads = static_cast<std::int32_t>(all);
    return {};
}

/// Everything but the source of angles.
template <class T>
[[nodiscard]] status bind_task(rotate_task& task, const device_rotary& rope, const pd::operand_pair<T>& q,
                               const pd::operand_pair<T>& k, const rotate_options& options) noexcept {
    pd::call_footprints at;
    if (const status s = bind_operand(task.q, q, rope, at.q_from, at.q_to); !s.ok()) return s;
    if (const status s = bind_operand(task.k, k, rope, at.k_from, at.k_to); !s.ok()) return s;
    if (!at.apart(q.from == nullptr, k.from == nullptr))
        if (const status s = pd::explain_overlap(q, k, at); !s.ok()) return s;
    const bool has_q = task.q.heads != 0, has_k = task.k.heads != 0;
    if (has_q && has_k && k.to.tokens != q.to.tokens)
        return {errc::extent_mismatch, k.name_from, 0, q.to.tokens, k.to.tokens};
    if (task.q.heads > INT32_MAX / 2 || task.k.heads > INT32_MAX / 2)
        return {errc::capacity_exceeded, operand::q, 1, INT32_MAX / 2, task.q.heads};
    task.tokens = has_q || !has_k ? q.to.tokens : k.to.tokens;
    if (options.slots.slots != nullptr) {
        task.slots = options.slots.slots;
        task.tokens = options.slots.count;
        if (task.tokens < 0) return {errc::extent_negative, operand::slots, 0, 0, task.tokens};
    } else if (options.slots.count != 0) {
        return {errc::null_data, operand::slots, 0, 0, options.slots.count};
    }
    if (rope.lanes == nullptr && rope.pairs != 0 && task.tokens != 0 && (has_q || has_k))
        return {errc::null_data, operand::frequency_table, 0, 0, rope.pairs};
    task.lanes = rope.lanes;
    task.pairs = static_cast<std::int32_t>(rope.pairs);
    task.block_pairs = static_cast<std::int32_t>(rope.paired.block(rope.rotary_dim()) / 2);
    task.lane_blocks = static_cast<std::int32_t>(rope.lane_blocks);
    task.groups = static_cast<std::int32_t>(rope.groups);
    task.axes = rope.axes;
    task.product = rope.angle == phase::float32;
    task.back = options.way != direction::forward;
    task.copies_rest = q.from != nullptr || k.from != nullptr;
    task.round = rope.round;
    task.heads_each = task.tokens < tokens_that_fill ? 1 : 4;
    return {};
}

template <class P>
[[nodiscard]] status bind_source(rotate_task& task, const device_rotary& rope, const positions_view<const P>& positions,
                                 direction way) noexcept {
    if (const status s = pd::check_positions_view(positions, task.tokens, rope.axes, operand::positions); !s.ok())
        return s;
    task.positions = positions.data;
    task.position_type = position_element_of<P>;
    task.axis_stride = positions.axis_stride;
    task.token_stride = positions.token_stride;
    task.factor = way == direction::undo ? 1.0f / rope.attention_scaling : rope.attention_scaling;
    return {};
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope,
                                        const cos_sin_view<const float>& table, direction way) noexcept {
    if (table.rows_are != table_rows::tokens) return {errc::unsupported, operand::table, 0, 0, 0};
    if (rope.groups != 1) return {errc::unsupported, operand::table, 1, 1, rope.groups};
    if (table.rows != task.tokens) return {errc::extent_mismatch, operand::table, 0, task.tokens, table.rows};
    const pd::row_shape shape = pd::shape_of(table.layout, rope.paired, rope.pairs);
    if (shape.cos_step == 0) return {errc::unsupported, operand::table, 0, 0, 0};
    const index_t last = table.layout == table_layout::doubled
                             ? rope.rotary_dim()
                             : shape.sin_first + (rope.pairs - 1) * shape.sin_step + 1;
    if (table.rows > 1 && table.row_stride < last)
        return {errc::stride_invalid, operand::table, 0, last, table.row_stride};
    if (table.rows > 0 && table.cos == nullptr) return {errc::null_data, operand::cos, 0, 0, last};
    const bool two = table.layout == table_layout::doubled;
    if (table.rows > 0 && two && table.sin == nullptr) return {errc::null_data, operand::sin, 0, 0, last};
    task.cos = table.cos + shape.cos_first;
    task.sin = (two ? table.sin : table.cos) + shape.sin_first;
    task.row_stride = table.row_stride;
    task.step = static_cast<std::int32_t>(shape.cos_step);
    task.factor = way == direction::undo ? 1.0f / (rope.attention_scaling * rope.attention_scaling) : 1.0f;
    return {};
}

[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope, const planned_tokens& source,
                                        direction way) noexcept {
    const device_plan& plan = source.plan;
    if (plan.axes != rope.axes) return {errc::axis_count_mismatch, operand::plan, 0, rope.axes, plan.axes};
    index_t last = 0;
    if (source.first.value < 0 || !checked_add(source.first.value, task.tokens, last))
        return {errc::range_invalid, operand::plan, 0, source.first.value, index_max};
    if (task.tokens > 0 && plan.placements == nullptr) return {errc::null_data, operand::plan, 0, 0, plan.count};
    if (plan.count > INT32_MAX) return {errc::capacity_exceeded, operand::plan, 0, INT32_MAX, plan.count};
    if (plan.reach > 2147483647.0)
        return {errc::position_out_of_range, operand::plan, 0, INT32_MAX, pd::whole_of(plan.reach)};
    if (source.which == position_source::neutral && plan.without_neutral != no_segment)
        return {errc::no_neutral_point, operand::segment, plan.without_neutral, 0, 0};
    task.positions = plan.placements;
    task.first_tokens = plan.first_tokens;
    task.arena = plan.arena;
    task.placements = static_cast<std::int32_t>(plan.count);
    task.first_token = source.first.value;
    task.neutral = source.which == position_source::neutral;
    task.factor = way == direction::undo ? 1.0f / rope.attention_scaling : rope.attention_scaling;
    return {};
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope, const decode_tails& source,
                                        direction way) noexcept {
    if (source.axes != rope.axes) return {errc::axis_count_mismatch, operand::positions, 0, rope.axes, source.axes};
    if (source.count != task.tokens) return {errc::extent_mismatch, operand::positions, 1, task.tokens, source.count};
    if (task.tokens > 0 && (source.tails == nullptr || source.live == nullptr))
        return {errc::null_data, operand::positions, 0, 0, source.count};
    task.positions = source.tails;
    task.first_tokens = source.live;
    task.factor = way == direction::undo ? 1.0f / rope.attention_scaling : rope.attention_scaling;
    return {};
}

/// Whether every head of an operand starts on a 16-byte boundary, and eight channels never reach past its end.
[[nodiscard]] inline bool is_wide(const task_operand& o, index_t size) noexcept {
    if (o.heads == 0) return true;
    if (o.head_dim % 8 != 0) return false;
    const index_t strides =
        (o.source_token_stride | o.source_head_stride | o.target_token_stride | o.target_head_stride) * size;
    const auto bases = reinterpret_cast<std::uintptr_t>(o.source) | reinterpret_cast<std::uintptr_t>(o.target);
    return (static_cast<std::uintptr_t>(strides) | bases) % 16 == 0;
}
/// Pairs per thread: 8 in 16-byte accesses where all rows allow it, else 1.
[[nodiscard]] inline int pairs_per_thread(const rotate_task& task, index_t size) noexcept {
    // Blocks of an odd shape are turned pair by pair; neighbours are never cut.
    const std::int32_t run = task.block_pairs == 1 ? task.pairs : task.block_pairs;
    const bool wide = run % 8 == 0 && is_wide(task.q, size) && is_wide(task.k, size);
    return wide ? 8 : 1;
}

[[nodiscard]] inline status shape_launch(launch_shape& shape, const rotate_task& task, int pairs) noexcept {
    const std::int32_t head_dim = task.q.head_dim > task.k.head_dim ? task.q.head_dim : task.k.head_dim;
    const std::int32_t rest = task.copies_rest != 0 ? (head_dim - 2 * task.pairs + pairs - 1) / pairs : 0;
    shape.lanes = task.pairs / pairs + rest;
    // Wider heads than a block has threads do not exist: 512 pairs are the most, and the rest is copied by fewer lanes.
    if (shape.lanes > 1024) return {errc::capacity_exceeded, operand::q, 2, 1024 * pairs, head_dim};
    shape.all_chunks = (task.q.heads + task.k.heads + task.heads_each - 1) / task.heads_each;
    if (shape.lanes == 0 || shape.all_chunks == 0 || task.tokens == 0) return shape = {}, status{};
    const std::int32_t fit = shape.lanes < block_threads ? block_threads / shape.lanes : 1;
    shape.chunks = shape.all_chunks < fit ? shape.all_chunks : fit;
    shape.tokens = fit / shape.chunks;
    if (shape.tokens > 64) shape.tokens = 64;
    if (shape.tokens > task.tokens) shape.tokens = static_cast<std::int32_t>(task.tokens);
    shape.chunk_blocks = (shape.all_chunks + shape.chunks - 1) / shape.chunks;
    if (shape.chunk_blocks > 65535) return {errc::capacity_exceeded, operand::q, 1, 65535, shape.chunk_blocks};
    shape.token_blocks = (task.tokens + shape.tokens - 1) / shape.tokens;
    if (shape.token_blocks > INT32_MAX)
        return {errc::capacity_exceeded, operand::token, 0, index_t{INT32_MAX} * shape.tokens, task.tokens};
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
