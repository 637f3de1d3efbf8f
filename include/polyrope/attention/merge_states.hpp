#pragma once
// Two partial answers to one query, over keys that do not overlap, as one: what follows a query that several attention
// calls answered (mask/attention_calls.hpp), or keys that were split among workers.
//
//     output = (e^a x + e^b y) / (e^a + e^b)      log_sum_exp = log(e^a + e^b)      a, b the two log-sum-exps
//
// An answer over no keys has the log-sum-exp -infinity and does not count. In float32 the bits are the same everywhere;
// core/merged_states.hpp has the arithmetic.

#include "polyrope/core/merge_operands.hpp"
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
    if (const status s = detail::explain_merge(into.out, into.log_sum_exp, from.out, from.log_sum_exp, rows != nullptr);
        !s.ok())
        return s;
    for (index_t i = 0; rows != nullptr && i < from.out.tokens; ++i)
        if (rows[i] < 0 || rows[i] >= into.out.tokens)
            return {errc::position_out_of_range, operand::slots, i, into.out.tokens, rows[i]};
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
