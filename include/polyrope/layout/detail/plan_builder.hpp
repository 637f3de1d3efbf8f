#pragma once
// How the builder takes a placement in.

#include "polyrope/layout/plan_builder.hpp"

POLYROPE_BEGIN
namespace detail {

/// Looks at the numbers of a placement: are all in range, which are whole, how large is the largest step.
struct number_check {
    bool in_range = true;
    bool whole = true;
    double largest = 0.0;

    void look(double x) noexcept {
        in_range = in_range && is_in_range(x);
        if (!in_range) return;
        whole = whole && is_whole(x);
        const double size = x < 0.0 ? -x : x;
        largest = size > largest ? size : largest;
    }
};

/// A double as a number of a status.
[[nodiscard]] inline index_t reported(double x) noexcept {
    return x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN : static_cast<index_t>(x);
}

}  // namespace detail

inline void plan_builder::add(const placement& given) noexcept {
    if (!has_room()) return;
    const token_grid& g = given.grid;
    for (const index_t side : {g.frames, g.rows, g.columns})
        if (side < 1) return refuse(errc::side_not_positive, 1, side);
    index_t cells = 0, end = 0;
    if (!checked_multiply(g.frames, g.rows, cells) || !checked_multiply(cells, g.columns, cells)) return refuse(errc::size_overflow);
    const index_t count = given.count == count_of_grid ? cells - given.first_cell : given.count;
    if (given.first_cell < 0 || count < 0 || !checked_add(given.first_cell, count, end) || end > cells)
        return refuse(errc::token_count_mismatch, cells, count);
    if (count == 0) return;
    const auto arena = static_cast<index_t>(data_.arena.size());
    if (given.frame_times != no_table && (given.frame_times < 0 || g.frames > arena || given.frame_times > arena - g.frames))
        return refuse(status{errc::capacity_exceeded, operand::table, 0, arena, given.frame_times});
    if (given.cell_offsets != no_table && (given.offset_rows < 1 || given.offset_rows > arena / data_.axes || given.cell_offsets < 0 ||
                                           given.cell_offsets > arena - given.offset_rows * data_.axes))
        return refuse(status{errc::capacity_exceeded, operand::table, 0, arena, given.cell_offsets});
    placement& p = push(count);
    const index_t first_token = p.first_token, segment = p.segment;
    p = given;
    p.first_token = first_token;
    p.count = count;
    p.segment = segment;
    p.axes = data_.axes;
    close(p);
}

inline void plan_builder::close(placement& p) noexcept {
    const bool visual = p.kind == modality::visual;
    const double* arena = data_.arena.data();
    detail::number_check origins, steps, times, neutral_origins, neutral_steps;
    for (int a = 0; a < p.axes; ++a) {
        origins.look(p.origin[a]);
        steps.look(p.per_column[a]);
        if (!visual) continue;
        steps.look(p.per_row[a]);
        steps.look(p.per_frame[a]);
        neutral_origins.look(p.neutral_origin[a]);
        neutral_steps.look(p.neutral_per_frame[a]);
    }
    if (p.frame_times != no_table)
        for (index_t f = 0; f < p.grid.frames; ++f) times.look(arena[p.frame_times + f]);
    if (p.cell_offsets != no_table)
        for (index_t i = 0; i < p.offset_rows * p.axes; ++i) origins.look(arena[p.cell_offsets + i]);

    const auto drop = [&](errc code, index_t expected, index_t found) {
        data_.placements.pop_back();
        refuse(code, expected, found);
    };
    if (!(origins.in_range && steps.in_range && times.in_range && neutral_origins.in_range && neutral_steps.in_range))
        return drop(errc::step_invalid, 0, 0);
    // Whole numbers whose every partial sum is exact; others take the fused path, which fixes the order.
    const double frames = times.largest > 0.0 ? times.largest : static_cast<double>(p.grid.frames);
    const double sum = origins.largest + steps.largest * (frames + static_cast<double>(p.grid.rows) + static_cast<double>(p.grid.columns));
    p.whole = origins.whole && steps.whole && times.whole && sum <= detail::largest_whole;
    p.neutral_whole = neutral_origins.whole && neutral_steps.whole && times.whole && (visual || p.whole);

    detail::bounds of_axis[max_axes], neutral_of_axis[max_axes], all;
    detail::bounds_of(p, arena, of_axis);
    for (int a = 0; a < p.axes; ++a) all.add(of_axis[a]);
    double reach = all.magnitude();
    if (visual && p.has_neutral) {
        detail::neutral_bounds_of(p, arena, neutral_of_axis);
        for (int a = 0; a < p.axes; ++a) reach = neutral_of_axis[a].magnitude() > reach ? neutral_of_axis[a].magnitude() : reach;
    }
    if (reach > static_cast<double>(data_.max_position))
        return drop(errc::position_overflow, data_.max_position, detail::reported(all.magnitude() == reach && -all.low == reach ? all.low : reach));
    index_t end = 0;
    if (!checked_add(p.first_token, p.count, end)) return drop(errc::size_overflow, 0, 0);

    if (visual && !p.has_neutral && data_.without_neutral == no_segment) data_.without_neutral = p.segment;
    if (!visual && of_axis[0].low <= data_.highest_time) data_.reuses_positions = true;
    data_.highest = all.high > data_.highest ? all.high : data_.highest;
    data_.highest_time = of_axis[0].high > data_.highest_time ? of_axis[0].high : data_.highest_time;
    data_.reach = reach > data_.reach ? reach : data_.reach;
    const double step = steps.largest > neutral_steps.largest ? steps.largest : neutral_steps.largest;
    data_.step_reach = step > data_.step_reach ? step : data_.step_reach;
    data_.placed_whole = data_.placed_whole && p.whole;
    data_.first_tokens.push_back(p.first_token);
    data_.placed_tokens = end;
}

POLYROPE_END
