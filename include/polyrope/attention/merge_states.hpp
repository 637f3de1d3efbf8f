#pragma once
// Two partial answers to one query, over keys that do not overlap, as one: what follows a query that several attention
// calls answered (mask/attention_calls.hpp), or keys that were split among workers.
//
//     output = (e^a x + e^b y) / (e^a + e^b)      log_sum_exp = log(e^a + e^b)      a, b the two log-sum-exps
//
// An answer over no keys has the log-sum-exp -infinity and does not count. In float32 the bits are the same everywhere;
// core/merged_states.hpp has the arithmetic.

#include "polyrope/core/heads_memory.hpp"
#include "polyrope/core/merged_states.hpp"

POLYROPE_BEGIN

/// Partial attention: normalised outputs [rows, heads, channels] and log_sum_exp [rows, heads], compact.
template <class T>
struct attention_state {
    heads_view<T> out;
    T* log_sum_exp = nullptr;
};

/// Merges row i of `from` into row rows[i] of `into`, or into row i where `rows` is null.
template <class T>
status merge_states(attention_state<T> into, attention_state<const T> from, const index_t* rows = nullptr) noexcept {
    if (const status s = detail::explain_heads(into.out, 0, operand::output); !s.ok()) return s;
    if (const status s = detail::explain_heads(from.out, 0, operand::attention); !s.ok()) return s;
    if (from.out.empty()) return {};
    if (into.out.heads != from.out.heads)
        return {errc::extent_mismatch, operand::attention, 1, into.out.heads, from.out.heads};
    if (into.out.head_dim != from.out.head_dim)
        return {errc::extent_mismatch, operand::attention, 2, into.out.head_dim, from.out.head_dim};
    if (rows == nullptr && from.out.tokens > into.out.tokens)
        return {errc::extent_mismatch, operand::attention, 0, into.out.tokens, from.out.tokens};
    for (index_t i = 0; rows != nullptr && i < from.out.tokens; ++i)
        if (rows[i] < 0 || rows[i] >= into.out.tokens)
            return {errc::position_out_of_range, operand::slots, i, into.out.tokens, rows[i]};
    if (into.log_sum_exp == nullptr || from.log_sum_exp == nullptr)
        return {errc::null_data, operand::attention, 0, 0, from.out.tokens * from.out.heads};
    for (index_t i = 0; i < from.out.tokens; ++i) {
        const index_t n = rows == nullptr ? i : rows[i];
        for (index_t m = 0; m < from.out.heads; ++m) {
            T& a = into.log_sum_exp[n * into.out.heads + m];
            const T b = from.log_sum_exp[i * from.out.heads + m];
            if (detail::is_no_state(b)) continue;
            const auto weights = detail::weights_of(a, b);
            T* const to = into.out.at(n, m);
            const T* const part = from.out.at(i, m);
            for (index_t c = 0; c < from.out.head_dim; ++c) to[c] = detail::merged_channel(weights, to[c], part[c]);
            a = weights.log_sum_exp;
        }
    }
    return {};
}

POLYROPE_END
