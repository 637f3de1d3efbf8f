#pragma once
// Several pictures on one sheet, side by side under a title, with a caption below: for figures that compare variants.

#include <cstdlib>
#include <string>
#include <vector>

#include "polyrope/draw/detail/svg_writer.hpp"

POLYROPE_BEGIN

namespace draw {

struct sheet {
    std::string title = {};
    std::vector<std::string> caption = {};  ///< lines
    index_t columns = 3;
};

namespace detail {

struct extent {
    double width = 0.0, height = 0.0;
};

/// Width and height of a picture of this library, as its first line says.
[[nodiscard]] inline extent extent_of(const std::string& picture) {
    const std::string opening = "viewBox=\"0 0 ";
    const std::size_t at = picture.find(opening);
    if (at == std::string::npos) return {};
    char* rest = nullptr;
    const double width = std::strtod(picture.c_str() + at + opening.size(), &rest);
    return {width, std::strtod(rest, nullptr)};
}

}  // namespace detail

/// `pictures` are texts of files that this library drew, placed row by row.
[[nodiscard]] inline std::string svg_sheet(const std::vector<std::string>& pictures, const sheet& on = {}) {
    using namespace detail;
    const std::size_t columns = on.columns < 1 ? 1 : static_cast<std::size_t>(on.columns);
    constexpr double edge = 16, gap = 12, line = 17;
    std::vector<double> widths(pictures.size() < columns ? pictures.size() : columns, 0.0);
    std::vector<double> heights((pictures.size() + columns - 1) / columns, 0.0);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const extent e = extent_of(pictures[i]);
        widths[i % columns] = std::fmax(widths[i % columns], e.width);
        heights[i / columns] = std::fmax(heights[i / columns], e.height);
    }
    std::vector<double> lefts;
    double width = edge;
    for (const double w : widths) lefts.push_back(width), width += w + gap;
    width += edge - (widths.empty() ? 0.0 : gap);
    double height = 48;
    for (const double h : heights) height += h + gap;
    const double caption = height + 8;
    svg_writer svg(width, caption + line * static_cast<double>(on.caption.size()) + 8);
    svg.label(edge, 30, on.title, ink, anchor::start, 17, true);
    double y = 48;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        if (i > 0 && i % columns == 0) y += heights[i / columns - 1] + gap;
        svg.place(lefts[i % columns], y, pictures[i]);
    }
    for (std::size_t i = 0; i < on.caption.size(); ++i)
        svg.label(edge, caption + line * static_cast<double>(i), on.caption[i], ink);
    return std::move(svg).finish();
}

}  // namespace draw

POLYROPE_END
