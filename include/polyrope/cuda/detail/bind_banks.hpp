#pragma once
// The second bank of the masking layer, checked and put into a task.

#include "polyrope/cuda/detail/bind.hpp"
#include "polyrope/cuda/head_norm.hpp"
#include "polyrope/mask/coordinate_selection.hpp"
#include "polyrope/mask/kind_runs.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

template <class T>
[[nodiscard]] status bind_bank(task_target& second, const heads_view<T>& bank, const heads_view<T>& from,
                               index_t visual, index_t rotary_dim, operand what, pd::footprint& at) noexcept {
    if (from.empty() && bank.empty()) return {};
    if (const status s = pd::explain_heads(bank, rotary_dim, what); !s.ok()) return s;
    const index_t expected[3] = {visual, from.heads, from.head_dim},
                  found[3] = {bank.tokens, bank.heads, bank.head_dim};
    for (int e = 0; e < 3; ++e)
        if (found[e] != expected[e]) return {errc::extent_mismatch, what, e, expected[e], found[e]};
    if (!bank.empty()) static_cast<void>(pd::sound_heads(bank, rotary_dim, at));
    second = target_of(bank);
    return {};
}

/// q and k in place at their text-vision positions, visual tokens into second banks at their vision-vision ones.
template <class T>
[[nodiscard]] status bind_banks(rotate_task& task, parts& what, const device_rotary& rope, const position_plan& plan,
                                const device_plan& there, token_index first, coordinate_selection which,
                                const heads_view<T>& q, const heads_view<T>& k, const heads_view<T>& visual_q,
                                const heads_view<T>& visual_k, const head_norm<T>& norm,
                                const rotate_options& options) noexcept {
    pd::call_footprints at;
    if (const status s = bind_task<T, T, T>(task, at, rope, {nullptr, q, options.q_shard, operand::q, operand::q},
                                            {nullptr, k, options.k_shard, operand::k, operand::k}, options);
        !s.ok())
        return s;
    if (options.slots.slots != nullptr) return {errc::unsupported, operand::slots, 0, 0, 0};
    if (const status s = bind_source(task, rope, planned(there, first, which.tv), options.way); !s.ok()) return s;
    const bool norms = norm.q != nullptr || norm.k != nullptr, twice = which.is_mixed();
    if (norms && !(norm.epsilon >= 0.0f && norm.epsilon <= 3.0e38f))
        return {errc::parameter_invalid, operand::norm_epsilon, 0, 0, 0};
    task.q().weight = norm.q;
    task.k().weight = norm.k;
    task.epsilon = norm.epsilon;
    task.weight_plus_one = norm.weight == norm_weight::plus_one;
    task.copies_rest = norms;
    what = norms ? parts::norm : parts::plain;
    const index_t visual = twice ? visual_tokens(plan, {first, token_index{first.value + task.tokens}}) : 0;
    pd::footprint at_q, at_k;
    if (const status s = bind_bank(task.q().second, visual_q, q, visual, rope.rotary_dim(), operand::visual_q, at_q);
        !s.ok())
        return s;
    if (const status s = bind_bank(task.k().second, visual_k, k, visual, rope.rotary_dim(), operand::visual_k, at_k);
        !s.ok())
        return s;
    for (const pd::footprint& other : {at.q_to, at.k_to, at_k})
        if (!pd::disjoint(at_q, other)) return {errc::overlap, operand::visual_q, 0, 0, 0};
    for (const pd::footprint& other : {at.q_to, at.k_to})
        if (!pd::disjoint(at_k, other)) return {errc::overlap, operand::visual_k, 0, 0, 0};
    if (!twice || visual == 0) return {};
    if (there.without_neutral != no_segment)
        return {errc::no_neutral_point, operand::segment, there.without_neutral, 0, 0};
    what = norms ? parts::norm_banks : parts::banks;
    task.copies_rest = 1;
    task.visual_before = there.visual_before;
    task.first_visual = visual_tokens(plan, {token_index{0}, first});
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
