#pragma once
// A prompt as points in space, the way papers draw layouts: text as a line of dots, images and videos as their patches.
// t runs to the right, h upward, w toward the reader; text that moves along all axes alike climbs along the diagonal.
// What is generated behind the prompt is hollow. A layout of one axis lies on t.

#include <algorithm>
#include <string>
#include <vector>

#include "polyrope/draw/detail/coordinate_series.hpp"
#include "polyrope/draw/detail/projected.hpp"
#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/draw/text.hpp"

POLYROPE_BEGIN

namespace draw {

struct scatter_picture {
    std::string title = {};
    index_t generated = 4;  ///< tokens shown past the planned ones
    double width = 480;     ///< of the picture, in pixels
    double height = 270;
};

namespace detail {

struct projection {
    double left, bottom, scale, x0, y0;
    [[nodiscard]] flat_point operator()(const coordinate& p) const noexcept {
        const flat_point at = projected(p);
        return {left + scale * (at.x - x0), bottom - scale * (at.y - y0)};
    }
};

[[nodiscard]] inline const char* fill_of(const plan_part& part) noexcept { return part.video ? "#f0c05a" : "#a9bfd6"; }
[[nodiscard]] inline const char* rim_of(const plan_part& part) noexcept { return part.video ? "#8f6a12" : "#4b6580"; }

}  // namespace detail

/// The picture as the text of a file. `segments` are those the plan was made from and tell videos from images; they may
/// be absent.
[[nodiscard]] inline std::string svg_scatter(const position_plan& plan, const segment* segments = nullptr,
                                             index_t count = 0, const scatter_picture& picture = {}) {
    using namespace detail;
    const index_t total = plan.size() + (picture.generated > 0 ? picture.generated : 0);
    const index_t step = total / most_points + 1;
    const double left = 14, right = 14, top = 38, bottom = 14;

    // Bounds of the points, and of the three axes.
    double lowest[3] = {}, highest[3] = {1.0, plan.axes() > 1 ? 1.0 : 0.0, plan.axes() > 2 ? 1.0 : 0.0};
    for (index_t n = 0; n < total; n += step) {
        const coordinate at = plan.coordinates(token_index{n});
        for (int a = 0; a < 3; ++a) {
            lowest[a] = std::fmin(lowest[a], at[a]);
            highest[a] = std::fmax(highest[a], at[a]);
        }
    }
    // Axes across the text need not be as long as it: patches are what they measure.
    const double longest = std::fmax(highest[0], std::fmax(highest[1], highest[2]));
    for (int a = 1; a < 3; ++a) highest[a] = std::fmin(highest[a], (a == 1 ? 0.5 : 0.36) * longest);
    double x0 = 0.0, x1 = 0.0, y0 = 0.0, y1 = 0.0;
    const auto include = [&](const coordinate& p) {
        const flat_point at = projected(p);
        x0 = std::fmin(x0, at.x), x1 = std::fmax(x1, at.x), y0 = std::fmin(y0, at.y), y1 = std::fmax(y1, at.y);
    };
    for (index_t n = 0; n < total; n += step) include(plan.coordinates(token_index{n}));
    for (int a = 0; a < 3 && a < plan.axes(); ++a) {
        coordinate end;
        end[a] = highest[a] * 1.08;
        include(end);
        end[a] = lowest[a];
        include(end);
    }
    const double across = picture.width - left - right - 46, tall = picture.height - top - bottom - 20;
    const double scale = std::fmin(across / std::fmax(x1 - x0, 1.0), tall / std::fmax(y1 - y0, 1.0));
    const double slack = tall - scale * (y1 - y0);
    const projection to{left + 28, picture.height - bottom - 14 - slack / 2, scale, x0, y0};

    svg_writer svg(picture.width, picture.height);
    svg.label(left, 22, picture.title.empty() ? "Positions of a prompt" : picture.title, ink, anchor::start, 13, true);

    // Axes, with a tick at round positions.
    const double tick = tick_step(longest, 4);
    struct mark_number {
        double x, y, value;
    };
    std::vector<mark_number> numbers;  // above the patches
    for (int a = 0; a < 3 && a < plan.axes(); ++a) {
        coordinate from, end;
        from[a] = lowest[a], end[a] = highest[a] * 1.08;
        const flat_point p = to(from), q = to(end);
        const char* const line = colour(static_cast<axis>(a));
        svg.line(p.x, p.y, q.x, q.y, line, 1.4);
        svg.label(q.x + (a == 1 ? 0 : 5), q.y + (a == 1 ? -5 : 4), std::string(1, letter(static_cast<axis>(a))), line,
                  a == 1 ? anchor::middle : anchor::start, 12, true);
        for (double at = tick; at <= highest[a]; at += tick) {
            coordinate mark;
            mark[a] = at;
            const flat_point m = to(mark);
            if (a == 1) svg.line(m.x - 3, m.y, m.x, m.y, line);
            else svg.line(m.x, m.y, m.x, m.y + 3, line);
            if (a == 0) numbers.push_back({m.x + 3.0 * static_cast<double>(number(at).size()), m.y + 13, at});
            else numbers.push_back({m.x - 5, m.y + (a == 1 ? 3 : 8), at});
        }
    }

    // Patches under the text, so that the trajectory stays whole; the farther ones (small w) first.
    const double half = std::fmin(std::fmax(0.26 * scale, 1.0), 3.5);
    for (const plan_part& part : parts_of(plan, segments, count)) {
        if (part.kind != modality::visual) continue;
        std::vector<coordinate> points;
        for (const token_range& run : part.runs)
            for (index_t n = run.begin.value; n < run.end.value; n += step)
                points.push_back(plan.coordinates(token_index{n}));
        std::stable_sort(points.begin(), points.end(),
                         [](const coordinate& p, const coordinate& q) { return p[2] < q[2]; });
        std::string squares;
        for (const coordinate& point : points) {
            const flat_point p = to(point);
            squares += 'M' + decimal(p.x - half) + ' ' + decimal(p.y - half) + 'h' + decimal(2 * half) + 'v' +
                       decimal(2 * half) + 'h' + decimal(-2 * half) + 'z';
        }
        svg.area(squares, fill_of(part), 0.85, rim_of(part));
    }

    // Text: a line through the tokens that follow one another, and a dot each.
    std::string line, dots, rings;
    bool joined = false;
    for (index_t n = 0; n < total; n += step) {
        if (plan.kind_of(token_index{n}) == modality::visual) {
            joined = false;
            continue;
        }
        const flat_point p = to(plan.coordinates(token_index{n}));
        const std::string at = decimal(p.x) + ' ' + decimal(p.y);
        line += (joined ? 'L' : 'M') + at;
        joined = true;
        if (n < plan.size()) dots += 'M' + at + "h0";
        else rings += 'M' + decimal(p.x - 2.2) + ' ' + decimal(p.y) + "a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0z";
    }
    for (const mark_number& mark : numbers) svg.label(mark.x, mark.y, number(mark.value), faint, anchor::end, 9);
    if (!line.empty()) svg.path(line, faint, 1);
    if (!dots.empty()) svg.path(dots, ink, 4.4);
    if (!rings.empty()) svg.area(rings, "#ffffff", 1, ink);
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
