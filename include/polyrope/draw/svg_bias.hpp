#pragma once
// The spatial bias map: the content-free score of one text token against every patch of an image, averaged over pairs
// and head groups (metric/content_free.hpp). A layout that is neutral to text gives one colour; elsewhere the token
// prefers patches for where they stand. Frames of a video stand side by side.

#include <string>
#include <vector>

#include "polyrope/draw/detail/shape.hpp"
#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/metric/content_free.hpp"
#include "polyrope/metric/frequency_use.hpp"

POLYROPE_BEGIN

namespace draw {

struct bias_picture {
    std::string title = {};
    double lowest = 0.0;  ///< ends of the scale of colours; equal: those of the map
    double highest = 0.0;
    double side = 168;  ///< of the longer side of a frame, in pixels
    index_t group = metric::all_groups;
    token_grid shape{0, 0, 0};  ///< of an image that the layout lays out in one row
};

namespace detail {

/// Steps of the scale of colours, dark to light.
inline constexpr int shades = 32;

/// From dark violet over grey-blue and green to yellow: even in lightness, also for the colour-blind.
[[nodiscard]] inline std::string shade(int step) {
    constexpr int stops[5][3] = {{43, 17, 77}, {56, 73, 130}, {38, 130, 142}, {104, 184, 96}, {247, 223, 68}};
    const int place = step * 4, stop = place / (shades - 1) < 3 ? place / (shades - 1) : 3;
    std::string text = "#";
    for (int i = 0; i < 3; ++i) {
        const int value =
            stops[stop][i] + (stops[stop + 1][i] - stops[stop][i]) * (place - stop * (shades - 1)) / (shades - 1);
        text += "0123456789abcdef"[value / 16];
        text += "0123456789abcdef"[value % 16];
    }
    return text;
}

[[nodiscard]] inline int shade_of(double value, double lowest, double highest) noexcept {
    if (!(highest > lowest)) return shades / 2;
    const double part = (value - lowest) / (highest - lowest);
    const int step = static_cast<int>(part * (shades - 1) + 0.5 + 1e-9);
    return part < 0.0 ? 0 : step < shades ? step : shades - 1;
}

}  // namespace detail

/// The picture as the text of a file, or why there is no map.
[[nodiscard]] inline result<std::string> svg_bias(const position_plan& plan, const frequency_table& table,
                                                  token_index x, index_t segment, const bias_picture& picture = {}) {
    using namespace detail;
    const auto scores = metric::spatial_bias(plan, table, x, segment, picture.group);
    if (!scores) return scores.error();
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double s : *scores) least = std::fmin(least, s), most = std::fmax(most, s);
    const bool own = !(picture.highest > picture.lowest);
    // A map of one value up to its rounding is one colour.
    const double low = own ? least : picture.lowest,
                 high = own ? (most - least > 1e-9 ? most : least) : picture.highest;

    // Cells by frame; the token's row and column in the frame come from the placement.
    index_t frames = 0, rows = 1, columns = 1;
    metric::detail::for_each_visual_run(plan, segment, [&](const placement& p, index_t) {
        const token_grid grid = as_shown(p.grid, picture.shape);
        frames += grid.frames;
        rows = grid.rows > rows ? grid.rows : rows;
        columns = grid.columns > columns ? grid.columns : columns;
    });
    const double even = picture.side / static_cast<double>(rows > columns ? rows : columns), left = 14, top = 38;
    const double cell = even > 2.0 ? std::floor(even) : even;  // whole pixels have no seams
    const double wide = cell * static_cast<double>(columns), tall = cell * static_cast<double>(rows), gap = 8;
    const double inside = static_cast<double>(frames) * (wide + gap) - gap;
    svg_writer svg(2 * left + std::fmax(inside, 172.0), top + tall + 62);
    svg.label(left, 22, picture.title.empty() ? "Score of a text token by place alone" : picture.title, ink,
              anchor::start, 13, true);
    std::string areas[shades];
    index_t before = 0, i = 0;
    metric::detail::for_each_visual_run(plan, segment, [&](const placement& p, index_t tokens) {
        const token_grid grid = as_shown(p.grid, picture.shape);
        for (index_t k = 0; k < tokens; ++k, ++i) {
            const cell_digits d = digits_of(grid, p.first_cell + k);
            const double cx =
                left + static_cast<double>(before + d.frame) * (wide + gap) + cell * static_cast<double>(d.column);
            areas[shade_of((*scores)[static_cast<std::size_t>(i)], low, high)] +=
                'M' + decimal(cx) + ' ' + decimal(top + cell * static_cast<double>(d.row)) + 'h' + decimal(cell) + 'v' +
                decimal(cell) + 'h' + decimal(-cell) + 'z';
        }
        before += grid.frames;
    });
    for (int s = 0; s < shades; ++s)
        if (!areas[s].empty()) svg.area(areas[s], shade(s), 1, nullptr);
    const double y = top + tall + 18;
    svg.label(left, y, metric::detail::in_digits("%.3f", least) + " to " + metric::detail::in_digits("%.3f", most), ink,
              anchor::start, 12);
    for (int s = 0; s < shades; ++s) svg.rectangle(left + 4.0 * s, y + 9, 4.2, 8, shade(s));
    svg.label(left, y + 32, metric::detail::in_digits("%.2f", low), faint, anchor::start, 10);
    svg.label(left + 4.0 * shades, y + 32, metric::detail::in_digits("%.2f", high), faint, anchor::end, 10);
    svg.label(left + 4.0 * shades / 2, y + 32, "score", faint, anchor::middle, 10);
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
