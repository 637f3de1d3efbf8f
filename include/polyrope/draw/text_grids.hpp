#pragma once
// The coordinates of images as grids of numbers in plain text, a grid per axis side by side, a block per frame.
//
//     t          h          w
//     2  2  2    2  2  2    2  3  4
//     2  2  2    3  3  3    2  3  4

#include <string>

#include "polyrope/draw/detail/shape.hpp"
#include "polyrope/draw/text.hpp"

POLYROPE_BEGIN

namespace draw {

/// The visual tokens of a segment; `shape` is that of an image which the layout lays out in one row. Cells that were
/// clipped off are left blank, and of each side at most `most` are shown. Nothing for a segment without visual tokens.
[[nodiscard]] inline std::string grids(const position_plan& plan, index_t segment, token_grid shape = {0, 0, 0},
                                       index_t most = 64) {
    const auto shown = [most](index_t side) { return side < most ? side : most; };
    std::string all;
    for (const placement& p : plan.placements()) {
        if (p.segment != segment || p.kind != modality::visual) continue;
        const token_grid grid = detail::as_shown(p.grid, shape);
        const auto cell_of = [&](index_t f, index_t r, index_t c, int a) {
            const index_t k = (f * grid.rows + r) * grid.columns + c - p.first_cell;
            return k < 0 || k >= p.count ? std::string()
                                         : detail::number(plan.coordinates(token_index{p.first_token + k})[a]);
        };
        std::size_t width = 1;
        for (index_t f = 0; f < shown(grid.frames); ++f)
            for (index_t r = 0; r < shown(grid.rows); ++r)
                for (index_t c = 0; c < shown(grid.columns); ++c)
                    for (int a = 0; a < plan.axes(); ++a) {
                        const std::size_t digits = cell_of(f, r, c, a).size();
                        width = digits > width ? digits : width;
                    }
        const std::size_t wide = (width + 2) * static_cast<std::size_t>(shown(grid.columns)) + 2;
        const auto end_line = [&all](std::string line) {
            while (!line.empty() && line.back() == ' ') line.pop_back();
            all += line + '\n';
        };
        for (index_t f = 0; f < shown(grid.frames); ++f) {
            std::string line;
            for (int a = 0; a < plan.axes(); ++a) line += letter(static_cast<axis>(a)) + std::string(wide - 1, ' ');
            end_line(line);
            for (index_t r = 0; r < shown(grid.rows); ++r) {
                line.clear();
                for (int a = 0; a < plan.axes(); ++a) {
                    for (index_t c = 0; c < shown(grid.columns); ++c) {
                        const std::string text = cell_of(f, r, c, a);
                        line += std::string(width - text.size(), ' ') + text + "  ";
                    }
                    line += "  ";
                }
                end_line(line);
            }
        }
    }
    return all;
}

}  // namespace draw

POLYROPE_END
