#pragma once
// From two partial answers of attention to the task of a launch: everything is checked before anything is launched.

#include "polyrope/core/merge_operands.hpp"
#include "polyrope/cuda/detail/bind.hpp"
#include "polyrope/cuda/detail/merge.hpp"
#include "polyrope/cuda/partial_attention.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// Whether a launch, whose rows meet in no order, writes only what no other of its threads reads.
template <class T>
[[nodiscard]] bool merge_apart(const partial_attention<T>& into, const partial_attention<const T>& from) noexcept {
    pd::footprint at[4];
    const auto numbers = [](auto* data, const auto& out) { return compact_heads(data, out.tokens, out.heads, 1); };
    static_cast<void>(pd::sound_heads(into.out, 0, at[0]));
    static_cast<void>(pd::sound_heads(numbers(into.log_sum_exp, into.out), 0, at[1]));
    static_cast<void>(pd::sound_heads(from.out, 0, at[2]));
    static_cast<void>(pd::sound_heads(numbers(from.log_sum_exp, from.out), 0, at[3]));
    return pd::disjoint(at[0], at[1]) && pd::disjoint(at[0], at[3]) && pd::disjoint(at[1], at[2]) &&
           pd::disjoint(at[1], at[3]) && (pd::disjoint(at[0], at[2]) || !pd::overlap(into.out, from.out));
}

template <class T>
[[nodiscard]] status bind_merge(merge_task& task, const partial_attention<T>& into,
                                const partial_attention<const T>& from, const index_t* rows) noexcept {
    if (const status s = pd::explain_merge(into.out, into.log_sum_exp, from.out, from.log_sum_exp, rows != nullptr);
        !s.ok() || from.out.empty())
        return s;
    if (from.out.heads > INT32_MAX / 8)
        return {errc::capacity_exceeded, operand::attention, 1, INT32_MAX / 8, from.out.heads};
    if (from.out.head_dim > INT32_MAX / 8)
        return {errc::capacity_exceeded, operand::attention, 2, INT32_MAX / 8, from.out.head_dim};
    if (!merge_apart(into, from)) return {errc::overlap, operand::output, 0, 0, 0};
    task.into = into.out.data;
    task.from = from.out.data;
    task.into_log_sum_exp = into.log_sum_exp;
    task.from_log_sum_exp = from.log_sum_exp;
    task.into_token_stride = into.out.tokens > 1 ? into.out.token_stride : 0;
    task.into_head_stride = into.out.heads > 1 ? into.out.head_stride : 0;
    task.from_token_stride = from.out.tokens > 1 ? from.out.token_stride : 0;
    task.from_head_stride = from.out.heads > 1 ? from.out.head_stride : 0;
    task.rows = rows;
    task.into_rows = into.out.tokens;
    task.from_rows = from.out.tokens;
    task.heads = static_cast<std::int32_t>(from.out.heads);
    task.head_dim = static_cast<std::int32_t>(from.out.head_dim);
    task.wide = task.head_dim % 8 == 0 &&
                is_aligned(task.into, task.into_token_stride | task.into_head_stride, sizeof(T)) &&
                is_aligned(task.from, task.from_token_stride | task.from_head_stride, sizeof(T));
    return {};
}

/// Threads [lanes, heads, rows] of a block: the lanes of a head are of one warp.
[[nodiscard]] inline status shape_merge(launch_shape& shape, const merge_task& task) noexcept {
    if (task.from_rows == 0 || task.heads == 0) return shape = {}, status{};
    const std::int32_t units = task.wide != 0 ? task.head_dim / 8 : task.head_dim;
    for (shape.lanes = 1; shape.lanes < (units < 32 ? units : 32);) shape.lanes *= 2;
    const std::int32_t fit = block_threads / shape.lanes;
    shape.chunks = task.heads < fit ? task.heads : fit;
    shape.tokens = fit / shape.chunks < 64 ? fit / shape.chunks : 64;
    if (shape.tokens > task.from_rows) shape.tokens = static_cast<std::int32_t>(task.from_rows);
    shape.chunk_blocks = (task.heads + shape.chunks - 1) / shape.chunks;
    if (shape.chunk_blocks > 65535)
        return {errc::capacity_exceeded, operand::attention, 1, index_t{65535} * shape.chunks, task.heads};
    shape.token_blocks = (task.from_rows + shape.tokens - 1) / shape.tokens;
    if (shape.token_blocks > INT32_MAX)
        return {errc::capacity_exceeded, operand::attention, 0, index_t{INT32_MAX} * shape.tokens, task.from_rows};
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
