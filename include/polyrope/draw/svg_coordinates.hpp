#pragma once
// The coordinates of a prompt as an SVG picture: token index to the right, position upward, a line per axis where axes
// differ and one dark line where they agree, as in text. Images and videos are shaded and carry their sides in tokens;
// what is generated after the prompt is dashed.

#include <string>
#include <vector>

#include "polyrope/draw/detail/coordinate_series.hpp"
#include "polyrope/draw/detail/svg_writer.hpp"

POLYROPE_BEGIN

namespace draw {

struct coordinates_picture {
    std::string title = {};
    index_t generated = -1;  ///< tokens shown past the planned ones; -1: a twentieth of the planned ones, at least 16
    double width = 960;      ///< of the picture, in pixels
    double height = 400;
};

/// The picture as the text of a file. `segments` are those the plan was made from and name its parts; they may be
/// absent.
[[nodiscard]] inline std::string svg_coordinates(const position_plan& plan, const segment* segments = nullptr,
                                                 index_t count = 0, const coordinates_picture& picture = {}) {
    using namespace detail;
    const index_t planned = plan.size();
    const index_t generated = picture.generated >= 0 ? picture.generated : planned / 20 > 16 ? planned / 20 : 16;
    const index_t total = planned + generated > 0 ? planned + generated : 1;
    const double left = 58, right = 22, top = 84, bottom = 44;
    const double inside = picture.width - left - right, tall = picture.height - top - bottom;
    const coordinate_range range = range_of(plan, total);
    const auto x_of = [&](double n) { return left + inside * n / static_cast<double>(total); };
    const auto y_of = [&](double p) { return top + tall * (range.highest - p) / (range.highest - range.lowest); };

    svg_writer svg(picture.width, picture.height);
    svg.label(left, 26, picture.title.empty() ? "Positions of a prompt" : picture.title, ink, anchor::start, 14, true);

    // Shading and names of the parts.
    double free_from[3] = {left, left, left};  // where the next name may start, per row of names
    std::vector<plan_part> parts = parts_of(plan, segments, count);
    if (generated > 0) parts.push_back({modality::text, false, planned, total, {}, "generated", 9});
    for (const plan_part& part : parts) {
        const double from = x_of(static_cast<double>(part.begin)), to = x_of(static_cast<double>(part.end));
        if (part.kind == modality::visual)
            for (const token_range& run : part.runs) {
                const double x = x_of(static_cast<double>(run.begin.value));
                svg.rectangle(x, top, std::fmax(x_of(static_cast<double>(run.end.value)) - x, 0.6), tall,
                              part.video ? "#fbf3e4" : "#eaf1f8");
            }
        const double wide = 6.1 * static_cast<double>(part.characters), middle = (from + to) / 2;
        if (part.kind == modality::text && wide > to - from && part.begin < planned) continue;
        for (int row = 0; row < 3; ++row) {
            const double starts = std::fmin(std::fmax(middle - wide / 2, left), left + inside - wide);
            if (starts < free_from[row]) continue;
            svg.label(starts + wide / 2, top - 8 - 15 * row, part.name, part.kind == modality::text ? faint : ink,
                      anchor::middle, 11);
            free_from[row] = starts + wide + 8;
            break;
        }
    }

    // Ticks.
    const double y_step = tick_step(range.highest - range.lowest, 6),
                 x_step = tick_step(static_cast<double>(total), 10);
    for (double p = std::ceil(range.lowest / y_step) * y_step; p <= range.highest; p += y_step) {
        svg.line(left, y_of(p), left + inside, y_of(p), hairline);
        svg.label(left - 8, y_of(p) + 4, grouped(static_cast<index_t>(p)), faint, anchor::end, 11);
    }
    for (double n = 0; n < static_cast<double>(total); n += x_step) {
        const double x = x_of(n + 0.5);
        svg.line(x, top + tall, x, top + tall + 4, faint);
        svg.label(x, top + tall + 17, grouped(static_cast<index_t>(n)), faint, anchor::middle, 11);
    }
    svg.line(left, top + tall, left + inside, top + tall, faint);
    svg.label(left + inside, top + tall + 36, "token", faint, anchor::end, 11);
    svg.label(left - 8, top - 12, "position", faint, anchor::end, 11);

    // The lines: the common one, then the axes, t on top.
    const double pixels = inside / static_cast<double>(total), width = pixels < 0.5 ? 1.4 : 2.2;
    const auto line_colour = [&](int which) {
        return which == all_agree && plan.axes() > 1 ? ink : colour(static_cast<axis>(which < 0 ? 0 : which));
    };
    for (int step = 0; step <= plan.axes(); ++step) {
        const int which = step == 0 ? all_agree : plan.axes() - step;
        const std::string solid = series_path(plan, which, 0, planned, pixels, x_of, y_of);
        if (!solid.empty()) svg.path(solid, line_colour(which), width);
        const std::string dashed = series_path(plan, which, planned > 0 ? planned - 1 : 0, total, pixels, x_of, y_of);
        if (!dashed.empty()) svg.path(dashed, line_colour(which), width, "5 5");
    }
    if (pixels >= 7) {
        std::string dots[max_axes + 1];  // a round cap without a line; the common line's last
        for (index_t n = 0; n < total; ++n) {
            const coordinate at = plan.coordinates(token_index{n});
            const bool agree = agrees(at, plan.axes());
            for (int a = agree ? 0 : plan.axes() - 1; a >= 0; --a)
                dots[agree ? max_axes : a] +=
                    'M' + decimal(x_of(static_cast<double>(n) + 0.5)) + ' ' + decimal(y_of(at[a])) + "h0";
        }
        for (int a = max_axes; a >= 0; --a)
            if (!dots[a].empty()) svg.path(dots[a], line_colour(a == max_axes ? all_agree : a), width + 4);
    }
    if (generated > 0) {
        const double x = x_of(static_cast<double>(planned));
        svg.line(x, top, x, top + tall, faint, 1, "2 3");
    }

    double x = left + inside;
    for (int a = plan.axes() == 1 ? 0 : plan.axes(); a >= 0; --a) {
        const axis which = static_cast<axis>(a);
        const std::string name = a == plan.axes()   ? "all axes alike"
                                 : which == axis::t ? "t time"
                                 : which == axis::h ? "h row"
                                 : which == axis::w ? "w column"
                                                    : std::string(1, letter(which));
        const double wide = a == plan.axes() ? 82 : which == axis::w ? 58 : which <= axis::h ? 40 : 10;
        svg.label(x - wide, 26, name, ink);
        x -= wide + 6;
        svg.line(x - 18, 22, x, 22, line_colour(a == plan.axes() ? all_agree : a), 3);
        x -= 32;
    }
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
