#pragma once
// Neutrality to text: whether a text token x sees all patches a, b of one image under the same rotation, so that no
// patch is preferred for where it stands. Disentangling Multimodal Rotary Positional Embedding, arXiv:2611.13334,
// definition 3.1 and observation 3.1; no code of it is public.
//
//     neutral:  R(p_a - p_x) = R(p_b - p_x) for all a, b    <=>   every theta_l (p_a - p_b)[axis of l] is a multiple of
//                                                                 2 pi    <=>   R(p_b - p_a) = I for all a, b
//
// So under one layout an image is neutral to text exactly when no two of its patches are told apart. Each side of the
// equivalence is a function of its own here. A video is measured frame by frame, as many images. Distances of phases
// are in radians, their error is below 2^-50 (1 + the largest angle theta (p_a - p_b)); of rotations the spectral norm,
// 2 |sin(phase / 2)|, 0 to 2. The attention scaling is left out. n log n in the patches, for each pair.

#include "polyrope/metric/detail/phase_spread.hpp"

POLYROPE_BEGIN

namespace metric {

/// The largest of something over patches, pairs and head groups, and the pair where it is.
struct largest {
    double value = 0.0;
    index_t group = 0;
    index_t pair = 0;
};

namespace detail {

enum class origin_of { token, first_patch };

[[nodiscard]] inline result<phase_spread> image_spread(const position_plan& plan, const frequency_table& table,
                                                       index_t segment, origin_of where, token_index x) {
    if (const status s = check_axes(plan, table); !s.ok()) return s;
    if (const status s = check_segment(plan, segment, table.groups() * table.pairs()); !s.ok()) return s;
    phase_spread most;
    for (std::vector<coordinate>& frame : frames_of(plan, segment)) {
        const coordinate origin = where == origin_of::token ? plan.coordinates(x) : frame.front();
        for (coordinate& p : frame) p = difference(p, origin);
        const phase_spread spread = spread_of(frame, table);
        if (spread.radians > most.radians) most = spread;
    }
    return most;
}

[[nodiscard]] inline double norm_of(double radians) noexcept { return 2.0 * std::sin(radians / 2.0); }

}  // namespace detail

/// Largest norm of R(p_a - p_x) - R(p_b - p_x) over patches a, b of a segment, as the text token x sees them.
[[nodiscard]] inline result<largest> operator_difference(const position_plan& plan, const frequency_table& table,
                                                         index_t segment, token_index x) {
    if (x.value < 0) return status{errc::range_invalid, operand::token, 0, x.value, x.value + 1};
    const auto spread = detail::image_spread(plan, table, segment, detail::origin_of::token, x);
    if (!spread) return spread.error();
    return largest{detail::norm_of(spread->radians), spread->group, spread->pair};
}

/// Largest distance of theta_l (p_a - p_b)[axis of l] from a multiple of 2 pi, in radians: the phase condition.
[[nodiscard]] inline result<largest> phase_difference(const position_plan& plan, const frequency_table& table,
                                                      index_t segment) {
    const auto spread = detail::image_spread(plan, table, segment, detail::origin_of::first_patch, {});
    if (!spread) return spread.error();
    return largest{spread->radians, spread->group, spread->pair};
}

/// Largest norm of R(p_b - p_a) - I inside the image: what patches know of each other.
[[nodiscard]] inline result<largest> inside_rotation(const position_plan& plan, const frequency_table& table,
                                                     index_t segment) {
    const auto spread = phase_difference(plan, table, segment);
    if (!spread) return spread.error();
    return largest{detail::norm_of(spread->value), spread->group, spread->pair};
}

/// Whether no rotation differs by more than `tolerance`.
[[nodiscard]] inline result<bool> is_neutral(const position_plan& plan, const frequency_table& table, index_t segment,
                                             token_index x, double tolerance = 1e-9) {
    const auto difference = operator_difference(plan, table, segment, x);
    if (!difference) return difference.error();
    return difference->value <= tolerance;
}

}  // namespace metric

POLYROPE_END
