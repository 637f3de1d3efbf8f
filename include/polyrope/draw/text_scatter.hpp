#pragma once
// A prompt as points in space in plain text: t to the right, h upward, w toward the reader, as in draw/svg_scatter.hpp.
//
//     scatter(plan, 2, 20, 8)    . text   # patch   o generated behind the prompt
//
//     |                o o
//     |           . .
//     |    ##
//     .-.---#-------------

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "polyrope/draw/detail/projected.hpp"

POLYROPE_BEGIN

namespace draw {

/// The first `generated` tokens past the planned ones are shown too. At most `columns` by `lines` characters, 2 to
/// 1,024 of each; longer prompts are shown in even steps.
[[nodiscard]] inline std::string scatter(const position_plan& plan, index_t generated = 4, index_t columns = 76,
                                         index_t lines = 18) {
    using namespace detail;
    const auto within = [](index_t side) { return side < 2 ? 2 : side > 1024 ? 1024 : side; };
    columns = within(columns), lines = within(lines);
    const index_t total = plan.size() + (generated > 0 ? generated : 0), step = total / most_points + 1;
    double x0 = 0.0, x1 = 1.0, y0 = 0.0, y1 = plan.axes() > 1 ? 0.5 : 1e-9;
    for (index_t n = 0; n < total; n += step) {
        const flat_point at = projected(plan.coordinates(token_index{n}));
        x0 = std::fmin(x0, at.x), x1 = std::fmax(x1, at.x), y0 = std::fmin(y0, at.y), y1 = std::fmax(y1, at.y);
    }
    // A character is twice as tall as it is wide.
    const double scale =
        std::fmin(static_cast<double>(columns - 1) / (x1 - x0), 2.0 * static_cast<double>(lines - 1) / (y1 - y0));
    const auto place = [](double at, index_t most) {
        const auto cell = static_cast<index_t>(std::floor(at + 0.5));
        return static_cast<std::size_t>(cell < 0 ? 0 : cell < most ? cell : most - 1);
    };
    const index_t tall = static_cast<index_t>((y1 - y0) * scale / 2.0 + 0.5) + 1;
    std::vector<std::string> rows(static_cast<std::size_t>(tall < lines ? tall : lines),
                                  std::string(static_cast<std::size_t>(columns), ' '));
    const auto put = [&](const coordinate& p, char mark) {
        const flat_point at = projected(p);
        const std::size_t line = place((at.y - y0) * scale / 2.0, static_cast<index_t>(rows.size()));
        rows[rows.size() - 1 - line][place((at.x - x0) * scale, columns)] = mark;
    };
    const auto axis_line = [&](int a, double end, char mark) {
        for (double at = 0.0; a < plan.axes() && at <= end; at += 0.5 / scale) {
            coordinate p;
            p[a] = at;
            put(p, mark);
        }
    };
    axis_line(1, y1 / 0.75, '|');
    axis_line(0, x1, '-');
    for (const modality kind : {modality::visual, modality::text})
        for (index_t n = 0; n < total; n += step)
            if (plan.kind_of(token_index{n}) == kind)
                put(plan.coordinates(token_index{n}), kind == modality::visual ? '#' : n < plan.size() ? '.' : 'o');
    std::string all;
    for (std::string& row : rows) {
        row.erase(row.find_last_not_of(' ') + 1);
        all += row + '\n';
    }
    return all;
}

}  // namespace draw
POLYROPE_END
