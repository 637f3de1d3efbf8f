#pragma once
// Where a paged cache lies: its bytes, and whether keys and values can share any.

#include "polyrope/cuda/paged_cache.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

namespace pd = polyrope::detail;

// Memory of a cache array, [pages, page_size, heads, head_dim] in either order.
template <class C>
[[nodiscard]] status measure_cache(const paged_cache<C>& cache, C* data, pd::footprint& at) noexcept {
    const index_t strides[4] = {cache.page_stride, cache.token_stride, cache.head_stride, 1};
    const index_t extents[4] = {cache.pages, cache.page_size, cache.heads, cache.head_dim};
    index_t last = 1;
    for (int e = 0; e < 4; ++e) {
        index_t across = 0;
        if (strides[e] < 0) return {errc::stride_invalid, operand::cache, 0, 0, strides[e]};
        if (extents[e] < 1) return {};
        if (!checked_multiply(strides[e], extents[e] - 1, across) || !checked_add(last, across, last))
            return {errc::size_overflow, operand::cache, 0, 0, 0};
    }
    // Rows of one token or one head lie apart, and pages do.
    if (cache.heads > 1 && cache.head_stride < cache.head_dim)
        return {errc::stride_invalid, operand::cache, 0, cache.head_dim, cache.head_stride};
    if (cache.page_size > 1 && cache.token_stride < cache.head_dim)
        return {errc::stride_invalid, operand::cache, 0, cache.head_dim, cache.token_stride};
    const index_t token_row = (cache.heads - 1) * cache.head_stride + cache.head_dim;
    const index_t head_row = (cache.page_size - 1) * cache.token_stride + cache.head_dim;
    if (cache.page_size > 1 && cache.heads > 1 && cache.token_stride < token_row && cache.head_stride < head_row)
        return {errc::stride_invalid, operand::cache, 0, token_row, cache.token_stride};
    const index_t page = (cache.page_size - 1) * cache.token_stride + token_row;
    if (cache.pages > 1 && cache.page_stride < page)
        return {errc::stride_invalid, operand::cache, 0, page, cache.page_stride};
    if (!checked_multiply(last, static_cast<index_t>(sizeof(C)), last))
        return {errc::size_overflow, operand::cache, 0, 0, 0};
    at.first = reinterpret_cast<std::uintptr_t>(data);
    at.last = at.first + static_cast<std::uintptr_t>(last);
    return {};
}

/// Whether keys and values whose footprints meet can share a byte. Those that lie in turn, page by page or row by row,
/// do not.
template <class C>
[[nodiscard]] bool caches_meet(const paged_cache<C>& cache) noexcept {
    const auto apart = [&cache](index_t step, index_t length) {
        const auto period = static_cast<std::uintptr_t>(step) * sizeof(C),
                   size = static_cast<std::uintptr_t>(length) * sizeof(C);
        if (period == 0) return false;
        const auto k = reinterpret_cast<std::uintptr_t>(cache.k), v = reinterpret_cast<std::uintptr_t>(cache.v);
        const std::uintptr_t distance = v >= k ? (v - k) % period : (period - (k - v) % period) % period;
        return distance >= size && distance + size <= period;
    };
    const index_t across_tokens = (cache.page_size - 1) * cache.token_stride,
                  across_heads = (cache.heads - 1) * cache.head_stride;
    const index_t page = across_tokens + across_heads + cache.head_dim;
    if (cache.pages > 1 && apart(cache.page_stride, page)) return false;
    const bool by_token = cache.token_stride >= cache.head_stride;
    const index_t step = by_token ? cache.token_stride : cache.head_stride;
    const index_t row = (by_token ? across_heads : across_tokens) + cache.head_dim;
    return step == 0 || (cache.pages > 1 && cache.page_stride % step != 0) || !apart(step, row);
}

}  // namespace cuda::detail
POLYROPE_END
