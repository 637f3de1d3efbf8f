#pragma once
// The axis of every pair, written out: whatever no rule covers, pairs that do not rotate and head groups with different
// axes included. A view: `which` [groups, pairs] must live until the table is made.
//
//     {t, w, h, none, t, w, h, none}:   twh-twh-

#include "polyrope/frequency/is_allocation.hpp"

POLYROPE_BEGIN

namespace allocation {

struct per_pair {
    const axis* which;
    index_t pairs;
    int position_axes = 3;  ///< axes of the positions
    index_t head_groups = 1;

    [[nodiscard]] constexpr int axes() const noexcept { return position_axes; }
    [[nodiscard]] constexpr index_t groups() const noexcept { return head_groups; }
    [[nodiscard]] constexpr status validate(index_t expected_pairs) const noexcept {
        if (pairs != expected_pairs) return {errc::extent_mismatch, operand::pair, 0, expected_pairs, pairs};
        if (which == nullptr) return {errc::null_data, operand::pair, 0, 0, pairs};
        return {};
    }
    [[nodiscard]] constexpr axis operator()(index_t l, index_t group) const noexcept {
        return which[group * pairs + l];
    }
};

}  // namespace allocation

POLYROPE_END
