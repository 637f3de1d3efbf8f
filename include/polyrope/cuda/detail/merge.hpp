#pragma once
// Two partial answers of attention as one: what the threads of one head do, as functions of explicit indices, so that
// the host runs them too. The arithmetic is that of core/merged_states.hpp.
//
// One thread of a head reads and writes its log-sum-exps; the others take from it what the two answers weigh, and move
// the channels. An answer that weighs nothing is not read.

#include "polyrope/core/index.hpp"
#include "polyrope/core/merged_states.hpp"
#include "polyrope/cuda/detail/channels.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// What a launch is told: plain numbers and device addresses, checked before.
struct merge_task {
    void* into = nullptr;  // element (n, m, c) at n * token_stride + m * head_stride + c
    const void* from = nullptr;
    float* into_log_sum_exp = nullptr;  // [rows, heads]
    const float* from_log_sum_exp = nullptr;
    index_t into_token_stride = 0, into_head_stride = 0;
    index_t from_token_stride = 0, from_head_stride = 0;
    const index_t* rows = nullptr;  // where row i of `from` goes; null: to row i
    index_t into_rows = 0, from_rows = 0;
    std::int32_t heads = 0, head_dim = 0;
    std::uint8_t wide = 0;  // eight channels of a head are one access, or two of float32
};

/// The row of `into` that row i of `from` is for; -1: none.
POLYROPE_DEVICE_FUNCTION index_t merged_row(const merge_task& task, index_t i) {
    if (task.rows == nullptr) return i;
    const index_t n = task.rows[i];
    return n >= 0 && n < task.into_rows ? n : -1;
}

/// What the answers of head m weigh in row n; keeps the log-sum-exp of both.
POLYROPE_DEVICE_FUNCTION pd::merge_weights<float> weigh_head(const merge_task& task, index_t i, index_t n,
                                                             std::int32_t m) {
    float& own = task.into_log_sum_exp[n * task.heads + m];
    const float other = task.from_log_sum_exp[i * task.heads + m];
    const pd::merge_weights<float> weights = pd::weights_of(own, other);
    if (!pd::is_no_state(other)) own = weights.log_sum_exp;
    return weights;
}

template <class T, int Count>
POLYROPE_DEVICE_FUNCTION void merge_run(const pd::merge_weights<float>& weights, void* into, const void* from) {
    channels<T, Count> own, other;
    other.load(from);
    if (!(weights.own > 0.0f)) return other.copy(into);
    own.load(into);
    float x[Count], y[Count];
    own.widen(x);
    other.widen(y);
    POLYROPE_DEVICE_UNROLL
    for (int c = 0; c < Count; ++c) x[c] = pd::merged_channel(weights, x[c], y[c]);
    channels<T, Count>::store(into, x);
}

/// The channels that `lane` of `lanes` threads moves.
template <class T>
POLYROPE_DEVICE_FUNCTION void merge_lane(const merge_task& task, const pd::merge_weights<float>& weights, index_t i,
                                         index_t n, std::int32_t m, std::int32_t lane, std::int32_t lanes) {
    if (!(weights.other > 0.0f)) return;
    T* const into = static_cast<T*>(task.into) + n * task.into_token_stride + m * task.into_head_stride;
    const T* const from = static_cast<const T*>(task.from) + i * task.from_token_stride + m * task.from_head_stride;
    if (task.wide != 0)
        for (std::int32_t c = 8 * lane; c < task.head_dim; c += 8 * lanes) merge_run<T, 8>(weights, into + c, from + c);
    else
        for (std::int32_t c = lane; c < task.head_dim; c += lanes) merge_run<T, 1>(weights, into + c, from + c);
}

}  // namespace cuda::detail
POLYROPE_END
