#pragma once
// The coordinates of images as grids of numbers, a grid per axis and frame, rows and columns as in the image; the
// darker a cell, the larger its number among all cells shown. A text token can be named below.
// The figure of layouts in arXiv:2611.13334 shows one image in this way.

#include <string>
#include <vector>

#include "polyrope/draw/detail/shape.hpp"
#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/draw/text.hpp"

POLYROPE_BEGIN

namespace draw {

struct grids_picture {
    std::string title = {};
    index_t most_frames = 8;    ///< of all images and videos; those behind them are left out
    index_t most_side = 24;     ///< rows and columns shown of a frame
    token_index query{-1};      ///< a text token whose coordinates stand below, where given
    token_grid shape{0, 0, 0};  ///< of images that the layout lays out in one row, where they are this large
    double cell = 34;           ///< width of a cell, in pixels
};

namespace detail {

/// One frame as it is shown.
struct shown_frame {
    index_t frame, frames, rows, columns, first_token;
    const placement* p;
};

[[nodiscard]] inline std::string tuple(const coordinate& at, int axes) {
    std::string text = "(";
    for (int a = 0; a < axes; ++a) text += (a > 0 ? ", " : "") + number(at[a]);
    return text + ")";
}

/// At most four significant digits: what fits a cell.
[[nodiscard]] inline std::string short_number(double value) {
    const std::string exact = number(value);
    if (exact.size() <= 5) return exact;
    char text[32];
    std::snprintf(text, sizeof(text), std::fabs(value) < 100 ? "%.1f" : "%.0f", value);
    for (char& c : text)
        if (c == ',') c = '.';
    return text;
}

[[nodiscard]] inline std::vector<shown_frame> frames_shown(const position_plan& plan, index_t most,
                                                           const token_grid& shape) {
    std::vector<shown_frame> frames;
    for (const placement& p : plan.placements()) {
        if (p.kind != modality::visual) continue;
        const token_grid grid = as_shown(p.grid, shape);
        for (index_t f = 0; f < grid.frames && static_cast<index_t>(frames.size()) < most; ++f)
            frames.push_back({f, grid.frames, grid.rows, grid.columns, p.first_token, &p});
    }
    return frames;
}

}  // namespace detail

/// The picture as the text of a file.
[[nodiscard]] inline std::string svg_grids(const position_plan& plan, const grids_picture& picture = {}) {
    using namespace detail;
    const std::vector<shown_frame> frames = frames_shown(plan, picture.most_frames, picture.shape);
    const double left = 14, top = 38, cell = picture.cell, row = 20, gap = 16, heading = 20;
    const auto shown = [&](index_t side) { return side < picture.most_side ? side : picture.most_side; };
    double widest = 0.0, height = top;
    for (const shown_frame& f : frames) {
        widest = std::fmax(widest, cell * static_cast<double>(shown(f.columns)));
        height += heading + row * static_cast<double>(shown(f.rows)) + gap;
    }
    const double inside = static_cast<double>(plan.axes()) * (widest + gap) - gap;
    svg_writer svg(2 * left + std::fmax(inside, 200.0), height + 26);
    svg.label(left, 22, picture.title.empty() ? "Coordinates of images" : picture.title, ink, anchor::start, 13, true);

    const auto at_cell = [&](const shown_frame& f, index_t r, index_t c, coordinate& at) {
        const index_t k = (f.frame * f.rows + r) * f.columns + c - f.p->first_cell;
        if (k < 0 || k >= f.p->count) return false;
        at = plan.coordinates(token_index{f.first_token + k});
        return true;
    };
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (const shown_frame& f : frames)
        for (index_t r = 0; r < shown(f.rows); ++r)
            for (index_t c = 0; c < shown(f.columns); ++c) {
                coordinate at;
                if (!at_cell(f, r, c, at)) continue;
                for (int a = 0; a < plan.axes(); ++a)
                    lowest = std::fmin(lowest, at[a]), highest = std::fmax(highest, at[a]);
            }
    double y = top;
    for (const shown_frame& f : frames) {
        for (int a = 0; a < plan.axes(); ++a) {
            const double x = left + a * (widest + gap);
            const char* const ground = colour(static_cast<axis>(a));
            svg.label(x, y + 13,
                      std::string(1, letter(static_cast<axis>(a))) +
                          (f.frames > 1 ? ", frame " + std::to_string(f.frame) : std::string()),
                      ground, anchor::start, 12, true);
            for (index_t r = 0; r < shown(f.rows); ++r)
                for (index_t c = 0; c < shown(f.columns); ++c) {
                    coordinate at;
                    if (!at_cell(f, r, c, at)) continue;
                    const double part = highest > lowest ? (at[a] - lowest) / (highest - lowest) : 0.0;
                    const double cx = x + cell * static_cast<double>(c),
                                 cy = y + heading + row * static_cast<double>(r);
                    svg.rectangle(cx, cy, cell - 1.5, row - 1.5, ground, 2, 0.12 + 0.5 * part);
                    svg.label(cx + (cell - 1.5) / 2, cy + 13.5, short_number(at[a]), ink, anchor::middle, 10.5);
                }
        }
        y += heading + row * static_cast<double>(shown(f.rows)) + gap;
    }
    if (picture.query.value >= 0)
        svg.label(left, y + 8,
                  "text token " + std::to_string(picture.query.value) + " at " +
                      tuple(plan.coordinates(picture.query), plan.axes()),
                  ink, anchor::start, 11);
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
