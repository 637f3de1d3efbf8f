#pragma once
// Weights for the other pairing. A checkpoint that pairs channels half a head apart turns, under a kernel that pairs
// neighbours, after the rows of its query and key projections are put into the other order (and back): attention scores
// stay the same. What conversion scripts do to q_proj and k_proj, here with partial rotation too. Biases and norms of
// single heads are matrices of one column.
//
//     half_split, rotary_dim 8 of 10:   rows 0 1 2 3 4 5 6 7 8 9
//     as adjacent:                      rows 0 4 1 5 2 6 3 7 8 9

#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "polyrope/core/checked.hpp"
#include "polyrope/core/pairing.hpp"
#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

/// The channel of a head in order `from` that becomes channel `channel` in order `to`.
[[nodiscard]] constexpr index_t source_channel(index_t channel, index_t rotary_dim, pairing from, pairing to) noexcept {
    if (channel >= rotary_dim) return channel;
    const index_t block = to.block(rotary_dim), half = block / 2, place = channel % block;
    const index_t l = channel / block * half + place % half;
    return place >= half ? second_channel(from, l, rotary_dim) : first_channel(from, l);
}

/// A projection [heads * head_dim, columns], rows compact.
struct projection {
    index_t heads;
    index_t head_dim;    ///< rows of a head
    index_t rotary_dim;  ///< of them rotate
    index_t columns;     ///< width of the input; 1 for a bias
};

/// Copies `in` to `out` with the rows of every head put from one order into the other. They may not overlap.
/// @return ok, or what is wrong: nothing is written then.
template <class T>
[[nodiscard]] status reorder_pairs(const projection& shape, const T* in, T* out, pairing from, pairing to) noexcept {
    static_assert(std::is_trivially_copyable_v<T>, "weights are copied byte by byte");
    const index_t extents[3] = {shape.heads, shape.head_dim, shape.columns};
    for (int i = 0; i < 3; ++i)
        if (extents[i] < 0) return {errc::extent_negative, operand::projection, i, 0, extents[i]};
    if (shape.rotary_dim < 0 || shape.rotary_dim % 2 != 0)
        return {errc::rotary_dim_odd, operand::rotary_dim, 0, 0, shape.rotary_dim};
    if (shape.rotary_dim > shape.head_dim)
        return {errc::rotary_dim_too_large, operand::rotary_dim, 0, shape.head_dim, shape.rotary_dim};
    for (const pairing paired : {from, to})
        if (const status s = check_pairing(paired, shape.rotary_dim); !s.ok()) return s;
    index_t rows = 0, elements = 0, bytes = 0;
    if (!checked_multiply(shape.heads, shape.head_dim, rows) || !checked_multiply(rows, shape.columns, elements) ||
        !checked_multiply(elements, static_cast<index_t>(sizeof(T)), bytes))
        return {errc::size_overflow, operand::projection, 0, 0, 0};
    if (bytes == 0) return {};
    if (in == nullptr || out == nullptr) return {errc::null_data, operand::projection, 0, 0, elements};
    const auto first = reinterpret_cast<std::uintptr_t>(in), target = reinterpret_cast<std::uintptr_t>(out);
    const auto size = static_cast<std::uintptr_t>(bytes);
    if (first < target + size && target < first + size) return {errc::overlap, operand::projection, 0, 0, 0};
    for (index_t m = 0; m < shape.heads; ++m) {
        const index_t head = m * shape.head_dim;
        for (index_t channel = 0; channel < shape.head_dim; ++channel) {
            const index_t row = head + source_channel(channel, shape.rotary_dim, from, to);
            std::memcpy(static_cast<void*>(out + (head + channel) * shape.columns), in + row * shape.columns,
                        static_cast<std::size_t>(shape.columns) * sizeof(T));
        }
    }
    return {};
}

POLYROPE_END
