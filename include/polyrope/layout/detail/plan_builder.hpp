#pragma once
// How the builder takes a placement in.

#include "polyrope/layout/plan_builder.hpp"

POLYROPE_BEGIN
namespace detail {

/// Looks at the numbers of a placement: are all in range, which are whole, how large is the largest.
struct number_check {
    bool in_range = true;
    bool whole = true;
    bool fractions_short = true;
    double largest = 0.0;
    std::uint64_t last = 0;  // most numbers are zero or repeat the one before

    POLYROPE_COLD void look(double x) noexcept {
        const auto bits = bit_copy<std::uint64_t>(x);
        if (bits == 0 || bits == last) return;
        last = bits;
        if (!is_in_range(x)) {
            in_range = false;
            return;
        }
        if (!is_whole(x)) {
            whole = false;
            fractions_short = fractions_short && is_short_fraction(x);
        }
        const double size = x < 0.0 ? -x : x;
        largest = size > largest ? size : largest;
    }
};

/// A double as a number of a status.
[[nodiscard]] inline index_t reported(double x) noexcept {
    return x >= 9.2e18 ? INT64_MAX : x <= -9.2e18 ? INT64_MIN : static_cast<index_t>(x);
}

/// From `origin` by `step` per index of a side.
inline void stretch(bounds& b, double step, double indices) noexcept {
    const double by = step * indices;
    b.low += by < 0.0 ? by : 0.0;
    b.high += by > 0.0 ? by : 0.0;
}

/// bounds_of and neutral_bounds_of for whole numbers of a whole grid without tables, where the order of
/// sums does not matter.
inline void whole_bounds(const placement& p, bounds (&out)[max_axes], bounds& neutral) noexcept {
    const double frames = static_cast<double>(p.grid.frames - 1), rows = static_cast<double>(p.grid.rows - 1);
    const double columns = static_cast<double>(p.grid.columns - 1);
    for (int a = 0; a < p.axes; ++a) {
        bounds b{p.map[a].origin, p.map[a].origin};
        stretch(b, p.map[a].per_column, columns);
        stretch(b, p.map[a].per_row, rows);
        stretch(b, p.map[a].per_frame, frames);
        out[a] = b;
        if (p.kind != modality::visual) continue;
        bounds n{p.neutral[a].origin, p.neutral[a].origin};
        stretch(n, p.neutral[a].per_frame, frames);
        neutral.add(n);
    }
}

}  // namespace detail

inline bool plan_builder::fits(const token_grid& grid, index_t& cells) noexcept {
    const index_t side = grid.frames < 1 ? grid.frames : grid.rows < 1 ? grid.rows : grid.columns;
    if (side < 1) return refuse(errc::side_not_positive, 1, side), false;
    if (checked_multiply(grid.frames, grid.rows, cells) && checked_multiply(cells, grid.columns, cells)) return true;
    return refuse(errc::size_overflow), false;
}

POLYROPE_COLD inline bool plan_builder::check_tables(const placement& p) {
    if (p.frame_times == no_table && p.cell_offsets == no_table) return true;
    const auto arena = static_cast<index_t>(data_.arena.size());
    const auto lacks = [arena](index_t offset, index_t numbers) {
        return offset < 0 || numbers > arena || offset > arena - numbers;
    };
    if (p.frame_times != no_table && lacks(p.frame_times, p.grid.frames))
        return drop(status{errc::capacity_exceeded, operand::table, 0, arena, p.frame_times}), false;
    if (p.cell_offsets != no_table &&
        (p.offset_rows < 1 || p.offset_rows > arena / data_.axes || lacks(p.cell_offsets, p.offset_rows * data_.axes)))
        return drop(status{errc::capacity_exceeded, operand::table, 0, arena, p.cell_offsets}), false;
    return true;
}

POLYROPE_COLD inline void plan_builder::add(const placement& given) {
    index_t cells = 0, end = 0;
    if (!has_room() || !fits(given.grid, cells)) return;
    if (given.first_cell < 0 || given.count < 0 || !checked_add(given.first_cell, given.count, end) || end > cells)
        return refuse(errc::token_count_mismatch, cells, given.count);
    if (given.count == 0) return;
    placement& p = push(given.count, given.kind, given.grid);
    p = given;
    p.first_token = data_.placed_tokens;
    p.segment = data_.segments - 1;
    p.axes = static_cast<std::uint8_t>(data_.axes);
    if (check_tables(p) && may_stand(p)) close(p);
}

POLYROPE_COLD inline bool plan_builder::to_neutral_points(placement& p) noexcept {
    if (p.kind == modality::text) return true;
    if (!p.has_neutral) return drop({errc::no_neutral_point, operand::segment, p.segment, 0, 0}), false;
    for (int a = 0; a < p.axes; ++a) {
        p.map[a].origin = p.neutral[a].origin;
        p.map[a].per_frame = p.neutral[a].per_frame;
        p.map[a].per_row = p.map[a].per_column = 0.0;
    }
    p.cell_offsets = no_table;
    p.offset_rows = 0;
    return true;
}

