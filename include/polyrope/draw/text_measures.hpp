#pragma once
// Bias maps, decay and the wavelengths of axes in plain text, for a terminal.
//
//     bias(plan, table, x, segment)    *#@   a character per patch, from ' ' (least score) to '@' (largest)
//     decay(table)                     a row of numbers per axis, a column per power of ten of the distance
//     lanes(table)                     t  ..12121     how many pairs of an axis have which wavelength

#include <string>

#include "polyrope/draw/detail/shape.hpp"
#include "polyrope/draw/detail/smoothed.hpp"
#include "polyrope/draw/text.hpp"
#include "polyrope/metric/frequency_use.hpp"

POLYROPE_BEGIN

namespace draw {

/// The content-free score of token x against every patch of a segment, rows as in the image, and the range of scores
/// below; or why there is none. One character fills the map where all patches score alike.
[[nodiscard]] inline result<std::string> bias(const position_plan& plan, const frequency_table& table, token_index x,
                                              index_t segment, token_grid shape = {0, 0, 0}) {
    const auto scores = metric::spatial_bias(plan, table, x, segment);
    if (!scores) return scores.error();
    constexpr char ramp[] = " .:-=+*#%@";
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double s : *scores) least = std::fmin(least, s), most = std::fmax(most, s);
    std::string all;
    std::size_t i = 0;
    metric::detail::for_each_visual_run(plan, segment, [&](const placement& p, index_t tokens) {
        const token_grid grid = detail::as_shown(p.grid, shape);
        for (index_t k = 0; k < tokens; ++k, ++i) {
            const double part = most - least > 1e-9 ? ((*scores)[i] - least) / (most - least) : 0.5;
            all += ramp[static_cast<int>(part * 9.0 + 0.5)];
            const bool row_ends = (p.first_cell + k + 1) % grid.columns == 0;
            if (row_ends || k + 1 == tokens) all += '\n';
        }
    });
    return all + "score " + metric::detail::in_digits("%.4f", least) + " to " +
           metric::detail::in_digits("%.4f", most) + '\n';
}

/// Long-range decay as svg_decay draws it, at distances 1, 10, ... up to `furthest`.
[[nodiscard]] inline std::string decay(const frequency_table& table, double furthest = 100000.0) {
    const auto padded = [](const std::string& text) {
        return std::string(text.size() < 8 ? 8 - text.size() : 1, ' ') + text;
    };
    std::string all = "distance";
    for (double d = 1.0; d <= furthest; d *= 10.0) all += padded(detail::number(d));
    all += '\n';
    for (int a = -1; a < table.axes(); ++a) {
        coordinate direction;
        for (int b = 0; b < table.axes(); ++b) direction[b] = a < 0 || a == b ? 1.0 : 0.0;
        if (detail::decay_of(table, direction, 1.0) < 0.0) continue;
        all += a < 0 ? "text    " : std::string(1, letter(static_cast<axis>(a))) + "       ";
        for (double d = 1.0; d <= furthest; d *= 10.0)
            all += padded(metric::detail::in_digits("%.3f", detail::smoothed(table, direction, d)));
        all += '\n';
    }
    return all;
}

/// Pairs per axis over the wavelength, four columns per power of ten from 1 up: '.' none, 1 to 9, '+' more.
[[nodiscard]] inline std::string lanes(const frequency_table& table) {
    std::size_t columns = 4;
    const auto column_of = [](const pair_frequency& pair) {
        const double place = 4.0 * std::log10(metric::wavelength(pair));
        return static_cast<std::size_t>(place > 0.0 ? place < 400.0 ? place : 400.0 : 0.0);
    };
    const auto turns = [](const pair_frequency& pair) {
        return pair.which != axis_none && std::fabs(pair.frequency) > 0.0;
    };
    const index_t entries = table.groups() * table.pairs();
    for (index_t i = 0; i < entries; ++i)
        if (turns(table.data()[i]))
            columns = column_of(table.data()[i]) + 1 > columns ? column_of(table.data()[i]) + 1 : columns;
    std::string all;
    for (int a = 0; a < table.axes(); ++a) {
        std::string lane(columns, '.');
        for (index_t i = 0; i < entries; ++i) {
            const pair_frequency& pair = table.data()[i];
            if (!turns(pair) || static_cast<int>(pair.which) != a) continue;
            char& c = lane[column_of(pair)];
            c = c == '.' ? '1' : c >= '9' || c == '+' ? '+' : static_cast<char>(c + 1);
        }
        all += letter(static_cast<axis>(a)) + ("  " + lane) + '\n';
    }
    return all;
}

}  // namespace draw

POLYROPE_END
