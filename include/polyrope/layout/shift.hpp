#pragma once
// How far tokens move when the prompt before them changes: after a context shift, or when a cached prefix is used
// elsewhere. One shift serves all tokens only if every axis moves by the same amount for each of them.

#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

/// What is added to a token's coordinates, per axis.
struct position_shift {
    double by[max_axes] = {};
    int axes = 0;
};

/// The same amount on `axes` axes.
[[nodiscard]] constexpr position_shift uniform_shift(double by, int axes) noexcept {
    position_shift shift;
    shift.axes = axes < 0 ? 0 : axes > max_axes ? max_axes : axes;
    for (int a = 0; a < shift.axes; ++a) shift.by[a] = by;
    return shift;
}

/// The shift that takes tokens [begin, end) of `from` to tokens to_begin, ... of `to`.
/// @return the shift; or axis_count_mismatch, range_invalid, or shift_not_uniform with the first token that moves
/// otherwise.
[[nodiscard]] inline result<position_shift> shift_between(const position_plan& from, token_index begin, token_index end,
                                                          const position_plan& to, token_index to_begin) noexcept {
    if (from.axes() != to.axes()) return status{errc::axis_count_mismatch, operand::plan, 0, from.axes(), to.axes()};
    if (begin.value < 0 || end < begin || to_begin.value < 0)
        return status{errc::range_invalid, operand::plan, 0, begin.value, end.value};
    position_shift shift;
    shift.axes = from.axes();
    // Behind the segments of both plans text moves evenly: two tokens there speak for all.
    const index_t from_left = from.size() - begin.value, to_left = to.size() - to_begin.value;
    const index_t uneven =
        (from_left > to_left ? from_left : to_left) > 0 ? (from_left > to_left ? from_left : to_left) : 0;
    const index_t count = end.value - begin.value, looked_at = count < uneven + 2 ? count : uneven + 2;
    for (index_t n = 0; n < looked_at; ++n) {
        const coordinate source = from.coordinates(token_index{begin.value + n}),
                         target = to.coordinates(token_index{to_begin.value + n});
        for (int a = 0; a < shift.axes; ++a) {
            const double by = target[a] - source[a];
            if (n == 0) shift.by[a] = by;
            if (by != shift.by[a])
                return status{errc::shift_not_uniform, operand::token, begin.value + n,
                              static_cast<index_t>(shift.by[a]), static_cast<index_t>(by)};
        }
    }
    return shift;
}

POLYROPE_END
