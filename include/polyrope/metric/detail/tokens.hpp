#pragma once
// What the measures share: the visual tokens of a segment, frame by frame, the text tokens of a plan, and the checks of
// what is measured. A measure looks at a bounded number of tokens; what is larger is refused before any work.

#include <vector>

#include "polyrope/core/result.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace metric {

/// Most tokens of one measure, and most steps (tokens x pairs, or pairs of tokens): a few seconds.
inline constexpr index_t max_tokens = index_t{1} << 22;
inline constexpr index_t max_steps = index_t{1} << 32;

namespace detail {

/// Tokens of a placement that the plan holds: of the open one, none.
[[nodiscard]] inline index_t placed(const placement& p, const position_plan& plan) noexcept {
    const index_t left = plan.size() - p.first_token;
    return p.count < left ? p.count : left;
}

/// Calls visit(placement, tokens) for every run of visual tokens of a segment.
template <class Visit>
void for_each_visual_run(const position_plan& plan, index_t segment, Visit visit) {
    const std::vector<placement>& all = plan.placements();
    std::size_t low = 0, high = all.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (all[middle].segment < segment) low = middle + 1;
        else high = middle;
    }
    for (; low < all.size() && all[low].segment == segment; ++low)
        if (all[low].kind == modality::visual && placed(all[low], plan) > 0) visit(all[low], placed(all[low], plan));
}

[[nodiscard]] inline index_t visual_tokens(const position_plan& plan, index_t segment) {
    index_t count = 0;
    for_each_visual_run(plan, segment, [&](const placement&, index_t tokens) { count += tokens; });
    return count;
}

/// Coordinates of the visual tokens of a segment, in order.
[[nodiscard]] inline std::vector<coordinate> visual_points(const position_plan& plan, index_t segment) {
    std::vector<coordinate> points;
    for_each_visual_run(plan, segment, [&](const placement& p, index_t tokens) {
        for (index_t k = 0; k < tokens; ++k) points.push_back(coordinates_at(p, plan.arena().data(), k));
    });
    return points;
}

/// The same, cut into the images they show: a list per frame.
[[nodiscard]] inline std::vector<std::vector<coordinate>> frames_of(const position_plan& plan, index_t segment) {
    std::vector<std::vector<coordinate>> frames;
    for_each_visual_run(plan, segment, [&](const placement& p, index_t tokens) {
        index_t frame = -1;
        for (index_t k = 0; k < tokens; ++k) {
            const index_t at = digits_of(p.grid, p.first_cell + k).frame;
            if (at != frame) frames.emplace_back();
            frame = at;
            frames.back().push_back(coordinates_at(p, plan.arena().data(), k));
        }
    });
    return frames;
}

/// A segment with visual tokens, not too many of them, with `steps` of work for each.
[[nodiscard]] inline status check_segment(const position_plan& plan, index_t segment, index_t steps) {
    const index_t tokens = segment < 0 || segment >= plan.segments() ? 0 : visual_tokens(plan, segment);
    if (tokens == 0) return {errc::nothing_to_measure, operand::segment, segment, 0, 0};
    const index_t most = max_steps / steps < max_tokens ? max_steps / steps : max_tokens;
    if (tokens > most) return {errc::capacity_exceeded, operand::segment, segment, most, tokens};
    return {};
}

[[nodiscard]] inline status check_axes(const position_plan& plan, const frequency_table& table) {
    if (table.pairs() == 0) return {errc::nothing_to_measure, operand::frequency_table, 0, 0, 0};
    if (plan.axes() != table.axes()) return {errc::axis_count_mismatch, operand::plan, 0, table.axes(), plan.axes()};
    return {};
}

[[nodiscard]] inline coordinate difference(const coordinate& x, const coordinate& y) noexcept {
    coordinate d;
    for (int a = 0; a < max_axes; ++a) d[a] = x[a] - y[a];
    return d;
}

}  // namespace detail
}  // namespace metric

POLYROPE_END
