#pragma once
// Pictures in plain text: one head as a string of axis letters, and the coordinates of a prompt as rows of numbers.
//
//     letters(table)                     tttthhhhhhwwwwww
//     rows(plan, begin, end)             .  .  #  #  #  #  .
//                                     t  0  1  2  2  2  2  4
//                                     h  0  1  2  2  3  3  4
//                                     w  0  1  2  3  2  3  4

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace draw {

/// The axis letter of every rotary pair of a head group; '-' is a pair that does not rotate.
[[nodiscard]] inline std::string letters(const frequency_table& table, index_t group = 0) {
    std::string all;
    for (index_t l = 0; l < table.pairs(); ++l) all += letter(table.at(group, l).which);
    return all;
}

namespace detail {

/// The shortest decimal that reads back to the same float32; whole numbers have no point. A point whatever the locale.
[[nodiscard]] inline std::string number(double value) {
    if (std::fabs(value) < 1e15 && value == static_cast<double>(static_cast<index_t>(value)))
        return std::to_string(static_cast<index_t>(value));
    char text[32];
    for (int digits = 1; digits <= 9; ++digits) {
        std::snprintf(text, sizeof(text), "%.*g", digits, value);
        if (static_cast<float>(std::strtod(text, nullptr)) == static_cast<float>(value)) break;
    }
    for (char& c : text)
        if (c == ',') c = '.';
    return text;
}

}  // namespace detail

/// Tokens [begin, end) of a plan: a row of kinds ('.' text, '#' visual) and a row per axis, in aligned columns. Columns
/// past the prompt are generated tokens ('+').
[[nodiscard]] inline std::string rows(const position_plan& plan, token_index begin, token_index end) {
    std::vector<std::string> lines(static_cast<std::size_t>(plan.axes()) + 1, " ");
    for (int a = 0; a < plan.axes(); ++a) lines[static_cast<std::size_t>(a) + 1][0] = letter(static_cast<axis>(a));
    for (index_t n = begin.value; n < end.value; ++n) {
        const coordinate at = plan.coordinates(token_index{n});
        std::vector<std::string> column{n >= plan.size()                                   ? "+"
                                        : plan.kind_of(token_index{n}) == modality::visual ? "#"
                                                                                           : "."};
        std::size_t width = 1;
        for (int a = 0; a < plan.axes(); ++a) {
            column.push_back(detail::number(at[a]));
            width = column.back().size() > width ? column.back().size() : width;
        }
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i] += std::string(2 + width - column[i].size(), ' ') + column[i];
    }
    std::string all;
    for (const std::string& line : lines) all += line + '\n';
    return all;
}

}  // namespace draw

POLYROPE_END
