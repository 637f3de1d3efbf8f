#pragma once
// Long-range decay: how the score of smooth queries and keys falls off with distance, a line per axis and one for text,
// which moves along all of them. RoFormer's bound over its value at no distance (metric/content_free.hpp), over the
// pairs that turn with the axis; of several head groups, those that read it, averaged, and averaged over distances
// around each point.

#include <string>
#include <vector>

#include "polyrope/draw/detail/smoothed.hpp"
#include "polyrope/draw/detail/svg_writer.hpp"

POLYROPE_BEGIN

namespace draw {

struct decay_picture {
    std::string title = {};
    double furthest = 32768;  ///< distance, in positions
    double width = 320;       ///< of the picture, in pixels
    double height = 240;
};

/// The picture as the text of a file.
[[nodiscard]] inline std::string svg_decay(const frequency_table& table, const decay_picture& picture = {}) {
    using namespace detail;
    const double left = 40, right = 16, top = 64, bottom = 40;
    const double inside = picture.width - left - right, tall = picture.height - top - bottom;
    const double furthest = picture.furthest > 10.0 ? picture.furthest : 10.0, orders = std::log10(furthest);
    const auto x_of = [&](double distance) { return left + inside * std::log10(distance) / orders; };
    const auto y_of = [&](double value) { return top + tall * (1.0 - value); };

    svg_writer svg(picture.width, picture.height);
    svg.label(14, 22, picture.title.empty() ? "Long-range decay" : picture.title, ink, anchor::start, 13, true);
    for (int i = 0; i <= 4; ++i) {
        svg.line(left, y_of(0.25 * i), left + inside, y_of(0.25 * i), hairline);
        svg.label(left - 6, y_of(0.25 * i) + 3.5, decimal(0.25 * i), faint, anchor::end, 10);
    }
    for (int order = 0; order <= static_cast<int>(orders); ++order) {
        const double x = x_of(std::pow(10.0, order));
        svg.line(x, top + tall, x, top + tall + 4, faint);
        svg.label(x, top + tall + 15, grouped(static_cast<index_t>(std::pow(10.0, order))), faint, anchor::middle, 10);
    }
    svg.line(left, top + tall, left + inside, top + tall, faint);
    svg.label(left + inside, top + tall + 31, "distance, in positions", faint, anchor::end, 10);

    svg.label(14, 55, "bound", faint, anchor::start, 10);

    double key = 14;
    constexpr int points = 96;
    for (int a = -1; a < table.axes(); ++a) {
        coordinate direction;
        for (int b = 0; b < table.axes(); ++b) direction[b] = a < 0 || a == b ? 1.0 : 0.0;
        if (decay_of(table, direction, 1.0) < 0.0) continue;
        if (a < 0 && table.axes() == 1) continue;
        const char* const line = a < 0 ? ink : colour(static_cast<axis>(a));
        const double wide = a < 0 ? 1.1 : std::fmax(4.8 - 1.8 * a, 1.0);  // lines that agree show one on the other
        std::string data;
        for (int i = 0; i <= points; ++i) {
            const double distance = std::pow(furthest, static_cast<double>(i) / points);
            data += (i == 0 ? 'M' : 'L') + decimal(x_of(distance)) + ' ' +
                    decimal(y_of(smoothed(table, direction, distance, std::pow(furthest, 1.0 / points))));
        }
        svg.path(data, line, wide, a < 0 ? "4 3" : nullptr);
        svg.line(key, 38, key + 16, 38, line, wide, a < 0 ? "4 3" : nullptr);
        const std::string name = a < 0 ? "text" : std::string(1, letter(static_cast<axis>(a)));
        svg.label(key + 21, 42, name, ink, anchor::start, 11);
        key += 34 + 7.0 * static_cast<double>(name.size());
    }
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
