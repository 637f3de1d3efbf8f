#pragma once
// How the tokens of an image are shown: by the grid of their placement, or, where a layout lays them out in one row, by
// the grid that the caller knows.

#include "polyrope/core/segment.hpp"

POLYROPE_BEGIN

namespace draw {
namespace detail {

[[nodiscard]] constexpr token_grid as_shown(const token_grid& placed, const token_grid& known) noexcept {
    const bool in_a_row = placed.frames == 1 && placed.rows == 1;
    return in_a_row && known.rows > 0 && known.columns > 0 && known.frames > 0 &&
                   known.rows <= placed.columns / known.columns / known.frames &&
                   known.frames * known.rows * known.columns == placed.columns
               ? known
               : placed;
}

}  // namespace detail
}  // namespace draw

POLYROPE_END
