#pragma once
// Which two channels of a head turn together. Channels are cut into blocks, and the two halves of a block are paired:
// one block is what engines call NeoX or rotate_half, blocks of two channels what they call GPT-J, and a vision tower
// that turns each half of the head on its own (Gemma-4) has blocks of rotary_dim / 2. The word "interleaved" names none
// of them.
//
//   half_split, rotary_dim 8:   pair of channel   0 1 2 3 0 1 2 3
//   adjacent,   rotary_dim 8:   pair of channel   0 0 1 1 2 2 3 3
//   blocks(4),  rotary_dim 8:   pair of channel   0 1 0 1 2 3 2 3

#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

class pairing {
public:
    static const pairing half_split;  ///< l and l + rotary_dim / 2
    static const pairing adjacent;    ///< 2 l and 2 l + 1

    /// Blocks of `channels` channels, an even number that divides the rotary_dim: make_frequency_table checks it.
    [[nodiscard]] static constexpr pairing blocks(index_t channels) noexcept { return pairing(channels); }

    constexpr pairing() noexcept = default;  ///< half_split

    /// Channels of a block.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t block(index_t rotary_dim) const noexcept {
        return block_ == whole ? rotary_dim : block_;
    }
    /// Whether all channels are one block, whatever their number.
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool is_whole() const noexcept { return block_ == whole; }

    friend POLYROPE_HOST_DEVICE constexpr bool operator==(pairing a, pairing b) noexcept {
        return a.block_ == b.block_;
    }
    friend POLYROPE_HOST_DEVICE constexpr bool operator!=(pairing a, pairing b) noexcept { return !(a == b); }

private:
    static constexpr index_t whole = 0;
    explicit constexpr pairing(index_t channels) noexcept : block_(channels) {}

    index_t block_ = whole;
};
inline constexpr pairing pairing::half_split{whole};
inline constexpr pairing pairing::adjacent{2};

/// The first channel of pair l, of rotary_dim / 2 pairs.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t first_channel(pairing paired, index_t l) noexcept {
    if (paired.is_whole()) return l;
    const index_t half = paired.block(0) / 2;
    return l / half * half + l;
}

/// The second channel of pair l.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t second_channel(pairing paired, index_t l,
                                                                    index_t rotary_dim) noexcept {
    return first_channel(paired, l) + paired.block(rotary_dim) / 2;
}

/// Whether rotary_dim channels can be paired so.
[[nodiscard]] constexpr status check_pairing(pairing paired, index_t rotary_dim) noexcept {
    const index_t channels = paired.block(rotary_dim);
    if (paired.is_whole() || (channels > 0 && channels % 2 == 0 && rotary_dim % channels == 0)) return {};
    return {errc::blocks_uneven, operand::rotary_dim, 0, channels, rotary_dim};
}

POLYROPE_END
