#pragma once
// Which two channels of a head turn together: l and l + rotary_dim / 2, which engines call NeoX or rotate_half, or 2 l
// and 2 l + 1, which they call GPT-J. The word "interleaved" names neither here.
//
//   half_split, rotary_dim 8:   pair of channel   0 1 2 3 0 1 2 3
//   adjacent,   rotary_dim 8:   pair of channel   0 0 1 1 2 2 3 3

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

enum class pairing : std::uint8_t { half_split, adjacent };

/// The first channel of pair l, of rotary_dim / 2 pairs.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t first_channel(pairing paired, index_t l) noexcept {
    return paired == pairing::half_split ? l : 2 * l;
}

/// The second channel of pair l.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t second_channel(pairing paired, index_t l,
                                                                    index_t rotary_dim) noexcept {
    return paired == pairing::half_split ? l + rotary_dim / 2 : 2 * l + 1;
}

POLYROPE_END
