#pragma once
// Which two channels of a head turn together. Within every block of `block` channels, channel j and channel j + block / 2
// form a pair. Engines call the two common cases NeoX or rotate_half, and GPT-J; the word "interleaved" names neither here.
//
//   half_split, rotary_dim 8:   pair of channel   0 1 2 3 0 1 2 3
//   adjacent,   rotary_dim 8:   pair of channel   0 0 1 1 2 2 3 3

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

enum class pairing : std::uint8_t { half_split, adjacent };

/// The first channel of pair l, of rotary_dim / 2 pairs.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t first_channel(pairing p, index_t l) noexcept {
    return p == pairing::half_split ? l : 2 * l;
}

/// The second channel of pair l.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t second_channel(pairing p, index_t l, index_t rotary_dim) noexcept {
    return p == pairing::half_split ? l + rotary_dim / 2 : 2 * l + 1;
}

POLYROPE_END
