#pragma once
// Tables of cosines and sines in the memory layouts that engines keep, with their row count, so that no row past the
// end is ever read. Values are float32 whatever the tensors hold.
//
//   pairs    float2 [rows, pairs]             c0 s0 c1 s1 ...
//   halves   [rows, rotary_dim]               c0 c1 ... s0 s1 ...                      (cos_sin_cache)
//   doubled  [rows, head_dim], two arrays     c0 c1 ... c0 c1 ...   s0 s1 ... s0 s1 ...   by half_split
//                                             c0 c0 c1 c1 ...       s0 s0 s1 s1 ...       by adjacent
//                                             c0 c1 c0 c1 c2 c3 ... s0 s1 s0 s1 s2 s3 ... by blocks(4)

#include <type_traits>

#include "polyrope/core/pairing.hpp"
#include "polyrope/core/views.hpp"

POLYROPE_BEGIN

enum class table_layout : std::uint8_t { pairs, halves, doubled };

/// What a row stands for. A row per token serves all layers of one forward pass; a row per whole position serves every
/// request, and each pair takes the row of its own axis.
enum class table_rows : std::uint8_t { tokens, positions };

/// A table and its extents; T is `const float` to read, `float` to fill. Strides in floats.
template <class T>
struct cos_sin_view {
    T* cos = nullptr;  ///< the only array of `pairs` and `halves`
    T* sin = nullptr;  ///< the second array of `doubled`
    index_t rows = 0;
    index_t row_stride = 0;
    table_layout layout = table_layout::halves;
    table_rows rows_are = table_rows::tokens;

    template <class U = T, std::enable_if_t<!std::is_const_v<U>, int> = 0>
    [[nodiscard]] constexpr operator cos_sin_view<const U>() const noexcept {
        return {cos, sin, rows, row_stride, layout, rows_are};
    }
};

/// float2 [rows, pairs], cosine first.
template <class T>
[[nodiscard]] constexpr cos_sin_view<T> pairs_table(T* data, index_t rows, index_t rotary_dim,
                                                    table_rows rows_are) noexcept {
    return {data, nullptr, rows, rotary_dim, table_layout::pairs, rows_are};
}

/// [rows, rotary_dim]: rotary_dim / 2 cosines, then as many sines.
template <class T>
[[nodiscard]] constexpr cos_sin_view<T> halves_table(T* data, index_t rows, index_t rotary_dim,
                                                     table_rows rows_are) noexcept {
    return {data, nullptr, rows, rotary_dim, table_layout::halves, rows_are};
}

/// Two arrays [rows, head_dim] with the value of a pair at both of its channels.
template <class T>
[[nodiscard]] constexpr cos_sin_view<T> doubled_table(T* cos, T* sin, index_t rows, index_t head_dim,
                                                      table_rows rows_are) noexcept {
    return {cos, sin, rows, head_dim, table_layout::doubled, rows_are};
}

/// A table with a row per position, and the positions [axes, tokens] that pick them.
template <class P>
struct table_lookup {
    cos_sin_view<const float> table;
    positions_view<const P> positions;
};
template <class T, class P>
[[nodiscard]] constexpr table_lookup<std::remove_const_t<P>> looked_up(cos_sin_view<T> table,
                                                                       positions_view<P> positions) noexcept {
    return {table, positions};
}

namespace detail {

// Where the values of pair l lie in a row; a step of zero: where the pairing puts the first channel of the pair.
struct row_shape {
    index_t cos_first, cos_step, sin_first, sin_step;
};

[[nodiscard]] constexpr row_shape shape_of(table_layout layout, pairing paired, index_t pairs) noexcept {
    if (layout == table_layout::pairs) return {0, 2, 1, 2};
    if (layout == table_layout::halves) return {0, 1, pairs, 1};
    const index_t step = paired.is_whole() ? 1 : paired == pairing::adjacent ? 2 : 0;
    return {0, step, 0, step};
}

}  // namespace detail

POLYROPE_END
