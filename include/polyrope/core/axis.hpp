#pragma once
// The axes of a token's position. A model with fewer axes leaves the rest unused; a table may also leave a rotary pair
// without any axis (`axis_none`: the pair is not rotated).

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

/// Axis of a coordinate. t, h and w are time, height (row) and width (column); the other letters are free for models
/// with more axes (an image ordinal, an absolute index).
enum class axis : std::int8_t { none = -1, t = 0, h = 1, w = 2, u = 3, v = 4, x = 5, y = 6 };

inline constexpr axis axis_none = axis::none;

/// Most axes a position can have. One lane of an eight-lane register is left over and always zero: the axis of pairs
/// that are not rotated.
inline constexpr int max_axes = 7;

/// Letter of an axis in pictures: "thwuvxy", and '-' for a pair that is not rotated.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr char letter(axis a) noexcept {
    return a == axis::t   ? 't'
           : a == axis::h ? 'h'
           : a == axis::w ? 'w'
           : a == axis::u ? 'u'
           : a == axis::v ? 'v'
           : a == axis::x ? 'x'
           : a == axis::y ? 'y'
                          : '-';
}

POLYROPE_END
