#pragma once
// Preservation of textual priors: text alone must be turned as the one-dimensional model that it was trained with turns
// it. Revisiting Multimodal Positional Encoding in Vision-Language Models, arXiv:2510.23095, section 3. Attention sees
// differences of positions, so the measure compares the rotation from the first token to each other token:
//
//     largest norm of R(p_n - p_0) - R1(n) over tokens n, pairs and head groups; R1 is the table of the 1-D model
//
//     mrope, any allocation that keeps the spectrum: 0        a layout whose text has t alone: up to 2
//
// 0 to 2, in double; the error is below 2^-50 (1 + the largest angle). O(tokens x pairs).

#include <cmath>

#include "polyrope/metric/detail/phase_spread.hpp"
#include "polyrope/metric/neutrality.hpp"

POLYROPE_BEGIN

namespace metric {

/// `text` is the plan of a prompt without media, `one_dimensional` a table of one group with as many pairs, whose axes
/// do not matter. Text tokens of the plan and `generated` tokens behind them are looked at.
[[nodiscard]] inline result<largest> text_difference(const position_plan& text, const frequency_table& table,
                                                     const frequency_table& one_dimensional, index_t generated = 0) {
    if (const status s = detail::check_axes(text, table); !s.ok()) return s;
    if (one_dimensional.pairs() != table.pairs())
        return status{errc::extent_mismatch, operand::pair, 0, table.pairs(), one_dimensional.pairs()};
    if (generated < 0) return status{errc::negative_count, operand::token, 0, 0, generated};
    const index_t entries = table.groups() * table.pairs();
    const index_t most = max_steps / entries < max_tokens ? max_steps / entries : max_tokens;
    if (text.size() > most || generated > most - text.size())
        return status{errc::capacity_exceeded, operand::plan, 0, most, text.size()};
    for (const placement& p : text.placements())
        if (p.kind == modality::visual) return status{errc::modality_not_placed, operand::segment, p.segment, 0, 0};

    largest found;
    const coordinate start = text.coordinates(token_index{0});
    for (index_t n = 1; n < text.size() + generated; ++n) {
        const coordinate moved = detail::difference(text.coordinates(token_index{n}), start);
        for (index_t group = 0; group < table.groups(); ++group)
            for (index_t l = 0; l < table.pairs(); ++l) {
                const pair_frequency& pair = table.at(group, l);
                const double expected = one_dimensional.at(0, l).frequency * static_cast<double>(n);
                const double angle = pair.which == axis_none ? 0.0 : pair.frequency * moved[pair.which];
                const double norm = std::fabs(detail::norm_of(angle - expected));
                if (norm > found.value) found = {norm, group, l};
            }
    }
    return found;
}

}  // namespace metric

POLYROPE_END
