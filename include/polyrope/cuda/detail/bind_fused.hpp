#pragma once
// What stands around a rotation, checked and put into its task: norm, outputs in e4m3, cache.

#include "polyrope/cuda/detail/bind.hpp"
#include "polyrope/cuda/detail/cache_memory.hpp"
#include "polyrope/cuda/fused_heads.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// A stored value is `multiplier` (times an entry per head) times the real one.
inline status bind_scale(task_target& to, const e4m3_scale& scale) noexcept {
    if (!(scale.multiplier > 0.0f && scale.multiplier <= 3.0e38f))
        return {errc::parameter_invalid, operand::e4m3_scale, 0, 0,
                pd::whole_of(static_cast<double>(scale.multiplier))};
    to.multiplier = scale.multiplier;
    to.multipliers = scale.per_head;
    return {};
}

template <class C>
[[nodiscard]] status bind_pages(task_pages& pages, const paged_cache<C>& cache, const cache_places& places,
                                index_t tokens) noexcept {
    if (cache.page_size < 1) return {errc::parameter_invalid, operand::page_size, 0, 0, cache.page_size};
    if (cache.pages < 0) return {errc::extent_negative, operand::cache, 0, 0, cache.pages};
    index_t slots = 0;
    if (!checked_multiply(cache.pages, cache.page_size, slots) || slots > UINT32_MAX || cache.pages > INT32_MAX)
        return {errc::capacity_exceeded, operand::cache, 0, UINT32_MAX, slots};
    pages.count = static_cast<std::int32_t>(cache.pages);
    pages.size = static_cast<std::int32_t>(cache.page_size);
    const block_table& table = places.table;
    if (places.slots.slots != nullptr) {
        if (places.slots.count != tokens) return {errc::extent_mismatch, operand::slots, 0, tokens, places.slots.count};
        pages.slots = places.slots.slots;
        return {};
    }
    if (tokens == 0) return {};
    if (table.pages == nullptr || table.index_of == nullptr)
        return {errc::null_data, operand::block_table, 0, 0, tokens};
    if (table.requests < 0 || table.width < 0)
        return {errc::extent_negative, operand::block_table, 0, 0, table.requests < 0 ? table.requests : table.width};
    if (table.requests > INT32_MAX || table.width > INT32_MAX)
        return {errc::capacity_exceeded, operand::block_table, 0, INT32_MAX,
                table.requests > table.width ? table.requests : table.width};
    if (table.requests > 1 && table.row_stride < table.width)
        return {errc::stride_invalid, operand::block_table, 0, table.width, table.row_stride};
    if (table.request_of == nullptr && table.requests < tokens)
        return {errc::extent_mismatch, operand::block_table, 0, tokens, table.requests};
    index_t reach = 0;
    if (!checked_multiply(table.width, cache.page_size, reach)) reach = index_max;
    if (table.longest > reach) return {errc::extent_mismatch, operand::block_table, 1, table.longest, reach};
    pages.table = table.pages;
    pages.index_of = table.index_of;
    pages.request_of = table.request_of;
    pages.table_stride = table.row_stride;
    pages.width = static_cast<std::int32_t>(table.width);
    pages.requests = static_cast<std::int32_t>(table.requests);
    return {};
}

template <class C>
[[nodiscard]] task_target cache_target(const paged_cache<C>& cache, C* data) noexcept {
    task_target to;
    to.data = data;
    to.page_stride = cache.pages > 1 ? cache.page_stride : 0;
    to.token_stride = cache.page_size > 1 ? cache.token_stride : 0;
    to.head_stride = cache.heads > 1 ? cache.head_stride : 0;
    to.is_e4m3 = std::is_same_v<C, e4m3>;
    return to;
}

