#pragma once
// Rotation for a mixed coordinate selection (mask/coordinate_selection.hpp): visual tokens are turned twice, text once.
// The text-vision bank holds all tokens; the vision-vision bank holds the visual ones alone, one behind the other,
// which is the order that the calls of mask/attention_calls.hpp ask for. A selection that is not mixed has no second
// bank.
//
//     text(2), image [1, 1, 3], text(1)      tv bank   t t v v v t     vv bank   v v v
//
// One pass over q and k: a chunk of visual tokens is turned into the second bank and, while it is in the cache, in
// place. The bits are those of cpu::rotate with either position.

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/mask/coordinate_selection.hpp"
#include "polyrope/mask/kind_runs.hpp"

POLYROPE_BEGIN
namespace cpu {

struct bank_options {
    partition part{};
    level use = level::automatic;
    head_shard q_shard{}, k_shard{};
};

namespace detail {
inline namespace POLYROPE_AMBIENT {

/// Visual tokens that are turned twice while they are in the cache.
inline constexpr index_t bank_chunk = 16;

template <class T>
[[nodiscard]] POLYROPE_COLD status check_bank(const heads_view<T>& bank, const heads_view<T>& from, index_t visual,
                                              index_t rotary_dim, operand what) noexcept {
    if (from.empty() && bank.empty()) return {};
    if (const status s = explain_heads(bank, rotary_dim, what); !s.ok()) return s;
    const index_t expected[3] = {visual, from.heads, from.head_dim},
                  found[3] = {bank.tokens, bank.heads, bank.head_dim};
    for (int e = 0; e < 3; ++e)
        if (found[e] != expected[e]) return {errc::extent_mismatch, what, e, expected[e], found[e]};
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail

/// Turns q and k [tokens, heads, head_dim] of tokens first, first + 1, ... of a plan in place to their text-vision
/// positions, and their visual tokens into visual_q and visual_k [visual tokens, heads, head_dim] at their
/// vision-vision positions. k, and then visual_k, may be absent; so may both second banks where the selection is not
/// mixed. Channels past rotary_dim are copied. Each worker of a partition makes the same call with its own `ith`.
/// @return ok, or what is wrong: nothing is written then.
template <class T>
status rotate_banks(const rotary& rope, const position_plan& plan, token_index first, coordinate_selection which,
                    heads_view<T> q, heads_view<T> k, heads_view<T> visual_q, heads_view<T> visual_k,
                    const bank_options& options = {}) noexcept {
    rotate_options common;
    common.part = options.part;
    common.use = options.use;
    common.q_shard = options.q_shard;
    common.k_shard = options.k_shard;
    const planned_tokens tv = planned(plan, first, which.tv), vv = planned(plan, first, which.vv);
    const bool twice = which.is_mixed();
    if (!twice && visual_q.empty() && visual_k.empty()) return rotate(rope, tv, q, k, common);

    // Every operand is looked at before the first is written; a call for no tokens checks and writes nothing.
    const index_t tokens = q.heads != 0 ? q.tokens : k.tokens;
    rotate_options none = common;
    none.tokens = {token_index{0}, token_index{0}};
    if (const status s = rotate(rope, tv, q, k, none); !s.ok()) return s;
    for (const planned_tokens& each : {tv, vv})
        if (const status s = detail::source_of(each).check(rope, tokens, 0, tokens); !s.ok()) return s;
    const token_range all{first, token_index{first.value + tokens}};
    const index_t visual = twice ? visual_tokens(plan, all) : 0;
    if (const status s = detail::check_bank(visual_q, q, visual, rope.rotary_dim(), operand::q_out); !s.ok()) return s;
    if (const status s = detail::check_bank(visual_k, k, visual, rope.rotary_dim(), operand::k_out); !s.ok()) return s;
    for (const heads_view<T>& other : {q, k, visual_k})
        if (polyrope::detail::meet(visual_q, other)) return {errc::overlap, operand::q_out, 0, 0, 0};
    for (const heads_view<T>& other : {q, k})
        if (polyrope::detail::meet(visual_k, other)) return {errc::overlap, operand::k_out, 0, 0, 0};

    const token_range mine = share({token_index{0}, token_index{tokens}}, options.part);
    common.part = {};
    index_t row = visual_tokens(plan, {first, token_index{first.value + mine.begin.value}});
    kind_runs runs(plan, {token_index{first.value + mine.begin.value}, token_index{first.value + mine.end.value}});
    for (kind_run run; runs.next(run);) {
        const index_t end = run.tokens.end.value - first.value;
        for (index_t begin = run.tokens.begin.value - first.value, stop = end; begin < end; begin = stop) {
            if (run.kind == modality::visual) {
                stop = end - begin < detail::bank_chunk ? end : begin + detail::bank_chunk;
                const auto part_of = [&](const heads_view<T>& v) { return v.heads != 0 ? v.sub(begin, stop) : v; };
                const auto rows_of = [&](const heads_view<T>& v) {
                    return v.heads != 0 ? v.sub(row, row + stop - begin) : v;
                };
                if (const status s = rotate_to(rope, planned(plan, token_index{first.value + begin}, which.vv),
                                               part_of(q).as_const(), part_of(k).as_const(), rows_of(visual_q),
                                               rows_of(visual_k), common);
                    !s.ok())
                    return s;
                row += stop - begin;
            }
            common.tokens = {token_index{begin}, token_index{stop}};
            if (const status s = rotate(rope, tv, q, k, common); !s.ok()) return s;
            common.tokens = {token_index{0}, token_index{index_max}};
        }
    }
    return {};
}

}  // namespace cpu
POLYROPE_END
