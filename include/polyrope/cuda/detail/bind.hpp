#pragma once
// From what a caller hands over to a task: everything is checked before anything is launched. Addresses are the
// device's and are never read here.

#include "polyrope/cuda/detail/bind_plans.hpp"
#include "polyrope/cuda/detail/turn.hpp"
#include "polyrope/cuda/device_rotary.hpp"
#include "polyrope/cuda/rotate_options.hpp"
#include "polyrope/rotary/table.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// Threads of a launch: block [lanes, chunks, tokens], grid [blocks of tokens, blocks of chunks].
struct launch_shape {
    std::int32_t lanes = 0, chunks = 0, tokens = 0;  // of a block
    index_t token_blocks = 0;
    std::int32_t chunk_blocks = 0;
};

inline constexpr std::int32_t block_threads = 256;
/// Heads that a thread turns with the cosines and sines it has: the more, the fewer of those are computed; the fewer,
/// the more threads there are where tokens are few and latency is all that counts.
[[nodiscard]] constexpr std::int32_t heads_of_thread(index_t tokens) noexcept {
    return tokens < 256 ? 1 : tokens < 4096 ? 4 : 8;
}

// Strides of a lone token or head may be anything: they are not used.
template <class To>
[[nodiscard]] task_target target_of(const heads_view<To>& view) noexcept {
    task_target to;
    to.data = view.data;
    to.token_stride = view.tokens > 1 ? view.token_stride : 0;
    to.head_stride = view.heads > 1 ? view.head_stride : 0;
    to.is_e4m3 = std::is_same_v<To, e4m3>;
    return to;
}

template <class T, class To>
[[nodiscard]] status bind_operand(task_operand& out, const pd::operand_pair<T, To>& o, const device_rotary& rope,
                                  pd::footprint& from, pd::footprint& to) noexcept {
    if (const status s = pd::explain_operand(o, rope.rotary_dim(), rope.groups); !s.ok()) return s;
    if (o.to.empty()) return {};
    const heads_view<const T> read = pd::read_view(o);
    static_cast<void>(pd::sound_heads(o.to, rope.rotary_dim(), to));
    static_cast<void>(pd::sound_heads(read, rope.rotary_dim(), from));
    const index_t all = o.shard.all == 0 ? read.heads : o.shard.all;
    if (all > INT32_MAX / rope.groups) return {errc::capacity_exceeded, o.name_to, 1, INT32_MAX / rope.groups, all};
    if (read.heads > INT32_MAX / 8) return {errc::capacity_exceeded, o.name_to, 1, INT32_MAX / 8, read.heads};
    if (read.head_dim > INT32_MAX / 8) return {errc::capacity_exceeded, o.name_to, 2, INT32_MAX / 8, read.head_dim};
    out.source = read.data;
    out.token_stride = read.tokens > 1 ? read.token_stride : 0;
    out.head_stride = read.heads > 1 ? read.head_stride : 0;
    out.target = target_of(o.to);
    out.heads = static_cast<std::int32_t>(read.heads);
    out.head_dim = static_cast<std::int32_t>(read.head_dim);
    out.share = 1.0f / static_cast<float>(read.head_dim);
    out.first_head = static_cast<std::int32_t>(o.shard.first);
    out.all_heads = static_cast<std::int32_t>(all);
    return {};
}

/// Cuts the heads of each operand into chunks, which threads take.
inline void set_heads_each(rotate_task& task, std::int32_t heads) noexcept {
    task.heads_each = heads;
    task.chunks = 0;
    for (task_operand& o : task.operands) {
        o.chunks = (o.heads + heads - 1) / heads;
        task.chunks += o.chunks;
    }
}

/// q and k and what a call says of them: everything but the source of angles. `at` is where they lie.
template <class T, class Q, class K>
[[nodiscard]] status bind_task(rotate_task& task, pd::call_footprints& at, const device_rotary& rope,
                               const pd::operand_pair<T, Q>& q, const pd::operand_pair<T, K>& k,
                               const rotate_options& options) noexcept {
    if (const status s = bind_operand(task.q(), q, rope, at.q_from, at.q_to); !s.ok()) return s;
    if (const status s = bind_operand(task.k(), k, rope, at.k_from, at.k_to); !s.ok()) return s;
    if (!at.apart(q.from == nullptr, k.from == nullptr))
        if (const status s = pd::explain_overlap(q, k, at); !s.ok()) return s;
    const bool has_q = task.q().heads != 0, has_k = task.k().heads != 0;
    if (has_q && has_k && k.to.tokens != q.to.tokens)
        return {errc::extent_mismatch, k.name_from, 0, q.to.tokens, k.to.tokens};
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
    set_heads_each(task, heads_of_thread(task.tokens));
    return {};
}

