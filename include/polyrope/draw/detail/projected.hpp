#pragma once
// The picture plane of points in space: t to the right, h upward, w toward the reader.

#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace draw {
namespace detail {

/// Most points of one picture; longer prompts are shown in even steps.
inline constexpr index_t most_points = 4096;

struct flat_point {
    double x, y;
};

/// y upward, both in positions.
[[nodiscard]] constexpr flat_point projected(const coordinate& p) noexcept {
    return {p[0] + 0.4 * p[2], 0.75 * p[1] - 0.28 * p[2]};
}

}  // namespace detail
}  // namespace draw

POLYROPE_END
