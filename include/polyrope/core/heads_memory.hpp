#pragma once
// Whether a view of heads is sound, and whether two of them share memory: looked at before anything is written.

#include "polyrope/core/checked.hpp"
#include "polyrope/core/status.hpp"
#include "polyrope/core/views.hpp"

POLYROPE_BEGIN
namespace detail {

/// The bytes [first, last) that a view lies in; none for an empty view.
struct footprint {
    std::uintptr_t first = 0, last = 0;
};

/// What is wrong with a view's extents, strides or pointer; ok if nothing is.
template <class T>
[[nodiscard]] POLYROPE_COLD status explain_heads(const heads_view<T>& view, index_t rotary_dim, operand what) noexcept {
    const index_t extents[3] = {view.tokens, view.heads, view.head_dim};
    for (int i = 0; i < 3; ++i)
        if (extents[i] < 0) return {errc::extent_negative, what, i, 0, extents[i]};
    if (view.empty()) return {};
    if (rotary_dim > view.head_dim) return {errc::rotary_dim_too_large, what, 0, view.head_dim, rotary_dim};
    if (view.heads > 1 && view.head_stride < view.head_dim)
        return {errc::stride_invalid, what, 0, view.head_dim, view.head_stride};
    if (view.tokens > 1 && view.token_stride < view.head_dim)
        return {errc::stride_invalid, what, 0, view.head_dim, view.token_stride};
    index_t across_tokens = 0, across_heads = 0, elements = 0, bytes = 0;
    if (!checked_multiply(view.tokens - 1, view.tokens > 1 ? view.token_stride : 0, across_tokens) ||
        !checked_multiply(view.heads - 1, view.heads > 1 ? view.head_stride : 0, across_heads) ||
        !checked_add(across_tokens, across_heads, elements) || !checked_add(elements, view.head_dim, elements) ||
        !checked_multiply(elements, static_cast<index_t>(sizeof(T)), bytes))
        return {errc::size_overflow, what, 0, 0, 0};
    // Two heads must not share an element: either heads lie inside a token's row, or tokens inside a head's.
    const index_t token_row = across_heads + view.head_dim, head_row = across_tokens + view.head_dim;
    if (view.tokens > 1 && view.heads > 1 && view.token_stride < token_row && view.head_stride < head_row)
        return {errc::stride_invalid, what, 0, token_row, view.token_stride};
    if (view.data == nullptr) return {errc::null_data, what, 0, 0, elements};
    const auto first = reinterpret_cast<std::uintptr_t>(view.data);
    if (first + static_cast<std::uintptr_t>(bytes) < first) return {errc::size_overflow, what, 0, 0, bytes};
    return {};
}

/// Whether explain_heads finds nothing, at the price that one decoded token can pay; measures the view's memory.
template <class T>
[[nodiscard]] POLYROPE_ALWAYS_INLINE bool sound_heads(const heads_view<T>& view, index_t rotary_dim,
                                                      footprint& memory) noexcept {
    if ((view.tokens | view.heads | view.head_dim) < 0) return false;
    if (view.empty()) return true;
    const index_t token_stride = view.tokens > 1 ? view.token_stride : view.head_dim;
    const index_t head_stride = view.heads > 1 ? view.head_stride : view.head_dim;
    if (rotary_dim > view.head_dim || token_stride < view.head_dim || head_stride < view.head_dim ||
        view.data == nullptr)
        return false;
    index_t across_tokens = 0, across_heads = 0, elements = 0, bytes = 0;
    if (!checked_multiply(view.tokens - 1, token_stride, across_tokens) ||
        !checked_multiply(view.heads - 1, head_stride, across_heads) ||
        !checked_add(across_tokens, across_heads, elements) || !checked_add(elements, view.head_dim, elements) ||
        !checked_multiply(elements, static_cast<index_t>(sizeof(T)), bytes))
        return false;
    if (view.tokens > 1 && view.heads > 1 && token_stride < across_heads + view.head_dim &&
        head_stride < across_tokens + view.head_dim)
        return false;
    memory.first = reinterpret_cast<std::uintptr_t>(view.data);
    memory.last = memory.first + static_cast<std::uintptr_t>(bytes);
    return memory.last > memory.first;
}

[[nodiscard]] inline bool disjoint(const footprint& a, const footprint& b) noexcept {
    return a.last <= b.first || b.last <= a.first;
}

/// Whether two views whose footprints meet can share a byte. Rows of one step that lie in turn, as in
/// packed qkv, do not.
template <class A, class B>
[[nodiscard]] POLYROPE_COLD bool overlap(const heads_view<A>& a, const heads_view<B>& b) noexcept {
    struct rows {
        std::uintptr_t first, step, length;
    };
    const auto rows_of = [](const auto& v) {
        constexpr auto size = static_cast<index_t>(sizeof(*v.data));
        const index_t token_row = (v.heads - 1) * (v.heads > 1 ? v.head_stride : 0) + v.head_dim;
        const index_t head_row = (v.tokens - 1) * (v.tokens > 1 ? v.token_stride : 0) + v.head_dim;
        const bool by_token = v.heads == 1 || (v.tokens > 1 && v.token_stride >= token_row);
        const index_t step = by_token ? (v.tokens > 1 ? v.token_stride : 0) : v.head_stride;
        return rows{reinterpret_cast<std::uintptr_t>(v.data), static_cast<std::uintptr_t>(step * size),
                    static_cast<std::uintptr_t>((by_token ? token_row : head_row) * size)};
    };
    const rows x = rows_of(a), y = rows_of(b);
    if (x.step != y.step || x.step == 0) return true;
    const std::uintptr_t distance =
        y.first >= x.first ? (y.first - x.first) % x.step : (x.step - (x.first - y.first) % x.step) % x.step;
    return distance < x.length || distance + y.length > x.step;
}

/// Whether two sound views share a byte, as far as overlap() knows; an empty one shares none.
template <class A, class B>
[[nodiscard]] POLYROPE_COLD bool meet(const heads_view<A>& a, const heads_view<B>& b) noexcept {
    footprint at_a, at_b;
    return !a.empty() && !b.empty() && sound_heads(a, 0, at_a) && sound_heads(b, 0, at_b) && !disjoint(at_a, at_b) &&
           overlap(a, b);
}

/// Whether two views of equal extents are the same elements in the same order.
template <class A, class B>
[[nodiscard]] bool same(const heads_view<A>& a, const heads_view<B>& b) noexcept {
    return sizeof(A) == sizeof(B) && static_cast<const void*>(a.data) == static_cast<const void*>(b.data) &&
           (a.tokens == 1 || a.token_stride == b.token_stride) && (a.heads == 1 || a.head_stride == b.head_stride);
}

template <class P>
[[nodiscard]] status check_positions_view(const positions_view<P>& positions, index_t tokens, int axes,
                                          operand what) noexcept {
    if (positions.tokens != tokens) return {errc::extent_mismatch, what, 1, tokens, positions.tokens};
    if (positions.axes != axes) return {errc::axis_count_mismatch, what, 0, axes, positions.axes};
    if (positions.data == nullptr && tokens != 0) return {errc::null_data, what, 0, 0, positions.axes * tokens};
    return {};
}

}  // namespace detail
POLYROPE_END
