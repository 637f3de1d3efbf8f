#pragma once
// One of q and k as a caller hands it over, for either backend: where it is read and where it is written, which heads
// of the model it holds, and what can be wrong with the two of them.

#include "polyrope/core/heads_memory.hpp"

POLYROPE_BEGIN

/// Which heads of the whole model a view holds, for tables that turn head groups differently: heads
/// [first, first + heads) of `all`. `all` 0: the view holds all of them.
struct head_shard {
    index_t first = 0;
    index_t all = 0;
};

/// Token n lies in cache slot slots[n] instead of slot n; -1: the token is skipped. No slot comes twice.
struct slot_list {
    const index_t* slots = nullptr;
    index_t count = 0;
};

namespace detail {
inline namespace POLYROPE_AMBIENT {

/// One of q and k as the caller has it: where it is read and where it is written, `To` the type that is written. Held
/// by reference: copies of views cost a decoded token more than the checks.
template <class T, class To = T>
struct operand_pair {
    const heads_view<const T>* from;  // null: in place
    const heads_view<To>& to;
    const head_shard& shard;
    operand name_from, name_to;
};

/// Whether heads [first, first + heads) are some of `all`, and the head groups of all can be counted.
[[nodiscard]] POLYROPE_ALWAYS_INLINE bool holds_shard(const head_shard& shard, index_t heads, index_t groups) noexcept {
    const index_t all = shard.all == 0 ? heads : shard.all;
    index_t most = 0;
    return shard.first >= 0 && all >= heads && shard.first <= all - heads && checked_multiply(all, groups, most);
}

template <class T, class To>
[[nodiscard]] heads_view<const T> read_view(const operand_pair<T, To>& o) noexcept {
    if constexpr (std::is_same_v<T, To>)
        if (o.from == nullptr) return o.to.as_const();
    return *o.from;
}

template <class T, class To>
[[nodiscard]] POLYROPE_COLD status explain_operand(const operand_pair<T, To>& o, index_t rotary_dim,
                                                   index_t groups) noexcept {
    const heads_view<const T> from = read_view(o);
    if (const status s = explain_heads(from, rotary_dim, o.name_from); !s.ok()) return s;
    if (const status s = explain_heads(o.to, rotary_dim, o.name_to); !s.ok()) return s;
    const index_t read[3] = {from.tokens, from.heads, from.head_dim},
                  written[3] = {o.to.tokens, o.to.heads, o.to.head_dim};
    for (int e = 0; e < 3; ++e)
        if (read[e] != written[e]) return {errc::extent_mismatch, o.name_to, e, read[e], written[e]};
    if (holds_shard(o.shard, from.heads, groups)) return {};
    index_t last = 0;
    if (!checked_add(o.shard.first, from.heads, last)) last = index_max;
    return {errc::extent_mismatch, o.name_from, 1, o.shard.all == 0 ? from.heads : o.shard.all, last};
}

/// Whether footprints alone show that no output shares memory with anything but its own input in place.
struct call_footprints {
    footprint q_from, q_to, k_from, k_to;
    [[nodiscard]] POLYROPE_ALWAYS_INLINE bool apart(bool q_in_place, bool k_in_place) const noexcept {
        return disjoint(q_to, k_to) && (q_in_place || (disjoint(q_from, q_to) && disjoint(q_from, k_to))) &&
               (k_in_place || (disjoint(k_from, k_to) && disjoint(k_from, q_to)));
    }
};

/// Looks at strides where footprints meet: packed rows that lie in turn are apart, an output may be its own input.
template <class T, class Q, class K>
[[nodiscard]] POLYROPE_COLD status explain_overlap(const operand_pair<T, Q>& q, const operand_pair<T, K>& k,
                                                   const call_footprints& at) noexcept {
    const auto meet = [](const auto& a, const footprint& a_at, const auto& b, const footprint& b_at) {
        return !disjoint(a_at, b_at) && overlap(a, b);
    };
    if (q.from != nullptr && !same(*q.from, q.to) && meet(q.to, at.q_to, *q.from, at.q_from))
        return {errc::overlap, q.name_to, 0, 0, 0};
    if (k.from != nullptr && !same(*k.from, k.to) && meet(k.to, at.k_to, *k.from, at.k_from))
        return {errc::overlap, k.name_to, 0, 0, 0};
    if (meet(q.to, at.q_to, k.to, at.k_to)) return {errc::overlap, q.name_to, 0, 0, 0};
    if (k.from != nullptr && meet(q.to, at.q_to, *k.from, at.k_from)) return {errc::overlap, q.name_to, 0, 0, 0};
    if (q.from != nullptr && meet(k.to, at.k_to, *q.from, at.q_from)) return {errc::overlap, k.name_to, 0, 0, 0};
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