POLYROPE_COLD inline void plan_builder::close(placement& p) {
    const double* arena = data_.arena.data();
    const bool visual = p.kind == modality::visual, tables = p.frame_times != no_table || p.cell_offsets != no_table;
    detail::number_check origins, steps, times, neutral_origins, neutral_steps;
    for (int a = 0; a < p.axes; ++a) {
        origins.look(p.map[a].origin);
        for (const double step : {p.map[a].per_column, p.map[a].per_row, p.map[a].per_frame}) steps.look(step);
        if (!visual) continue;
        neutral_origins.look(p.neutral[a].origin);
        neutral_steps.look(p.neutral[a].per_frame);
    }
    if (p.frame_times != no_table)
        for (index_t f = 0; f < p.grid.frames; ++f) times.look(arena[p.frame_times + f]);
    if (p.cell_offsets != no_table)
        for (index_t i = 0; i < p.offset_rows * p.axes; ++i) origins.look(arena[p.cell_offsets + i]);
    if (!(origins.in_range && steps.in_range && times.in_range && neutral_origins.in_range && neutral_steps.in_range))
        return drop({errc::step_invalid, operand::segment, p.segment, 0, 0});

    // Whether every partial sum is exact; if not, the fused path fixes the order. A time that is no whole number times
    // a step that is none would need twice the digits.
    const double frames = p.frame_times == no_table ? static_cast<double>(p.grid.frames) : times.largest;
    const double sides = frames + static_cast<double>(p.grid.rows) + static_cast<double>(p.grid.columns);
    const double sum = origins.largest + steps.largest * sides,
                 neutral_sum = neutral_origins.largest + neutral_steps.largest * frames;
    const bool whole = origins.whole && steps.whole && times.whole,
               neutral_whole = neutral_origins.whole && neutral_steps.whole && times.whole;
    const auto short_enough = [&times](const detail::number_check& origin, const detail::number_check& step,
                                       double size) {
        return origin.fractions_short && step.fractions_short && times.whole && size <= 4398046511104.0;
    };
    p.exact = (whole && sum <= detail::largest_whole) || short_enough(origins, steps, sum);
    p.neutral_exact = (neutral_whole && neutral_sum <= detail::largest_whole) ||
                      short_enough(neutral_origins, neutral_steps, neutral_sum);
    p.whole = whole && p.exact;
    p.neutral_whole = neutral_whole && p.neutral_exact;
    if (!visual) {
        p.neutral_whole = p.whole;
        p.neutral_exact = p.exact;
    }

    detail::bounds of_axis[max_axes], all, neutral;
    if (!tables && p.whole && p.neutral_whole && p.first_cell == 0 &&
        p.count == p.grid.frames * p.grid.rows * p.grid.columns) {
        detail::whole_bounds(p, of_axis, neutral);
    } else {
        detail::bounds neutral_of_axis[max_axes];
        detail::bounds_of(p, arena, of_axis);
        if (visual) detail::neutral_bounds_of(p, arena, neutral_of_axis);
        for (int a = 0; a < p.axes; ++a) neutral.add(neutral_of_axis[a]);
    }
    for (int a = 0; a < p.axes; ++a) all.add(of_axis[a]);
    double reach = all.magnitude();
    if (visual && p.has_neutral && neutral.magnitude() > reach) reach = neutral.magnitude();
    const double step = steps.largest > neutral_steps.largest ? steps.largest : neutral_steps.largest;
    take(p, p.kind, {p.whole, all.high, of_axis[0].low, of_axis[0].high, reach, step});
}

POLYROPE_COLD inline void plan_builder::refuse_far(const placement& p, const placement_facts& facts) noexcept {
    const index_t limit = data_.max_position;
    const double found = facts.high > static_cast<double>(limit) ? facts.high : facts.reach;
    if (facts.reach > static_cast<double>(limit))
        drop({errc::position_overflow, operand::segment, p.segment, limit, detail::reported(found)});
    else drop({errc::size_overflow, operand::segment, p.segment, 0, 0});
}

POLYROPE_ALWAYS_INLINE void plan_builder::take(const placement& p, modality kind, const placement_facts& facts) {
    detail::plan_data& d = data_;
    index_t end = 0;
    if (facts.reach > static_cast<double>(d.max_position) || !checked_add(d.placed_tokens, p.count, end))
        return refuse_far(p, facts);
    if (kind == modality::text) d.reuses_positions |= facts.first_time <= d.highest_time;
    else if (!p.has_neutral && d.without_neutral == no_segment) d.without_neutral = p.segment;
    d.highest = facts.high > d.highest ? facts.high : d.highest;
    d.highest_time = facts.last_time > d.highest_time ? facts.last_time : d.highest_time;
    d.reach = facts.reach > d.reach ? facts.reach : d.reach;
    d.step_reach = facts.largest_step > d.step_reach ? facts.largest_step : d.step_reach;
    if (!facts.whole) d.placed_whole = false;
    d.first_tokens.push_back(p.first_token);
    d.placed_tokens = end;
}

POLYROPE_ALWAYS_INLINE void plan_builder::close_diagonal(placement& p, double origin, double step) {
    if (!(origin >= 0.0 && step >= 0.0 && detail::is_in_range(origin) && detail::is_in_range(step))) return close(p);
    if (!(detail::is_whole(origin) && detail::is_whole(step))) return close(p);
    const double high =
        origin + step * static_cast<double>(p.count - 1);  // exact up to the limit, which take() looks at
    take(p, modality::text, {true, high, origin, high, high, step});
}

POLYROPE_END
