#pragma once
// An allocation as an SVG picture: a cell per rotary pair, coloured and lettered by its axis, and below it the
// wavelength of the pair in positions, on a logarithmic scale. One row of cells per head group.

#include <string>

#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/frequency/frequency_table.hpp"

POLYROPE_BEGIN

namespace draw {

/// The picture as the text of a file; `title` stands above it.
[[nodiscard]] inline std::string svg_allocation(const frequency_table& table, const std::string& title = {}) {
    using namespace detail;
    constexpr double left = 64, right = 24, top = 56, row = 22, bars = 96, two_pi = 6.283185307179586;
    const double cell = table.pairs() <= 32   ? 24
                        : table.pairs() <= 96 ? 13
                                              : 1000.0 / static_cast<double>(table.pairs());
    const double inside = cell * static_cast<double>(table.pairs());
    const double cells_end = top + row * static_cast<double>(table.groups());
    const bool with_bars = table.groups() == 1 && table.pairs() > 0;
    svg_writer svg(left + (inside < 320 ? 320 : inside) + right, cells_end + (with_bars ? bars + 62 : 46));
    svg.label(left, 26, title.empty() ? "Axis of every rotary pair" : title, ink, anchor::start, 14, true);

    int used[max_axes] = {};
    for (index_t group = 0; group < table.groups(); ++group) {
        const double y = top + row * static_cast<double>(group);
        if (table.groups() > 1) svg.label(left - 8, y + 15, "group " + std::to_string(group), faint, anchor::end, 11);
        for (index_t l = 0; l < table.pairs(); ++l) {
            const axis which = table.at(group, l).which;
            const double x = left + cell * static_cast<double>(l);
            const double gap = cell > 4 ? 1 : 0;
            if (which != axis_none) ++used[static_cast<int>(which)];
            svg.rectangle(x, y, cell - gap, row - 2, colour(which), cell > 8 ? 2 : 0);
            if (cell > 8)
                svg.label(x + (cell - gap) / 2, y + 14.5, std::string(1, letter(which)), "#ffffff", anchor::middle, 11,
                          true);
        }
    }
    const index_t step = table.pairs() <= 32 ? 4 : table.pairs() <= 128 ? 8 : table.pairs() / 16;
    for (index_t l = 0; l < table.pairs(); l += step)
        svg.label(left + cell * (static_cast<double>(l) + 0.5), top - 6, std::to_string(l), faint, anchor::middle, 10);
    svg.label(left - 8, top - 6, "pair", faint, anchor::end, 10);

    double legend_y = cells_end + 28;
    if (with_bars) {
        // Heights are decimal orders of the wavelength, from one position up.
        double longest = 1.0;
        const auto orders = [&](index_t l) {
            const double frequency = std::fabs(table.at(0, l).frequency);
            return frequency > 0.0 ? std::log10(two_pi / frequency) : 0.0;
        };
        for (index_t l = 0; l < table.pairs(); ++l) longest = std::fmax(longest, orders(l));
        const double ground = cells_end + 14 + bars;
        const int every = longest > 8 ? 4 : 2;
        for (int order = 0; order <= static_cast<int>(longest); order += every) {
            const double y = ground - bars * order / longest;
            svg.line(left, y, left + inside, y, hairline);
            svg.label(left - 8, y + 3.5,
                      order < 7 ? grouped(static_cast<index_t>(std::pow(10.0, order))) : "1e" + std::to_string(order),
                      faint, anchor::end, 10);
        }
        for (index_t l = 0; l < table.pairs(); ++l) {
            const double height = bars * std::fmax(orders(l), 0.0) / longest;
            if (table.at(0, l).which == axis_none) continue;
            svg.rectangle(left + cell * static_cast<double>(l), ground - height, cell > 4 ? cell - 1 : cell, height,
                          colour(table.at(0, l).which), 0, 0.55);
        }
        svg.line(left, ground, left + inside, ground, faint);
        svg.label(left, cells_end + 18, "wavelength, in positions", faint, anchor::start, 11);
        legend_y = ground + 26;
    }

    double x = left;
    for (int a = 0; a < max_axes; ++a) {
        if (used[a] == 0) continue;
        svg.rectangle(x, legend_y - 9, 10, 10, colour(static_cast<axis>(a)), 2);
        std::string text = std::string(1, letter(static_cast<axis>(a))) + ' ' + std::to_string(used[a]);
        if (table.groups() > 1) text += " of " + std::to_string(table.pairs() * table.groups());
        text += " pairs";
        svg.label(x + 15, legend_y, text, ink);
        x += table.groups() > 1 ? 130 : 84;
    }
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
