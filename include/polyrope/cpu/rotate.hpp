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
    bool in_place;
};

/// Whether heads [first, first + heads) are some of `all`, and the head groups of all can be counted.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE bool holds_shard(const operand_pair<T>& o, index_t groups) noexcept {
    const index_t all = o.shard.all == 0 ? o.from.heads : o.shard.all;
    index_t most = 0;
    return o.shard.first >= 0 && all >= o.from.heads && o.shard.first <= all - o.from.heads && checked_multiply(all, groups, most);
}

template <class T>
[[nodiscard]] POLYROPE_COLD status explain_operand(const operand_pair<T>& o, index_t rotary_dim, index_t groups) noexcept {
    if (const status s = explain_heads(o.from, rotary_dim, o.name_from); !s.ok()) return s;
    if (const status s = explain_heads(o.to, rotary_dim, o.name_to); !s.ok()) return s;
    const index_t from[3] = {o.from.tokens, o.from.heads, o.from.head_dim}, to[3] = {o.to.tokens, o.to.heads, o.to.head_dim};
    for (int e = 0; e < 3; ++e)
        if (from[e] != to[e]) return {errc::extent_mismatch, o.name_to, e, from[e], to[e]};
    const index_t all = o.shard.all == 0 ? o.from.heads : o.shard.all;
    if (holds_shard(o, groups)) return {};
    index_t last = 0;
    if (!checked_add(o.shard.first, o.from.heads, last)) last = index_max;
    return {errc::extent_mismatch, o.name_from, 1, all, last};
}

/// Binds an operand; false if explain_operand knows why not.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE bool bind_operand(operand_tensor& t, const operand_pair<T>& o, index_t rotary_dim, index_t groups,
                                                       footprint& from, footprint& to) noexcept {
    if (!sound_heads(o.from, rotary_dim, from)) return false;
    to = from;
    if (!o.in_place && (!sound_heads(o.to, rotary_dim, to) || o.from.tokens != o.to.tokens || o.from.heads != o.to.heads ||
                        o.from.head_dim != o.to.head_dim))
        return false;
    if (o.from.empty()) return true;
    if (!holds_shard(o, groups)) return false;
    // Strides of a lone token or head may be anything: they are not used.
    const index_t by_token = o.from.tokens > 1 ? -1 : 0, by_head = o.from.heads > 1 ? -1 : 0;
    t.heads = o.from.heads;
    t.head_dim = o.from.head_dim;
    t.source = o.from.data;
    t.target = o.to.data;
    t.source_token_stride = o.from.token_stride & by_token;
    t.source_head_stride = o.from.head_stride & by_head;
    t.target_token_stride = o.to.token_stride & by_token;
    t.target_head_stride = o.to.head_stride & by_head;
    t.first_head = o.shard.first;
    t.all_heads = o.shard.all == 0 ? o.from.heads : o.shard.all;
    return true;
}

/// Whether an output of `x` shares memory with anything of `y`.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE status check_apart(const operand_pair<T>& x, const footprint& x_to, const operand_pair<T>& y, const footprint& y_from,
                                 const footprint& y_to) noexcept {
    if (!disjoint(x_to, y_from) && overlap(x.to, y.from)) return {errc::overlap, x.name_to, 0, 0, 0};
    if (!y.in_place && !disjoint(x_to, y_to) && overlap(x.to, y.to)) return {errc::overlap, x.name_to, 0, 0, 0};
    return {};
}

/// Whether an output is its own input, or shares nothing with it.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE status check_own(const operand_pair<T>& o, const footprint& from, const footprint& to) noexcept {
    if (o.in_place || disjoint(from, to) || same(o.from, o.to) || !overlap(o.to, o.from)) return {};
    return {errc::overlap, o.name_to, 0, 0, 0};
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
    footprint q_from, q_to, k_from, k_to;
    const index_t groups = rope.frequencies().groups();
    if (!bind_operand(j.operands[0], q, rope.rotary_dim(), groups, q_from, q_to)) return explain_operand(q, rope.rotary_dim(), groups);
    if (!bind_operand(j.operands[1], k, rope.rotary_dim(), groups, k_from, k_to)) return explain_operand(k, rope.rotary_dim(), groups);
    if (const status s = check_own(q, q_from, q_to); !s.ok()) return s;
    if (const status s = check_own(k, k_from, k_to); !s.ok()) return s;
    if (const status s = check_apart(q, q_to, k, k_from, k_to); !s.ok()) return s;
    if (!q.in_place || !k.in_place)
        if (const status s = check_apart(k, k_to, q, q_from, q_to); !s.ok()) return s;
    const bool has_q = q.from.heads != 0, has_k = k.from.heads != 0;
    const index_t places = has_q || (!has_k && q.from.tokens != 0) ? q.from.tokens : k.from.tokens;
    if (has_q && has_k && k.from.tokens != places) return {errc::extent_mismatch, k.name_from, 0, places, k.from.tokens};
    j.copies_rest = !q.in_place || !k.in_place;
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
    return detail::rotate_operands<T>(rope, detail::source_of(positions), {q.as_const(), q, options.q_shard, operand::q, operand::q, true},
                                      {k.as_const(), k, options.k_shard, operand::k, operand::k, true}, options);
}

/// Turns q and k into q_out and k_out; channels past rotary_dim are copied. An output may be its own input, and nothing else
/// may overlap.
template <class T, class Source>
status rotate_to(const rotary& rope, const Source& positions, heads_view<const T> q, heads_view<const T> k, heads_view<T> q_out,
                 heads_view<T> k_out, const rotate_options& options = {}) noexcept {
    static_assert(detail::is_source<Source>::value,
                  "positions come as a positions_view, planned(plan, first), a cos_sin_view or looked_up(table, positions); see cpu/source.hpp");
    return detail::rotate_operands<T>(rope, detail::source_of(positions), {q, q_out, options.q_shard, operand::q, operand::q_out, false},
                                      {k, k_out, options.k_shard, operand::k, operand::k_out, false}, options);
}

}  // namespace cpu
POLYROPE_END
