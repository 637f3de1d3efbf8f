#pragma once
// A variant held against what the papers ask of it, as one row: the three guidelines of Revisiting Multimodal
// Positional Encoding in Vision-Language Models, arXiv:2510.23095 (positional coherence, full frequency utilisation,
// preservation of textual priors), neutrality to text of arXiv:2611.13334 and the per-token distance of
// arXiv:2505.16416. Rows print as a table in markdown.

#include <string>

#include "polyrope/metric/coherence.hpp"
#include "polyrope/metric/frequency_use.hpp"
#include "polyrope/metric/neutrality.hpp"
#include "polyrope/metric/per_token_distance.hpp"
#include "polyrope/metric/text_prior.hpp"

POLYROPE_BEGIN

namespace metric {

struct guideline_row {
    std::string name;
    coherence points;
    std::vector<axis_use> axes;
    double text = 0.0;        ///< see text_difference, 0 to 2
    double neutrality = 0.0;  ///< see operator_difference, 0 to 2
    double distance = 0.0;    ///< per-token distance, in positions
};

/// What a row is measured on, besides the variant's own plan of a prompt and its table.
struct guideline_case {
    const position_plan* text = nullptr;               ///< the variant's plan of text alone
    const frequency_table* one_dimensional = nullptr;  ///< the table of the model that text comes from
    index_t segment = 0;                               ///< the image whose neutrality and distance are measured
    token_index x{};                                   ///< the text token that looks at it
    index_t generated = 0;                             ///< tokens behind the prompt that are looked at too
};

[[nodiscard]] inline result<guideline_row> measure(std::string name, const position_plan& plan,
                                                   const frequency_table& table, const guideline_case& on) {
    if (on.text == nullptr) return status{errc::null_data, operand::plan, 0, 0, 0};
    if (on.one_dimensional == nullptr) return status{errc::null_data, operand::frequency_table, 0, 0, 0};
    auto points = positional_coherence(plan, {on.generated, 64});
    if (!points) return points.error();
    const auto text = text_difference(*on.text, table, *on.one_dimensional, on.generated);
    if (!text) return text.error();
    const auto neutral = operator_difference(plan, table, on.segment, on.x);
    if (!neutral) return neutral.error();
    const auto distance = per_token_distance(plan, on.segment);
    if (!distance) return distance.error();
    return guideline_row{std::move(name), *std::move(points), frequency_use(table),
                         text->value,     neutral->value,     *distance};
}

namespace detail {

/// A measure that is zero up to its rounding prints as 0.
[[nodiscard]] inline std::string rounded(double value) { return value < 5e-7 ? "0" : in_digits("%.3g", value); }

[[nodiscard]] inline std::string in_words(const axis_use& use) {
    if (use.pairs == 0) return "none";
    return std::to_string(use.pairs) + ": " + in_digits("%.3g", use.shortest) + " to " +
           in_digits("%.3g", use.longest) + " (" + in_digits("%.0f", 100.0 * use.share) + " %)";
}

}  // namespace detail

/// The rows under a heading. Columns of axes are those of the row that has most; a cell of an axis holds its pairs and
/// the wavelengths they reach from and to, in positions, and how much of the spectrum that is.
[[nodiscard]] inline std::string markdown(const std::vector<guideline_row>& rows) {
    std::size_t axes = 0;
    for (const guideline_row& row : rows) axes = row.axes.size() > axes + 1 ? row.axes.size() - 1 : axes;
    std::string text = "| variant | points shared (by text and patches) |", rule = "|---|---|";
    for (std::size_t a = 0; a < axes; ++a) {
        text += std::string(" ") + letter(static_cast<axis>(a)) + " pairs: wavelengths |";
        rule += "---|";
    }
    text += " pairs that stand still | text differs from 1-D | patches differ to text | per-token distance |\n" + rule +
            "---:|---:|---:|---:|\n";
    for (const guideline_row& row : rows) {
        text += "| " + row.name + " | " +
                (row.points.coherent()
                     ? "none"
                     : std::to_string(row.points.shared_points) + " (" + std::to_string(row.points.mixed) + ")") +
                " |";
        for (std::size_t a = 0; a < axes; ++a)
            text += " " + (a + 1 < row.axes.size() ? detail::in_words(row.axes[a]) : std::string("none")) + " |";
        text += " " + std::to_string(row.axes.empty() ? 0 : row.axes.back().pairs) + " | " + detail::rounded(row.text) +
                " | " + detail::rounded(row.neutrality) + " | " + detail::rounded(row.distance) + " |\n";
    }
    return text;
}

}  // namespace metric

POLYROPE_END
