#pragma once
// Writes the positions of tokens [k0, k1) of one placement, row by row: no search and no division per token.

#include <type_traits>

#include "polyrope/core/views.hpp"
#include "polyrope/layout/detail/rows.hpp"
#include "polyrope/layout/placement.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {

/// A coordinate as P: an integer is cut toward zero, a float rounded once.
template <class P>
[[nodiscard]] inline P whole_as(double value) noexcept {
    if constexpr (std::is_integral_v<P>) return static_cast<P>(static_cast<index_t>(value));
    else return static_cast<P>(value);
}

/// Cells [begin, end) of one axis of a whole-number grid, contiguous in memory. Every value that is stepped to
/// is exact in P.
template <class P>
inline void fill_axis(const placement& p, const double* arena, index_t begin, index_t end, int a, P* out) noexcept {
    const index_t columns = p.grid.columns, frame_cells = p.grid.rows * columns;
    // An axis that frames do not move repeats after one frame, an axis that rows do not move after one row.
    const index_t all = end - begin;
    const bool frames_move = p.map[a].per_frame != 0.0, rows_move = p.map[a].per_row != 0.0,
               columns_move = p.map[a].per_column != 0.0;
    const index_t period = frames_move         ? all
                           : !rows_move        ? (columns < all ? columns : all)
                           : frame_cells < all ? frame_cells
                                               : all;
    const P step = whole_as<P>(p.map[a].per_column), row_step = whole_as<P>(p.map[a].per_row);
    index_t done = 0;
    cell_digits d = digits_of(p.grid, begin);
    while (done < period) {
        // One frame, or what is left of it.
        const index_t in_frame = d.row * columns + d.column;
        const index_t n = frame_cells - in_frame < period - done ? frame_cells - in_frame : period - done;
        P* frame = out + done;
        P value = whole_as<P>(row_start(p, time_of(p, arena, d.frame), static_cast<double>(d.row), a));
        if (!columns_move && !rows_move) {
            write_constant(frame, n, value);
        } else {
            const index_t lines = rows_move ? n : (columns < n ? columns : n);
            index_t column = d.column;
            for (index_t i = 0; i < lines; column = 0, value = static_cast<P>(value + row_step)) {
                const index_t m = columns - column < lines - i ? columns - column : lines - i;
                if (columns_move)
                    write_steps(frame + i, m, static_cast<P>(value + static_cast<P>(column) * step), step);
                else write_constant(frame + i, m, value);
                i += m;
            }
            if (lines < n) repeat(frame, n, columns);
        }
        done += n;
        d = {d.frame + 1, 0, 0};
    }
    if (period < all) repeat(out, all, period);
}

/// A whole-number placement, contiguous along tokens.
template <class P>
inline void fill_contiguous(const placement& p, const double* arena, index_t k0, index_t k1,
                            positions_view<P> out) noexcept {
    const index_t begin = p.first_cell + k0, end = p.first_cell + k1;
    for (int a = 0; a < p.axes; ++a) {
        P* row = out.data + a * out.axis_stride;
        if (p.grid.rows == 1 && p.grid.frames == 1 && p.frame_times == no_table) {
            if (a > 0 && p.map[a].origin == p.map[0].origin && p.map[a].per_column == p.map[0].per_column)
                std::memcpy(row, out.data, static_cast<std::size_t>(end - begin) * sizeof(P));
            else
                write_steps(row, end - begin,
                            whole_as<P>(p.map[a].origin + p.map[a].per_column * static_cast<double>(begin)),
                            whole_as<P>(p.map[a].per_column));
        } else {
            fill_axis(p, arena, begin, end, a, row);
        }
    }
}

/// Any placement, any strides: pieces of rows, short enough to stay in cache while the axes take turns. `exact_steps`
/// as below: then an axis is stepped along, else every number is made on its own.
template <class P>
inline void fill_general(const placement& p, const double* arena, index_t k0, index_t k1, bool exact_steps,
                         positions_view<P> out) noexcept {
    constexpr index_t longest = 512;
    const index_t begin = p.first_cell + k0, end = p.first_cell + k1, stride = out.token_stride;
    cell_digits d = digits_of(p.grid, begin);
    const bool offset = p.cell_offsets != no_table;
    for (index_t cell = begin; cell < end;) {
        const index_t left = p.grid.columns - d.column < end - cell ? p.grid.columns - d.column : end - cell;
        const index_t m = left < longest ? left : longest;
        const double time = time_of(p, arena, d.frame);
        for (int a = 0; a < p.axes; ++a) {
            const double start = row_start(p, time, static_cast<double>(d.row), a);
            P* row = out.data + a * out.axis_stride + (cell - begin) * stride;
            if (exact_steps) {
                const P step = whole_as<P>(p.map[a].per_column);
                P value = whole_as<P>(start + p.map[a].per_column * static_cast<double>(d.column));
                for (index_t i = 0; i < m; ++i, value = static_cast<P>(value + step)) row[i * stride] = value;
                continue;
            }
            index_t line = offset ? cell % p.offset_rows : 0;
            for (index_t i = 0; i < m; ++i) {
                double value = step_along(p.exact, p.map[a].per_column, static_cast<double>(d.column + i), start);
                if (offset) {
                    value += arena[p.cell_offsets + line * p.axes + a];
                    if (++line == p.offset_rows) line = 0;
                }
                row[i * stride] = whole_as<P>(value);
            }
        }
        cell += m;
        d.column += m;
        if (d.column < p.grid.columns) continue;
        d.column = 0;
        if (++d.row == p.grid.rows) d.row = 0, ++d.frame;
    }
}

/// `exact_steps`: sums of whole numbers up to the largest coordinate, and of short fractions in float64,
/// are exact in P.
template <class P>
POLYROPE_NOINLINE void fill_placement(const placement& p, const double* arena, index_t k0, index_t k1, bool exact_steps,
                                      positions_view<P> out) noexcept {
    if (k0 >= k1) return;
    const bool steps = exact_steps && p.cell_offsets == no_table && (p.whole || (std::is_same_v<P, double> && p.exact));
    if (steps && out.token_stride == 1) fill_contiguous(p, arena, k0, k1, out);
    else fill_general(p, arena, k0, k1, steps, out);
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
