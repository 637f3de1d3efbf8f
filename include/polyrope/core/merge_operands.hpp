#pragma once
// What can be wrong with merging one partial answer of attention into another, on either backend: looked at before
// anything is written. An answer is outputs [rows, heads, channels] with a log-sum-exp [rows, heads], compact.

#include "polyrope/core/heads_memory.hpp"

POLYROPE_BEGIN
namespace detail {

/// `listed`: a list says which row of `into` each row of `from` is for. What the list holds is not looked at.
template <class A, class B>
[[nodiscard]] status explain_merge(const heads_view<A>& into, const void* into_log_sum_exp, const heads_view<B>& from,
                                   const void* from_log_sum_exp, bool listed) noexcept {
    if (const status s = explain_heads(into, 0, operand::output); !s.ok()) return s;
    if (const status s = explain_heads(from, 0, operand::attention); !s.ok()) return s;
    if (from.empty()) return {};
    if (into.heads != from.heads) return {errc::extent_mismatch, operand::attention, 1, into.heads, from.heads};
    if (into.head_dim != from.head_dim)
        return {errc::extent_mismatch, operand::attention, 2, into.head_dim, from.head_dim};
    if (!listed && from.tokens > into.tokens)
        return {errc::extent_mismatch, operand::attention, 0, into.tokens, from.tokens};
    if (into_log_sum_exp == nullptr || from_log_sum_exp == nullptr)
        return {errc::null_data, operand::attention, 0, 0, from.tokens * from.heads};
    return {};
}

}  // namespace detail
POLYROPE_END
