#pragma once
// What every SVG picture is held to, and how its elements are counted.

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace polyrope::test {

inline std::size_t count(const std::string& text, const std::string& piece) {
    std::size_t n = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++n;
    return n;
}

// Every element is closed, every attribute is quoted, and no number went wrong.
inline void check_document(const std::string& svg) {
    CHECK(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", 0) == 0);
    CHECK(svg.size() > 8);
    CHECK(svg.substr(svg.size() - 7) == "</svg>\n");
    std::vector<std::string> open;
    bool nested = true;
    for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
        const std::size_t end = svg.find('>', at);
        REQUIRE(end != std::string::npos);
        const std::string tag = svg.substr(at + 1, end - at - 1);
        nested = nested && count(tag, "\"") % 2 == 0;
        if (tag.front() == '/') {
            nested = nested && !open.empty() && open.back() == tag.substr(1);
            if (!open.empty()) open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    CHECK(nested);
    CHECK(open.empty());
    CHECK(count(svg, "nan") == 0);
    CHECK(count(svg, "inf") == 0);
}

/// The numbers that stand behind every `opening` in a text, in order: numbers(svg, "<text x=\"") are the x of all
/// labels.
inline std::vector<double> numbers(const std::string& text, const std::string& opening) {
    std::vector<double> all;
    for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1))
        all.push_back(std::strtod(text.c_str() + at + opening.size(), nullptr));
    return all;
}

/// The d attributes of all paths with a fill, in order.
inline std::vector<std::string> areas(const std::string& svg, const std::string& fill) {
    std::vector<std::string> all;
    const std::string opening = "<path d=\"";
    for (std::size_t at = svg.find(opening); at != std::string::npos; at = svg.find(opening, at + 1)) {
        const std::size_t end = svg.find('"', at + opening.size());
        if (svg.compare(end, 8 + fill.size(), "\" fill=\"" + fill) == 0)
            all.push_back(svg.substr(at + opening.size(), end - at - opening.size()));
    }
    return all;
}

}  // namespace polyrope::test
