#pragma once
// One call: what the caller hands over is checked and bound to a job, and the kernel runs over it chunk by chunk.
// Nothing is written before everything is checked.

#include "polyrope/core/operands.hpp"
#include "polyrope/cpu/detail/dispatch.hpp"
#include "polyrope/cpu/detail/sources.hpp"
#include "polyrope/cpu/detail/tokens.hpp"
#include "polyrope/cpu/rotate_options.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

using pd::call_footprints;
using pd::explain_operand;
using pd::explain_overlap;
using pd::holds_shard;
using pd::operand_pair;

/// sound_heads of a view that is read apart from the one that is written: seldom there, and not inlined with it.
template <class T>
[[nodiscard]] POLYROPE_NOINLINE bool sound_source(const heads_view<T>& view, index_t rotary_dim,
                                                  footprint& memory) noexcept {
    return sound_heads(view, rotary_dim, memory);
}

/// Binds an operand; false if explain_operand knows why not.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE bool bind_operand(operand_tensor& t, const operand_pair<T>& o, index_t rotary_dim,
                                                       index_t groups, footprint& from, footprint& to) noexcept {
    const heads_view<T>& view = o.to;
    if (!sound_heads(view, rotary_dim, to)) return false;
    from = to;
    if (o.from != nullptr && (!sound_source(*o.from, rotary_dim, from) || o.from->tokens != view.tokens ||
                              o.from->heads != view.heads || o.from->head_dim != view.head_dim))
        return false;
    if (view.empty()) return true;
    if (!holds_shard(o.shard, view.heads, groups)) return false;
    // Strides of a lone token or head may be anything: they are not used.
    const index_t by_token = view.tokens > 1 ? -1 : 0, by_head = view.heads > 1 ? -1 : 0;
    t.heads = view.heads;
    t.head_dim = view.head_dim;
    t.source = o.from != nullptr ? o.from->data : view.data;
    t.target = view.data;
    t.source_token_stride = (o.from != nullptr ? o.from->token_stride : view.token_stride) & by_token;
    t.source_head_stride = (o.from != nullptr ? o.from->head_stride : view.head_stride) & by_head;
    t.target_token_stride = view.token_stride & by_token;
    t.target_head_stride = view.head_stride & by_head;
    t.first_head = o.shard.first;
    t.all_heads = o.shard.all == 0 ? view.heads : o.shard.all;
    return true;
}

/// Whether every slot is -1 or one of `limit`.
[[nodiscard]] inline status check_slots(const slot_list& list, index_t limit, index_t begin, index_t end) noexcept {
    for (index_t n = begin; n < end; ++n)
        if (list.slots[n] < -1 || list.slots[n] >= limit)
            return {errc::position_out_of_range, operand::slots, n, limit, list.slots[n]};
    return {};
}

/// Everything but the source: binds q and k, and finds the tokens of this worker.
template <class T>
[[nodiscard]] status bind_call(job& j, const rotary& rope, const operand_pair<T>& q, const operand_pair<T>& k,
                               const rotate_options& options, index_t& tokens) noexcept {
    static_assert(is_element_v<std::remove_const_t<T>>,
                  "q and k hold float, polyrope::bf16, polyrope::f16 or a type that element_traits is specialised for");
    j.rope = &rope;
    j.way = options.way;
    j.kind = element_traits<T>::kind;
    call_footprints at;
    const index_t groups = rope.frequencies().groups(), rotary_dim = rope.rotary_dim();
    const operand_pair<T>* const pairs[] = {&q, &k};
    footprint* const from[] = {&at.q_from, &at.k_from};
    footprint* const to[] = {&at.q_to, &at.k_to};
    for (int i = 0; i < 2; ++i)
        if (!bind_operand(j.operands[i], *pairs[i], rotary_dim, groups, *from[i], *to[i]))
            return explain_operand(*pairs[i], rotary_dim, groups);
    if (!at.apart(q.from == nullptr, k.from == nullptr))
        if (const status s = explain_overlap(q, k, at); !s.ok()) return s;
    const bool has_q = q.to.heads != 0, has_k = k.to.heads != 0;
    const index_t places = has_q || (!has_k && q.to.tokens != 0) ? q.to.tokens : k.to.tokens;
    if (has_q && has_k && k.to.tokens != places) return {errc::extent_mismatch, k.name_from, 0, places, k.to.tokens};
    j.copies_rest = q.from != nullptr || k.from != nullptr;
    tokens = places;
    if (options.slots.slots != nullptr) {
        tokens = options.slots.count;
        j.slots = options.slots.slots;
        if (tokens < 0) return {errc::extent_negative, operand::slots, 0, 0, tokens};
    } else if (options.slots.count != 0) {
        return {errc::null_data, operand::slots, 0, 0, options.slots.count};
    }
    token_range range = options.tokens;
    if (range.end.value == index_max) range.end.value = tokens;
    if (range.begin.value < 0 || range.begin.value > range.end.value || range.end.value > tokens)
        return {errc::range_invalid, operand::token, 0, range.begin.value, range.end.value};
    const partition part = options.part;
    if (part.nth <= 0 || part.ith < 0 || part.ith >= part.nth)
        return {errc::partition_invalid, operand::none, 0, part.nth, part.ith};
    if (!supports(options.use)) return {errc::unsupported, operand::level, static_cast<index_t>(options.use), 0, 0};
    if (j.slots != nullptr)
        if (const status s = check_slots(options.slots, places, range.begin.value, range.end.value); !s.ok()) return s;
    const token_range mine = share(range, part);
    j.begin = mine.begin.value;
    j.end = mine.end.value;
    return {};
}

/// Calls turn(j) for one chunk of the job's tokens after the other.
template <class Source, class Turn>
void for_each_chunk(job& j, const Source& source, Turn turn) noexcept {
    typename Source::room room;
    const index_t end = j.end;
    for (index_t begin = j.begin; begin < end; begin = j.end) {
        j.begin = begin;
        j.end = end - begin > Source::chunk ? begin + Source::chunk : end;
        source.prepare(j, room, j.begin, j.end);
        turn(j);
    }
}

template <class Source>
void run(job& j, const Source& source, const token_kernel& kernel) noexcept {
    for_each_chunk(j, source, [&kernel](const job& chunk) { turn_tokens(chunk, kernel); });
}

template <class T, class Source>
[[nodiscard]] status rotate_operands(const rotary& rope, const Source& source, const operand_pair<T>& q,
                                     const operand_pair<T>& k, const rotate_options& options) noexcept {
    job j;
    index_t tokens = 0;
    if (const status s = bind_call(j, rope, q, k, options, tokens); !s.ok()) return s;
    if (const status s = source.check(rope, tokens, j.begin, j.end); !s.ok()) return s;
    if (rope.rotary_dim() == 0 && !j.copies_rest) return {};
    run(j, source, kernel_of<T, Source::rows_from>(options.use, j));
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
