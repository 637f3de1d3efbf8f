#pragma once
// Numbers that a plan may hold, and the least and largest coordinate of a placement.

#include "polyrope/core/scalar.hpp"
#include "polyrope/layout/placement.hpp"

POLYROPE_BEGIN
namespace detail {

/// 2^53: up to here every whole number is a double, and no coordinate may pass it.
inline constexpr double largest_whole = 9007199254740992.0;

/// |x| <= 2^53 and a number, read from the bits: stays true to itself under -ffast-math.
[[nodiscard]] inline bool is_in_range(double x) noexcept {
    return (bit_copy<std::uint64_t>(x) << 1) <= (0x4340000000000000u << 1);
}

/// For numbers in range.
[[nodiscard]] inline bool is_whole(double x) noexcept { return static_cast<double>(static_cast<index_t>(x)) == x; }

/// Numbers that are multiples of 2^-10 add up exactly while their sum stays below 2^42.
[[nodiscard]] inline bool is_short_fraction(double x) noexcept {
    return x >= -4398046511104.0 && x <= 4398046511104.0 && is_whole(x * 1024.0);
}

struct bounds {
    double low = largest_whole;
    double high = -largest_whole;
    void add(double x) noexcept {
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    void add(bounds other) noexcept {
        low = other.low < low ? other.low : low;
        high = other.high > high ? other.high : high;
    }
    [[nodiscard]] double magnitude() const noexcept { return -low > high ? -low : high; }
};

/// Cells [first, last] of each digit.
struct cell_box {
    cell_digits first, last;
};

/// Visits at most five boxes that together are the cells [begin, end) of a grid, end > begin.
template <class Visit>
inline void for_each_box(const token_grid& grid, index_t begin, index_t end, Visit visit) noexcept {
    const index_t rows = grid.rows, columns = grid.columns;
    if (begin == 0 && end == grid.frames * rows * columns)
        return visit(cell_box{{0, 0, 0}, {grid.frames - 1, rows - 1, columns - 1}});
    const cell_digits b = digits_of(grid, begin), e = digits_of(grid, end - 1);
    const auto part = [&](cell_digits from, cell_digits to) {  // within one frame
        if (from.row == to.row) return visit(cell_box{from, to});
        index_t top = from.row, bottom = to.row;
        if (from.column > 0) visit(cell_box{from, {from.frame, top++, columns - 1}});
        if (to.column < columns - 1) visit(cell_box{{to.frame, bottom--, 0}, to});
        if (top <= bottom) visit(cell_box{{from.frame, top, 0}, {from.frame, bottom, columns - 1}});
    };
    if (b.frame == e.frame) return part(b, e);
    index_t front = b.frame, back = e.frame;
    if (b.row > 0 || b.column > 0) part(b, {front++, rows - 1, columns - 1});
    if (e.row < rows - 1 || e.column < columns - 1) part({back--, 0, 0}, e);
    if (front <= back) visit(cell_box{{front, 0, 0}, {back, rows - 1, columns - 1}});
}

/// Least and largest time of frames [first, last].
[[nodiscard]] inline bounds times_of(const placement& p, const double* arena, index_t first, index_t last) noexcept {
    bounds t;
    if (p.frame_times == no_table) {
        t.add(static_cast<double>(first));
        t.add(static_cast<double>(last));
    } else {
        for (index_t f = first; f <= last; ++f) t.add(arena[p.frame_times + f]);
    }
    return t;
}

/// Least and largest coordinate of each axis. Exact, but for a placement that has both steps and
/// offsets: there it encloses.
POLYROPE_COLD inline void bounds_of(const placement& p, const double* arena, bounds (&out)[max_axes]) noexcept {
    for_each_box(p.grid, p.first_cell, p.first_cell + p.count, [&](const cell_box& box) {
        const bounds t = times_of(p, arena, box.first.frame, box.last.frame);
        const double top = static_cast<double>(box.first.row), bottom = static_cast<double>(box.last.row);
        const double left = static_cast<double>(box.first.column), right = static_cast<double>(box.last.column);
        for (int a = 0; a < p.axes; ++a) {
            const bool later = p.map[a].per_frame >= 0.0, down = p.map[a].per_row >= 0.0,
                       along = p.map[a].per_column >= 0.0;
            const double low = row_start(p, later ? t.low : t.high, down ? top : bottom, a);
            const double high = row_start(p, later ? t.high : t.low, down ? bottom : top, a);
            out[a].add(step_along(p.exact, p.map[a].per_column, along ? left : right, low));
            out[a].add(step_along(p.exact, p.map[a].per_column, along ? right : left, high));
        }
    });
    if (p.cell_offsets == no_table) return;
    const index_t lines = p.count < p.offset_rows ? p.count : p.offset_rows;
    for (int a = 0; a < p.axes; ++a) {
        bounds offset;
        for (index_t i = 0, line = p.first_cell % p.offset_rows; i < lines;
             ++i, line = line + 1 == p.offset_rows ? 0 : line + 1)
            offset.add(arena[p.cell_offsets + line * p.axes + a]);
        out[a].low += offset.low;
        out[a].high += offset.high;
    }
}

/// The same for the neutral points of a visual placement.
POLYROPE_COLD inline void neutral_bounds_of(const placement& p, const double* arena, bounds (&out)[max_axes]) noexcept {
    const index_t last = p.first_cell + p.count - 1;
    const bounds t = times_of(p, arena, digits_of(p.grid, p.first_cell).frame, digits_of(p.grid, last).frame);
    for (int a = 0; a < p.axes; ++a) {
        out[a].add(step_along(p.neutral_exact, p.neutral[a].per_frame, t.low, p.neutral[a].origin));
        out[a].add(step_along(p.neutral_exact, p.neutral[a].per_frame, t.high, p.neutral[a].origin));
    }
}

}  // namespace detail
POLYROPE_END