template <class P>
[[nodiscard]] status bind_positions(rotate_task& task, const device_rotary& rope,
                                    const positions_view<const P>& positions) noexcept {
    if (const status s = pd::check_positions_view(positions, task.tokens, rope.axes, operand::positions); !s.ok())
        return s;
    task.positions = positions.data;
    task.position_type = position_element_of<P>;
    task.axis_stride = positions.axis_stride;
    task.token_stride = positions.token_stride;
    return {};
}
template <class P>
[[nodiscard]] status bind_source(rotate_task& task, const device_rotary& rope, const positions_view<const P>& positions,
                                 direction way) noexcept {
    task.factor = way == direction::undo ? 1.0f / rope.attention_scaling : rope.attention_scaling;
    return bind_positions(task, rope, positions);
}
/// Everything of a table but which row a token takes.
[[nodiscard]] inline status bind_table(rotate_task& task, const device_rotary& rope,
                                       const cos_sin_view<const float>& table, table_rows rows_are,
                                       direction way) noexcept {
    if (table.rows_are != rows_are) return {errc::unsupported, operand::table, 0, 0, 0};
    // A group may turn at other frequencies than the table holds.
    if (rope.groups != 1) return {errc::unsupported, operand::table, 1, 1, rope.groups};
    const pd::row_shape shape = pd::shape_of(table.layout, rope.paired, rope.pairs);
    if (shape.cos_step == 0) return {errc::unsupported, operand::table, 0, 0, 0};
    const index_t last = table.layout == table_layout::doubled
                             ? rope.rotary_dim()
                             : shape.sin_first + (rope.pairs - 1) * shape.sin_step + 1;
    if (table.rows < 0) return {errc::extent_negative, operand::table, 0, 0, table.rows};
    if (table.rows > 1 && table.row_stride < last)
        return {errc::stride_invalid, operand::table, 0, last, table.row_stride};
    if (table.rows > 0 && table.cos == nullptr) return {errc::null_data, operand::cos, 0, 0, last};
    const bool two = table.layout == table_layout::doubled;
    if (table.rows > 0 && two && table.sin == nullptr) return {errc::null_data, operand::sin, 0, 0, last};
    if (table.rows > 0) {
        task.cos = table.cos + shape.cos_first;
        task.sin = (two ? table.sin : table.cos) + shape.sin_first;
    }
    task.row_stride = table.row_stride;
    task.rows = table.rows;
    task.step = static_cast<std::int32_t>(shape.cos_step);
    task.scaling = rope.attention_scaling;
    task.factor = way == direction::undo ? 1.0f / (rope.attention_scaling * rope.attention_scaling) : 1.0f;
    return {};
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope,
                                        const cos_sin_view<const float>& table, direction way) noexcept {
    if (const status s = bind_table(task, rope, table, table_rows::tokens, way); !s.ok()) return s;
    if (table.rows != task.tokens) return {errc::extent_mismatch, operand::table, 0, task.tokens, table.rows};
    return {};
}
template <class P>
[[nodiscard]] status bind_source(rotate_task& task, const device_rotary& rope, const table_lookup<P>& lookup,
                                 direction way) noexcept {
    static_assert(std::is_integral_v<P>, "rows are looked up by whole positions, int32 or int64");
    if (const status s = bind_table(task, rope, lookup.table, table_rows::positions, way); !s.ok()) return s;
    return bind_positions(task, rope, lookup.positions);
}

/// The source of plans or tails, and how far positions reach that a phase reads.
template <class Tokens>
[[nodiscard]] status bind_plans_source(rotate_task& task, const device_rotary& rope, const Tokens& source,
                                       direction way, operand what = operand::plan) noexcept {
    const int axes = axes_of(source);
    if (axes != rope.axes) return {errc::axis_count_mismatch, what, 0, rope.axes, axes};
    if (const status s = bind_plans(task.plans, source, task.tokens, 2147483647.0); !s.ok()) return s;
    task.factor = way == direction::undo ? 1.0f / rope.attention_scaling : rope.attention_scaling;
    return {};
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope, const planned_tokens& source,
                                        direction way) noexcept {
    return bind_plans_source(task, rope, source, way);
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope, const planned_batch& source,
                                        direction way) noexcept {
    return bind_plans_source(task, rope, source, way);
}
[[nodiscard]] inline status bind_source(rotate_task& task, const device_rotary& rope, const decode_tails& source,
                                        direction way) noexcept {
    return bind_plans_source(task, rope, source, way, operand::positions);
}

