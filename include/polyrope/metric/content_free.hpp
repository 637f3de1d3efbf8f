#pragma once
// The content-free attention score: what a query of ones and a key of ones score for their places alone, averaged over
// pairs. It is what position says before content has a say; over the patches of an image it is the bias map of a text
// token, over a growing distance it is long-range decay.
//
//     score(d) = mean over pairs l of cos(theta_l d[axis of l])         1 at no distance; a pair without axis gives 1
//
// Decay follows RoFormer, arXiv:2104.09864, section 3.4.3: beside the score the mean of |S_1|, |S_2|, ..., S_j the sum
// of the first j turned unit vectors, which bounds the score of smooth queries and keys and falls without the score's
// ripples; here over that mean at no distance, so that axes with few pairs compare. The attention scaling is left out.
// In double; the error is below 2^-50 (1 + the largest angle).

#include <cmath>

#include "polyrope/metric/detail/tokens.hpp"

POLYROPE_BEGIN

namespace metric {

/// In place of a head group: the mean over all of them.
inline constexpr index_t all_groups = -1;

/// The score at a displacement (key minus query, or the other way round: it is even).
[[nodiscard]] inline double content_free_score(const frequency_table& table, const coordinate& displacement,
                                               index_t group = all_groups) noexcept {
    const index_t begin = group == all_groups ? 0 : group, end = group == all_groups ? table.groups() : group + 1;
    double sum = 0.0;
    for (index_t g = begin; g < end; ++g)
        for (index_t l = 0; l < table.pairs(); ++l) {
            const pair_frequency& pair = table.at(g, l);
            sum += pair.which == axis_none ? 1.0 : std::cos(pair.frequency * displacement[pair.which]);
        }
    return sum / static_cast<double>((end - begin) * table.pairs());
}

/// Scores of token x against every visual token of a segment, in their order. O(patches x pairs).
[[nodiscard]] inline result<std::vector<double>> spatial_bias(const position_plan& plan, const frequency_table& table,
                                                              token_index x, index_t segment,
                                                              index_t group = all_groups) {
    if (const status s = detail::check_axes(plan, table); !s.ok()) return s;
    if (x.value < 0) return status{errc::range_invalid, operand::token, 0, x.value, x.value + 1};
    if (group < all_groups || group >= table.groups())
        return status{errc::capacity_exceeded, operand::frequency_table, 0, table.groups() - 1, group};
    if (const status s = detail::check_segment(plan, segment, table.groups() * table.pairs()); !s.ok()) return s;
    const coordinate from = plan.coordinates(x);
    std::vector<double> scores;
    for (const coordinate& p : detail::visual_points(plan, segment))
        scores.push_back(content_free_score(table, detail::difference(p, from), group));
    return scores;
}

struct decay_point {
    double score = 1.0;  ///< mean cosine
    double bound = 1.0;  ///< RoFormer's, over its value at no distance
};

/// Decay at `distance` positions along the axes of `direction` (its entries are 1 or 0; text moves along all of them),
/// over the pairs of a head group that read one of them. No such pair: no decay.
[[nodiscard]] inline decay_point long_range_decay(const frequency_table& table, const coordinate& direction,
                                                  double distance, index_t group = 0) noexcept {
    double real = 0.0, imaginary = 0.0, lengths = 0.0, most = 0.0;
    index_t pairs = 0;
    for (index_t l = 0; l < table.pairs(); ++l) {
        const pair_frequency& pair = table.at(group, l);
        if (pair.which == axis_none || !(direction[pair.which] > 0.0)) continue;
        const double angle = pair.frequency * distance * direction[pair.which];
        real += std::cos(angle);
        imaginary += std::sin(angle);
        lengths += std::sqrt(real * real + imaginary * imaginary);
        most += static_cast<double>(++pairs);
    }
    if (pairs == 0) return {};
    return {real / static_cast<double>(pairs), lengths / most};
}

}  // namespace metric

POLYROPE_END
