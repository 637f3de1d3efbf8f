#pragma once
// Heads of several variants as coloured bands: on the left the axis of every rotary pair, a row per head group; on the
// right, over the wavelength, a lane per axis with a mark per pair, so that one sees which part of the spectrum an axis
// has. Revisiting Multimodal Positional Encoding in Vision-Language Models, arXiv:2510.23095, compares allocations so.

#include <algorithm>
#include <string>
#include <vector>

#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/metric/frequency_use.hpp"

POLYROPE_BEGIN

namespace draw {

struct named_table {
    std::string name;
    const frequency_table* table = nullptr;
};

/// The picture as the text of a file.
[[nodiscard]] inline std::string svg_bands(const std::vector<named_table>& heads, const std::string& title = {}) {
    using namespace detail;
    constexpr double strip = 448, between = 58, lanes = 380, top = 94, lane = 9, gap = 18;
    std::size_t longest_name = 12;
    for (const named_table& head : heads) longest_name = std::max(longest_name, head.name.size());
    const double left = 16, strip_x = left + 7.4 * static_cast<double>(longest_name) + 12,
                 lanes_x = strip_x + strip + between;

    double longest = 10.0;
    const auto turns = [](const pair_frequency& pair) {
        return pair.which != axis_none && std::fabs(pair.frequency) > 0.0;
    };
    const auto rows_of = [](const frequency_table& table) {
        const double rows = 10.0 * static_cast<double>(table.groups() < 12 ? table.groups() : 12);
        const double axes = lane * static_cast<double>(table.axes() < 3 ? 3 : table.axes());
        return rows > axes ? rows : axes;
    };
    double height = top;
    int most_axes = 1;
    for (const named_table& head : heads) {
        for (index_t i = 0; i < head.table->groups() * head.table->pairs(); ++i)
            if (turns(head.table->data()[i])) longest = std::fmax(longest, metric::wavelength(head.table->data()[i]));
        height += rows_of(*head.table) + gap;
        most_axes = head.table->axes() > most_axes ? head.table->axes() : most_axes;
    }
    const double orders = std::ceil(std::log10(longest));
    const auto x_of = [&](double wavelength) {
        return lanes_x + lanes * std::fmin(std::fmax(std::log10(wavelength) / orders, 0.0), 1.0);
    };

    svg_writer svg(lanes_x + lanes + 24, height + 8);
    svg.label(left, 28, title.empty() ? "Axis of every rotary pair" : title, ink, anchor::start, 15, true);
    double legend = lanes_x + lanes;  // in a row of its own where the title is long
    const double legend_y = left + 9.2 * static_cast<double>(title.size()) + 360 > legend ? 46 : 28;
    for (int a = most_axes; a >= 0; --a) {
        const axis which = a == most_axes ? axis_none : static_cast<axis>(a);
        const std::string text = a == most_axes     ? "not turned"
                                 : which == axis::t ? "t time"
                                 : which == axis::h ? "h row"
                                 : which == axis::w ? "w column"
                                                    : std::string(1, letter(which));
        legend -= 7.0 * static_cast<double>(text.size()) + 26;
        svg.rectangle(legend, legend_y - 10, 11, 11, colour(which), 2);
        svg.label(legend + 16, legend_y, text, ink);
    }
    svg.label(strip_x, top - 28, "rotary pairs, the fastest first; a row per head group", faint, anchor::start, 11);
    svg.label(lanes_x, top - 28, "wavelength of each pair, in positions; a lane per axis", faint, anchor::start, 11);
    for (int order = 0; order <= static_cast<int>(orders); ++order) {
        const double x = x_of(std::pow(10.0, order));
        svg.line(x, top - 8, x, height - gap + 4, hairline);
        if (order % 2 == 0)
            svg.label(x, top - 12,
                      order < 6 ? grouped(static_cast<index_t>(std::pow(10.0, order))) : "1e" + std::to_string(order),
                      faint, anchor::middle, 10);
    }

    double y = top;
    for (const named_table& head : heads) {
        const frequency_table& table = *head.table;
        const double rows = rows_of(table);
        svg.label(left, y + rows / 2 + 4, head.name, ink, anchor::start, 12, true);
        const index_t groups = table.groups() < 12 ? table.groups() : 12;
        const double row = rows / static_cast<double>(groups > 0 ? groups : 1);
        const double cell = strip / static_cast<double>(table.pairs() > 0 ? table.pairs() : 1);
        for (index_t group = 0; group < groups; ++group) {
            std::string cells[max_axes + 1];  // one element for all pairs of an axis; runs are one area
            for (index_t l = 0, next = 0; l < table.pairs(); l = next) {
                const axis which = table.at(group, l).which;
                for (next = l + 1; next < table.pairs() && table.at(group, next).which == which;) ++next;
                cells[static_cast<int>(which) + 1] += 'M' + decimal(strip_x + cell * static_cast<double>(l)) + ' ' +
                                                      decimal(y + row * static_cast<double>(group)) + 'h' +
                                                      decimal(cell * static_cast<double>(next - l)) + 'v' +
                                                      decimal(row - (groups > 1 ? 1 : 0)) + 'h' +
                                                      decimal(-cell * static_cast<double>(next - l)) + 'z';
            }
            for (int a = 0; a <= max_axes; ++a)
                if (!cells[a].empty()) svg.area(cells[a], colour(static_cast<axis>(a - 1)), 0.9);
        }
        if (table.pairs() > 0)
            svg.label(strip_x + strip + 6, y + rows / 2 + (table.groups() > 1 ? -2 : 4),
                      std::to_string(table.pairs()) + " pairs", faint, anchor::start, 9.5);
        if (table.groups() > 1)
            svg.label(strip_x + strip + 6, y + rows / 2 + 10, std::to_string(table.groups()) + " groups", faint,
                      anchor::start, 9.5);
        for (int a = 0; a < table.axes(); ++a) {
            const double at = y + lane * a + (rows - lane * table.axes()) / 2;
            std::vector<double> places;
            for (index_t i = 0; i < table.groups() * table.pairs(); ++i) {
                const pair_frequency& pair = table.data()[i];
                if (turns(pair) && static_cast<int>(pair.which) == a) places.push_back(x_of(metric::wavelength(pair)));
            }
            // Head groups share wavelengths: a mark for each that can be told from the one before.
            std::sort(places.begin(), places.end());
            std::string marks;
            double before = -1.0;
            for (const double x : places) {
                if (x - before < 0.05) continue;
                marks += 'M' + decimal(x) + ' ' + decimal(at + 1) + 'v' + decimal(lane - 2);
                before = x;
            }
            svg.line(lanes_x, at + lane / 2, lanes_x + lanes, at + lane / 2, hairline);
            if (!marks.empty()) svg.path(marks, colour(static_cast<axis>(a)), 2.2);
        }
        y += rows + gap;
    }
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
