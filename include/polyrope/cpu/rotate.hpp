#pragma once
// The CPU kernel: turns queries and keys [tokens, heads, head_dim] by their tokens' positions, together, in place or not.
// Allocates nothing, starts no thread, keeps no state; the same bits at every level, in every split, in place or not.
//
//     status s = cpu::rotate(rope, axis_major(positions, 3, tokens), q, k);
//
// Reference for each rounding: rotary/rounding.hpp; for each phase: rotary/phase.hpp. Channels past rotary_dim stay as they
// are in place, and are copied out of place. Subnormals are kept, NaN stays NaN; round-to-nearest is assumed, and a caller
// that has set flush-to-zero flushes subnormals.

#include "polyrope/core/partition.hpp"
#include "polyrope/cpu/detail/dispatch.hpp"
#include "polyrope/cpu/source.hpp"

POLYROPE_BEGIN
namespace cpu {

/// Which heads of the whole model a view holds, for tables that turn head groups differently: heads [first, first + heads) of
/// `all`. `all` 0: the view holds all of them.
struct head_shard {
    index_t first = 0;
    index_t all = 0;
};

/// Token n lies in cache slot slots[n] instead of slot n; -1: the token is skipped. No slot comes twice.
struct slot_list {
    const index_t* slots = nullptr;
    index_t count = 0;
};

struct rotate_options {
    token_range tokens{token_index{0}, token_index{index_max}};  ///< the part to turn; by default all
    partition part{};                                            ///< this worker's share of it
    direction way = direction::forward;
    level use = level::automatic;  ///< a level that is forced also takes data off its preferred alignment
    slot_list slots{};
    head_shard q_shard{}, k_shard{};
};

namespace detail {
inline namespace POLYROPE_AMBIENT {

template <class T>
struct operand_pair {
    heads_view<const T> from;
    heads_view<T> to;
    head_shard shard;
    operand name_from, name_to;
};

template <class T>
[[nodiscard]] status bind(job& j, int i, const operand_pair<T>& o, index_t rotary_dim, index_t groups, footprint (&memory)[4]) noexcept {
    if (const status s = check_heads(o.from, rotary_dim, o.name_from, memory[2 * i]); !s.ok()) return s;
    if (const status s = check_heads(o.to, rotary_dim, o.name_to, memory[2 * i + 1]); !s.ok()) return s;
    const index_t from[3] = {o.from.tokens, o.from.heads, o.from.head_dim}, to[3] = {o.to.tokens, o.to.heads, o.to.head_dim};
    for (int e = 0; e < 3; ++e)
        if (from[e] != to[e]) return {errc::extent_mismatch, o.name_to, e, from[e], to[e]};
    if (o.from.empty()) return {};
    const index_t all = o.shard.all == 0 ? o.from.heads : o.shard.all;
    if (o.shard.first < 0 || all > index_max / groups || o.shard.first > all - o.from.heads)
        return {errc::extent_mismatch, o.name_from, 1, all, o.shard.first + o.from.heads};
    j.operands[i] = {o.from.data,         o.to.data,          o.from.heads,     o.from.head_dim, o.from.token_stride,
                     o.from.head_stride, o.to.token_stride, o.to.head_stride, o.shard.first,   all};
    return {};
}

[[nodiscard]] inline status check_overlap(const footprint (&memory)[4], const operand (&names)[4]) noexcept {
    for (int written = 1; written < 4; written += 2) {
        for (int other = 0; other < 4; ++other) {
            if (other == written || (other == written - 1 && same(memory[other], memory[written]))) continue;
            // In place, q and q_out are one view: the pair is looked at once.
            if (overlap(memory[written], memory[other])) return {errc::overlap, names[written], other, 0, 0};
        }
    }
    return {};
}

/// Whether every slot is -1 or one of `limit`.
[[nodiscard]] inline status check_slots(const slot_list& list, index_t limit, index_t begin, index_t end) noexcept {
    for (index_t n = begin; n < end; ++n)
        if (list.slots[n] < -1 || list.slots[n] >= limit) return {errc::position_out_of_range, operand::slots, n, limit, list.slots[n]};
    return {};
}

/// Everything but the source: binds q and k, and finds the tokens of this worker.
template <class T>
[[nodiscard]] status bind_call(job& j, const rotary& rope, const operand_pair<T>& q, const operand_pair<T>& k, const rotate_options& options,
                               index_t& tokens) noexcept {
    static_assert(is_element_v<std::remove_const_t<T>>,
                  "q and k hold float, polyrope::bf16, polyrope::f16 or a type that element_traits is specialised for");
    j.rope = &rope;
    j.way = options.way;
    j.kind = element_traits<T>::kind;
    footprint memory[4];
    const index_t groups = rope.frequencies().groups();
    if (const status s = bind(j, 0, q, rope.rotary_dim(), groups, memory); !s.ok()) return s;
    if (const status s = bind(j, 1, k, rope.rotary_dim(), groups, memory); !s.ok()) return s;
    const operand names[4] = {q.name_from, q.name_to, k.name_from, k.name_to};
    if (const status s = check_overlap(memory, names); !s.ok()) return s;
    const bool has_q = q.from.heads != 0, has_k = k.from.heads != 0;
    const index_t places = has_q ? q.from.tokens : has_k ? k.from.tokens : 0;
    if (has_q && has_k && k.from.tokens != places) return {errc::extent_mismatch, k.name_from, 0, places, k.from.tokens};
    j.copies_rest = q.from.data != q.to.data || k.from.data != k.to.data;
    tokens = places;
    if (options.slots.slots != nullptr) {
        tokens = options.slots.count;
        j.slots = options.slots.slots;
        if (tokens < 0) return {errc::extent_negative, operand::slots, 0, 0, tokens};
    }
    token_range range = options.tokens;
    if (range.end.value == index_max) range.end.value = tokens;
    if (range.begin.value < 0 || range.begin.value > range.end.value || range.end.value > tokens)
        return {errc::range_invalid, operand::token, 0, range.begin.value, range.end.value};
    const partition part = options.part;
    if (part.nth <= 0 || part.ith < 0 || part.ith >= part.nth) return {errc::partition_invalid, operand::none, 0, part.nth, part.ith};
    if (!supports(options.use)) return {errc::unsupported, operand::level, static_cast<index_t>(options.use), 0, 0};
    if (j.slots != nullptr)
        if (const status s = check_slots(options.slots, places, range.begin.value, range.end.value); !s.ok()) return s;
    const token_range mine = share(range, part);
    j.begin = mine.begin.value;
    j.end = mine.end.value;
    return {};
}

template <class Kernel, class Source>
void run(job& j, const Source& source, Kernel kernel) noexcept {
    typename Source::room room;
    const index_t end = j.end;
    for (index_t begin = j.begin; begin < end; begin = j.end) {
        j.begin = begin;
        j.end = end - begin > Source::chunk ? begin + Source::chunk : end;
        source.prepare(j, room, j.begin, j.end);
        kernel(j);
    }
}

template <class T, class Source>
[[nodiscard]] status rotate_operands(const rotary& rope, const Source& source, const operand_pair<T>& q, const operand_pair<T>& k,
                                     const rotate_options& options) noexcept {
    job j;
    index_t tokens = 0;
    if (const status s = bind_call(j, rope, q, k, options, tokens); !s.ok()) return s;
    if (const status s = source.check(rope, tokens, j.begin, j.end); !s.ok()) return s;
    if (rope.rotary_dim() == 0 && !j.copies_rest) return {};
    run(j, source, kernel_of<storage_of<T>>(chosen_level(options.use, j, sizeof(T))));
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail

/// Turns q and k in place. k may be absent (no_heads). Each worker of a partition makes the same call with its own `ith`.
/// @return ok, or what is wrong: nothing is written then. A worker checks the positions of its own share.
template <class T, class Source>
status rotate(const rotary& rope, const Source& positions, heads_view<T> q, heads_view<T> k = {}, const rotate_options& options = {}) noexcept {
    static_assert(detail::is_source<Source>::value,
                  "positions come as a positions_view, planned(plan, first), a cos_sin_view or looked_up(table, positions); see cpu/source.hpp");
    return detail::rotate_operands<T>(rope, detail::source_of(positions), {q.as_const(), q, options.q_shard, operand::q, operand::q},
                                      {k.as_const(), k, options.k_shard, operand::k, operand::k}, options);
}

/// Turns q and k into q_out and k_out; channels past rotary_dim are copied. An output may be its own input, and nothing else
/// may overlap.
template <class T, class Source>
status rotate_to(const rotary& rope, const Source& positions, heads_view<const T> q, heads_view<const T> k, heads_view<T> q_out,
                 heads_view<T> k_out, const rotate_options& options = {}) noexcept {
    static_assert(detail::is_source<Source>::value,
                  "positions come as a positions_view, planned(plan, first), a cos_sin_view or looked_up(table, positions); see cpu/source.hpp");
    return detail::rotate_operands<T>(rope, detail::source_of(positions), {q, q_out, options.q_shard, operand::q, operand::q_out},
                                      {k, k_out, options.k_shard, operand::k, operand::k_out}, options);
}

}  // namespace cpu
POLYROPE_END
