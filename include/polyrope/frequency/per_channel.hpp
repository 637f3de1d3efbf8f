#pragma once
// The axis of every channel, as some codes store it: accepted where the two channels of each pair agree, refused where
// they do not, because two channels that follow different axes are not rotated. Lumos-1 for widths that are no multiple
// of 32 and Hugging Face's HunyuanVL (v5.15.0, sections doubled over the whole width) are such maps; the checkpoint's
// own rule is allocation::chunked over pairs. A view: `which` [channels] must live until the table is made.
//
//     {t, h, t, h} under pairing::half_split:   th

#include "polyrope/core/pairing.hpp"
#include "polyrope/frequency/is_allocation.hpp"

POLYROPE_BEGIN

namespace allocation {

struct per_channel {
    const axis* which;
    index_t channels;
    pairing paired = pairing::half_split;
    int position_axes = 3;  ///< axes of the positions

    [[nodiscard]] constexpr int axes() const noexcept { return position_axes; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return 1; }
    [[nodiscard]] constexpr status validate(index_t pairs) const noexcept {
        if (channels != 2 * pairs) return {errc::extent_mismatch, operand::pair, 0, 2 * pairs, channels};
        if (const status s = check_pairing(paired, channels); !s.ok()) return s;
        if (which == nullptr) return {errc::null_data, operand::pair, 0, 0, channels};
        for (index_t l = 0; l < pairs; ++l) {
            const axis first = (*this)(l, 0), second = which[second_channel(paired, l, channels)];
            if (first != second)
                return {errc::channels_disagree, operand::pair, l, static_cast<index_t>(first),
                        static_cast<index_t>(second)};
        }
        return {};
    }
    [[nodiscard]] constexpr axis operator()(index_t l, index_t) const noexcept {
        return which[first_channel(paired, l)];
    }
};

}  // namespace allocation

POLYROPE_END
