#pragma once
// What an engine hands over: a pointer, extents, strides. Nothing is owned and nothing is inferred. Strides count
// elements, and the last dimension is contiguous. q and k are separate views; an absent k is a view of zero heads.

#include <type_traits>

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

/// Queries or keys [tokens, heads, head_dim]. Element (n, m, i) lies at data[n * token_stride + m * head_stride + i].
template <class T>
struct heads_view {
    T* data = nullptr;
    index_t tokens = 0;
    index_t heads = 0;
    index_t head_dim = 0;
    index_t token_stride = 0;
    index_t head_stride = 0;

    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool empty() const noexcept { return tokens == 0 || heads == 0; }
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr T* at(index_t n, index_t m) const noexcept {
        return data + n * token_stride + m * head_stride;
    }
    /// Tokens [begin, end) of the same heads.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr heads_view sub(index_t begin, index_t end) const noexcept {
        return {data + begin * token_stride, end - begin, heads, head_dim, token_stride, head_stride};
    }
    /// The same elements, read only.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr heads_view<const T> as_const() const noexcept {
        return {data, tokens, heads, head_dim, token_stride, head_stride};
    }
};

/// Compact [tokens, heads, head_dim].
template <class T>
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr heads_view<T> compact_heads(T* data, index_t tokens, index_t heads,
                                                                         index_t head_dim) noexcept {
    return {data, tokens, heads, head_dim, heads * head_dim, head_dim};
}

/// Heads [first_head, first_head + heads) of packed rows [tokens, row_heads, head_dim], as in
/// [q heads | k heads | v heads].
template <class T>
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr heads_view<T> packed_heads(T* data, index_t tokens, index_t row_heads,
                                                                        index_t first_head, index_t heads,
                                                                        index_t head_dim) noexcept {
    return {data + first_head * head_dim, tokens, heads, head_dim, row_heads * head_dim, head_dim};
}

/// Queries or keys that are not there.
template <class T>
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr heads_view<T> no_heads() noexcept {
    return {};
}

/// Positions [axes, tokens] in either memory order: coordinate a of token n lies at
/// data[a * axis_stride + n * token_stride].
template <class P>
struct positions_view {
    P* data = nullptr;
    index_t axes = 0;
    index_t tokens = 0;
    index_t axis_stride = 0;
    index_t token_stride = 0;

    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr P& at(index_t a, index_t n) const noexcept {
        return data[a * axis_stride + n * token_stride];
    }
    /// Tokens [begin, end) of every axis; the axis stride stays, so a piece of an axis-major array is right.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr positions_view sub(index_t begin, index_t end) const noexcept {
        return {data + begin * token_stride, axes, end - begin, axis_stride, token_stride};
    }
    template <class Q = P, std::enable_if_t<!std::is_const_v<Q>, int> = 0>
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr operator positions_view<const Q>() const noexcept {
        return {data, axes, tokens, axis_stride, token_stride};
    }
};

/// Compact [axes, tokens], one row per axis.
template <class P>
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr positions_view<P> axis_major(P* data, index_t axes,
                                                                          index_t tokens) noexcept {
    return {data, axes, tokens, tokens, 1};
}

/// Compact [tokens, axes], one row per token.
template <class P>
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr positions_view<P> token_major(P* data, index_t axes,
                                                                           index_t tokens) noexcept {
    return {data, axes, tokens, 1, axes};
}

POLYROPE_END