/// Whether rows start on boundaries of an access of eight elements.
[[nodiscard]] inline bool is_aligned(const void* data, index_t strides, index_t size) noexcept {
    const auto bits = reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(strides * size);
    return bits % static_cast<std::uintptr_t>(size == 1 ? 8 : 16) == 0;
}
[[nodiscard]] inline bool is_aligned(const task_target& to, index_t size) noexcept {
    return to.data == nullptr ||
           is_aligned(to.data, to.token_stride | to.head_stride | to.page_stride, to.is_e4m3 != 0 ? 1 : size);
}
/// Whether eight channels of every row of an operand are one access, or two of float32, and never reach past its end.
[[nodiscard]] inline bool is_wide(const task_operand& o, index_t size) noexcept {
    return o.heads == 0 || (o.head_dim % 8 == 0 && is_aligned(o.source, o.token_stride | o.head_stride, size) &&
                            is_aligned(o.target, size) && is_aligned(o.cache, size) && is_aligned(o.second, size) &&
                            is_aligned(o.weight, 0, size));
}
[[nodiscard]] inline std::int32_t units_of(const rotate_task& task, std::int32_t pairs) noexcept {
    std::int32_t head_dim = 0;
    for (const task_operand& o : task.operands) head_dim = o.head_dim > head_dim ? o.head_dim : head_dim;
    return task.pairs / pairs + (head_dim - 2 * task.pairs + pairs - 1) / pairs;
}
/// Pairs per thread: 8 in 16-byte accesses where all rows allow it, else 1.
[[nodiscard]] inline int pairs_per_thread(const rotate_task& task, parts what, index_t size) noexcept {
    // Blocks of an odd shape are turned pair by pair; neighbours are never cut.
    const std::int32_t run = task.block_pairs == 1 ? task.pairs : task.block_pairs;
    if (run % 8 != 0 || !is_wide(task.q(), size) || !is_wide(task.k(), size) || !is_wide(task.v(), size)) return 1;
    // The lanes of a head that is normalised are of one warp.
    return has_norm(what) && units_of(task, 8) > 32 ? 1 : 8;
}

[[nodiscard]] inline status shape_launch(launch_shape& shape, const rotate_task& task, parts what, int pairs) noexcept {
    const std::int32_t units = units_of(task, pairs);
    shape.lanes = task.copies_rest != 0 ? units : task.pairs / pairs;
    if (has_norm(what)) {
        const std::int32_t most = units < 32 ? units : 32;
        for (shape.lanes = 1; shape.lanes < most;) shape.lanes *= 2;
    }
    // Wider heads than a block has threads do not exist: 512 pairs are the most, and the rest is copied by fewer lanes.
    if (shape.lanes > 1024)
        return {errc::capacity_exceeded, operand::q, 2, 1024 * pairs,
                task.q().head_dim > task.k().head_dim ? task.q().head_dim : task.k().head_dim};
    if (shape.lanes == 0 || task.chunks == 0 || task.tokens == 0) return shape = {}, status{};
    const std::int32_t fit = shape.lanes < block_threads ? block_threads / shape.lanes : 1;
    shape.chunks = task.chunks < fit ? task.chunks : fit;
    shape.tokens = fit / shape.chunks;
    if (shape.tokens > 64) shape.tokens = 64;
    if (shape.tokens > task.tokens) shape.tokens = static_cast<std::int32_t>(task.tokens);
    shape.chunk_blocks = (task.chunks + shape.chunks - 1) / shape.chunks;
    if (shape.chunk_blocks > 65535) return {errc::capacity_exceeded, operand::q, 1, 65535, shape.chunk_blocks};
    shape.token_blocks = (task.tokens + shape.tokens - 1) / shape.tokens;
    if (shape.token_blocks > INT32_MAX)
        return {errc::capacity_exceeded, operand::token, 0, index_t{INT32_MAX} * shape.tokens, task.tokens};
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
