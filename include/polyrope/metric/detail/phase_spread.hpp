#pragma once
// How far apart the phases of a set of points are, at most, on the circle: for every rotary pair the distinct values of
// its axis are turned, sorted around the circle, and each is compared with the two that stand nearest opposite to it.
// n log n in the points.

#include <algorithm>
#include <cmath>
#include <vector>

#include "polyrope/metric/detail/tokens.hpp"

POLYROPE_BEGIN

namespace metric {
namespace detail {

inline constexpr double two_pi = 6.283185307179586476925;

/// Largest distance of two points of the circle, in turns: 0 to 1/2. `turns` is sorted, within [0, 1).
[[nodiscard]] inline double widest(const std::vector<double>& turns) {
    double most = 0.0;
    for (const double u : turns) {
        const double opposite = u < 0.5 ? u + 0.5 : u - 0.5;
        const auto next = std::lower_bound(turns.begin(), turns.end(), opposite);
        for (const double v :
             {next == turns.end() ? turns.front() : *next, next == turns.begin() ? turns.back() : *(next - 1)}) {
            const double apart = std::fabs(u - v);
            most = std::fmax(most, apart < 0.5 ? apart : 1.0 - apart);
        }
    }
    return most;
}

struct phase_spread {
    double radians = 0.0;  ///< largest distance of two phases of one pair: 0 to pi
    index_t group = 0;     ///< where it is
    index_t pair = 0;
};

/// Over the displacements of some points from one origin.
[[nodiscard]] inline phase_spread spread_of(const std::vector<coordinate>& displacements,
                                            const frequency_table& table) {
    std::vector<double> values[max_axes], turns;
    for (int a = 0; a < table.axes(); ++a) {
        for (const coordinate& d : displacements) values[a].push_back(d[a]);
        std::sort(values[a].begin(), values[a].end());
        values[a].erase(std::unique(values[a].begin(), values[a].end()), values[a].end());
    }
    phase_spread spread;
    for (index_t group = 0; group < table.groups(); ++group) {
        for (index_t l = 0; l < table.pairs(); ++l) {
            const pair_frequency& pair = table.at(group, l);
            if (pair.which == axis_none) continue;
            const std::vector<double>& points = values[static_cast<int>(pair.which)];
            if (points.size() < 2) continue;
            turns.clear();
            for (const double p : points) {
                const double turn = pair.frequency * p / two_pi, rest = turn - std::floor(turn);
                turns.push_back(rest < 1.0 ? rest : 0.0);
            }
            std::sort(turns.begin(), turns.end());
            const double radians = two_pi * widest(turns);
            if (radians > spread.radians) spread = {radians, group, l};
        }
    }
    return spread;
}

}  // namespace detail
}  // namespace metric

POLYROPE_END
