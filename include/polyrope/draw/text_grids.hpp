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
/// clipped off are left blank. Nothing for a segment without visual tokens.
[[nodiscard]] inline std::string grids(const position_plan& plan, index_t segment, token_grid shape = {0, 0, 0}) {
    std::string all;
    for (const placement& p : plan.placements()) {
        if (p.segment != segment || p.kind != modality::visual) continue;
        const token_grid grid = detail::as_shown(p.grid, shape);
        std::size_t width = 1;
        for (index_t k = 0; k < p.count; ++k) {
            const coordinate at = plan.coordinates(token_index{p.first_token + k});
            for (int a = 0; a < plan.axes(); ++a) {
                const std::size_t digits = detail::number(at[a]).size();
                width = digits > width ? digits : width;
            }
        }
        const std::size_t wide = (width + 2) * static_cast<std::size_t>(grid.columns) + 2;
        const auto end_line = [&all](std::string line) {
            while (!line.empty() && line.back() == ' ') line.pop_back();
            all += line + '\n';
        };
        for (index_t f = 0; f < grid.frames; ++f) {
            std::string line;
            for (int a = 0; a < plan.axes(); ++a) line += letter(static_cast<axis>(a)) + std::string(wide - 1, ' ');
            end_line(line);
            for (index_t r = 0; r < grid.rows; ++r) {
                line.clear();
                for (int a = 0; a < plan.axes(); ++a) {
                    for (index_t c = 0; c < grid.columns; ++c) {
                        const index_t k = (f * grid.rows + r) * grid.columns + c - p.first_cell;
                        const std::string text =
                            k < 0 || k >= p.count ? std::string()
                                                  : detail::number(plan.coordinates(token_index{p.first_token + k})[a]);
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