template <class T, class Q, class C>
[[nodiscard]] status bind_cache(rotate_task& task, const pd::call_footprints& at,
                                const fused_heads<T, Q, C>& in) noexcept {
    const paged_cache<C>& cache = in.cache;
    if (in.v.heads != 0 && cache.v == nullptr) return {errc::null_data, operand::cache, 0, 0, in.v.heads};
    if (cache.v != nullptr && in.v.heads == 0 && in.k.heads != 0)
        return {errc::extent_mismatch, operand::v, 1, in.k.heads, 0};
    const index_t found[2] = {cache.heads, cache.head_dim}, expected[2] = {in.k.heads, in.k.head_dim};
    for (int e = 0; e < 2; ++e)
        if (found[e] != expected[e]) return {errc::extent_mismatch, operand::cache, e + 2, expected[e], found[e]};
    if (const status s = bind_pages(task.pages, cache, in.places, task.tokens); !s.ok()) return s;
    pd::footprint k_at, v_at, moved;
    if (const status s = measure_cache(cache, cache.k, k_at); !s.ok()) return s;
    if (cache.v != nullptr)
        if (const status s = measure_cache(cache, cache.v, v_at); !s.ok()) return s;
    if (in.v.heads != 0) {
        if (const status s = pd::explain_heads(in.v, 0, operand::v); !s.ok()) return s;
        static_cast<void>(pd::sound_heads(in.v, 0, moved));
        const index_t of_v[3] = {in.v.tokens, in.v.heads, in.v.head_dim},
                      of_k[3] = {in.k.tokens, in.k.heads, in.k.head_dim};
        for (int e = 0; e < 3; ++e)
            if (of_v[e] != of_k[e]) return {errc::extent_mismatch, operand::v, e, of_k[e], of_v[e]};
        task.v().source = in.v.data;
        task.v().token_stride = in.v.tokens > 1 ? in.v.token_stride : 0;
        task.v().head_stride = in.v.heads > 1 ? in.v.head_stride : 0;
        task.v().heads = static_cast<std::int32_t>(in.v.heads);
        task.v().head_dim = static_cast<std::int32_t>(in.v.head_dim);
        task.v().all_heads = task.v().heads;
        task.v().cache = cache_target(cache, cache.v);
        if (const status s = bind_scale(task.v().cache, in.v_scale); !s.ok()) return s;
    }
    for (const pd::footprint& kept : {k_at, v_at})
        for (const pd::footprint& other : {at.q_from, at.q_to, at.k_from, at.k_to, moved})
            if (!pd::disjoint(kept, other)) return {errc::overlap, operand::cache, 0, 0, 0};
    if ((!pd::disjoint(at.q_to, moved) && pd::overlap(in.q_out, in.v)) ||
        (!pd::disjoint(at.k_to, moved) && pd::overlap(in.k_out, in.v)))
        return {errc::overlap, operand::v, 0, 0, 0};
    if (!pd::disjoint(k_at, v_at) && caches_meet(cache)) return {errc::overlap, operand::cache, 0, 0, 0};
    task.k().cache = cache_target(cache, cache.k);
    return bind_scale(task.k().cache, in.k_scale);
}

/// Everything but the source of angles, and which parts the kernel needs.
template <class T, class Q, class C>
[[nodiscard]] status bind_fused(rotate_task& task, parts& what, const device_rotary& rope,
                                const fused_heads<T, Q, C>& in, const rotate_options& options) noexcept {
    static_assert(std::is_same_v<Q, T> || std::is_same_v<Q, e4m3>, "q_out and k_out hold the type of q and k, or e4m3");
    static_assert(std::is_same_v<C, T> || std::is_same_v<C, e4m3>, "a cache holds the type of q and k, or e4m3");
    pd::call_footprints at;
    const bool keeps = in.cache.k != nullptr, lacks_k = in.k_out.heads == 0 && in.k.heads != 0;
    if (lacks_k && !keeps) return {errc::extent_mismatch, operand::k_out, 1, in.k.heads, 0};
    const pd::operand_pair<T, Q> q{&in.q, in.q_out, options.q_shard, operand::q, operand::q_out};
    if (lacks_k) {
        // Read, and kept by the cache alone: bound as if in place, and not written there.
        const heads_view<T> read{const_cast<T*>(in.k.data), in.k.tokens,     in.k.heads, in.k.head_dim,
                                 in.k.token_stride,         in.k.head_stride};
        const pd::operand_pair<T> k{&in.k, read, options.k_shard, operand::k, operand::k};
        if (const status s = bind_task(task, at, rope, q, k, options); !s.ok()) return s;
        task.k().target = {};
        at.k_to = {};
    } else {
        const pd::operand_pair<T, Q> k{&in.k, in.k_out, options.k_shard, operand::k, operand::k_out};
        if (const status s = bind_task(task, at, rope, q, k, options); !s.ok()) return s;
    }
    task.copies_rest = 1;
    const bool narrows = std::is_same_v<Q, e4m3>;
    if (const status s = bind_scale(task.q().target, in.q_scale); !s.ok()) return s;
    if (const status s = bind_scale(task.k().target, in.k_scale); !s.ok()) return s;
    if (keeps)
        if (const status s = bind_cache(task, at, in); !s.ok()) return s;
    if (!keeps && in.v.heads != 0) return {errc::null_data, operand::cache, 0, 0, in.v.heads};
    const bool norms = in.norm.q != nullptr || in.norm.k != nullptr;
    if (norms && !(in.norm.epsilon >= 0.0f && in.norm.epsilon <= 3.0e38f))
        return {errc::parameter_invalid, operand::norm_epsilon, 0, 0, 0};
    task.q().weight = in.norm.q;
    task.k().weight = in.norm.k;
    task.epsilon = in.norm.epsilon;
    task.weight_plus_one = in.norm.weight == norm_weight::plus_one;
    what = keeps || narrows ? (norms ? parts::norm_write : parts::write) : norms ? parts::norm : parts::plain;
    set_heads_each(task, task.heads_each);
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
