#pragma once
// Per-token distance: how unequally far a text token is from the tokens of an image, averaged over text tokens and
// image tokens. Circle-RoPE, arXiv:2505.16416, section 3; held against the paper's own example and against coordinates
// of lose4578/CircleRoPE 063fb2c.
//
//     PTD = mean over t, i of |d(t, i) - D_t|,   D_t = mean over i of d(t, i),   d the Euclidean distance
//
//     nine image tokens at 0..8, five text tokens at 9..13, one axis: 20/9
//     a ring around the text trajectory: 0
//
// Zero says that distances agree, not that rotations do: see metric/neutrality.hpp. Worked out in double; the relative
// error stays below (image tokens + text tokens) * 2^-52.

#include <cmath>

#include "polyrope/metric/detail/tokens.hpp"

POLYROPE_BEGIN

namespace metric {

/// Of points [count], of which the first `axes` numbers are read. O(text x image).
[[nodiscard]] inline result<double> per_token_distance(const coordinate* text, index_t text_count,
                                                       const coordinate* image, index_t image_count, int axes) {
    if (text_count <= 0 || image_count <= 0) return status{errc::nothing_to_measure, operand::token, 0, 0, 0};
    if (text == nullptr || image == nullptr) return status{errc::null_data, operand::positions, 0, 0, text_count};
    if (axes < 1 || axes > max_axes) return status{errc::axis_count_invalid, operand::positions, 0, max_axes, axes};
    if (image_count > max_tokens || text_count > max_steps / image_count)
        return status{errc::capacity_exceeded, operand::token, 0, max_steps / image_count, text_count};

    std::vector<double> distances(static_cast<std::size_t>(image_count));
    const double images = static_cast<double>(image_count);
    double all = 0.0;
    for (index_t t = 0; t < text_count; ++t) {
        double sum = 0.0;
        for (index_t i = 0; i < image_count; ++i) {
            double squares = 0.0;
            for (int a = 0; a < axes; ++a) squares += (text[t][a] - image[i][a]) * (text[t][a] - image[i][a]);
            const double distance = std::sqrt(squares);
            distances[static_cast<std::size_t>(i)] = distance;
            sum += distance;
        }
        const double mean = sum / images;
        double deviations = 0.0;
        for (const double distance : distances) deviations += std::fabs(distance - mean);
        all += deviations / images;
    }
    return all / static_cast<double>(text_count);
}

/// Of the visual tokens of a segment and all text tokens of a plan.
[[nodiscard]] inline result<double> per_token_distance(const position_plan& plan, index_t segment) {
    if (const status s = detail::check_segment(plan, segment, 1); !s.ok()) return s;
    const std::vector<coordinate> image = detail::visual_points(plan, segment);
    const index_t most = max_steps / static_cast<index_t>(image.size());
    index_t words = 0;
    for (const placement& p : plan.placements())
        if (p.kind == modality::text) words += detail::placed(p, plan);
    if (words == 0) return status{errc::nothing_to_measure, operand::plan, 0, 0, 0};
    if (words > most || words > max_tokens)
        return status{errc::capacity_exceeded, operand::plan, 0, most < max_tokens ? most : max_tokens, words};
    std::vector<coordinate> text;
    for (const placement& p : plan.placements())
        if (p.kind == modality::text)
            for (index_t k = 0; k < detail::placed(p, plan); ++k)
                text.push_back(coordinates_at(p, plan.arena().data(), k));
    return per_token_distance(text.data(), words, image.data(), static_cast<index_t>(image.size()), plan.axes());
}

}  // namespace metric

POLYROPE_END
