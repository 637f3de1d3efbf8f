#pragma once
// Where a run of tokens sits: a small affine map from (frame, row, column) to coordinates. Every layout makes
// placements, and one function reads them, on the host and on the device.
//
//     coordinate[a] = origin[a] + per_frame[a] * time(f) + per_row[a] * r + per_column[a] * c
//                     + cell_offsets[cell mod offset_rows][a]
//     neutral[a]    = neutral origin[a] + neutral per_frame[a] * time(f)             text is its own neutral
//
// time(f) is frame_times[f] where the placement has that table, else f. f, r, c are the digits of the cell
// first_cell + k for the k-th token. Text is a grid of 1 x 1 x count. An image [1, 2, 3] at position 2:
//
//     cell  0 1 2 3 4 5
//     f     0 0 0 0 0 0      origin     2 2 2      coordinates  t  2 2 2 2 2 2
//     r     0 0 0 1 1 1      per_row    0 1 0                   h  2 2 2 3 3 3
//     c     0 1 2 0 1 2      per_column 0 0 1                   w  2 3 4 2 3 4

#include <type_traits>

#include "polyrope/core/axis.hpp"
#include "polyrope/core/fma.hpp"
#include "polyrope/core/segment.hpp"

POLYROPE_BEGIN

/// Coordinates of one token; axes that the plan does not have are zero.
struct coordinate {
    double value[max_axes] = {};
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr double operator[](int a) const noexcept { return value[a]; }
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr double& operator[](int a) noexcept { return value[a]; }
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr double operator[](axis a) const noexcept {
        return value[static_cast<int>(a)];
    }
    friend POLYROPE_HOST_DEVICE constexpr bool operator==(const coordinate& x, const coordinate& y) noexcept {
        for (int a = 0; a < max_axes; ++a)
            if (!(x.value[a] == y.value[a])) return false;
        return true;
    }
    friend POLYROPE_HOST_DEVICE constexpr bool operator!=(const coordinate& x, const coordinate& y) noexcept {
        return !(x == y);
    }
};

/// Offset of a table that is not there.
inline constexpr index_t no_table = -1;

/// Where an axis stands at the first cell of a grid, and how far it moves from one frame, row or column to the next.
struct axis_map {
    double origin, per_frame, per_row, per_column;
};
/// The same for the point of the text trajectory that a visual token stands at.
struct neutral_map {
    double origin, per_frame;
};

/// Asks for a placement whose maps are still to be set.
struct maps_unset {};

/// A run of tokens and the map that places them. Offsets of tables count doubles in the plan's arena.
struct placement {
    placement() noexcept : map{}, neutral{} {}
    /// Clearing the maps of all axes would be a third of what a segment costs.
    placement(maps_unset, index_t first, index_t tokens, index_t of_segment, int axis_count, modality of,
              const token_grid& cells) noexcept
        : first_token(first),
          count(tokens),
          grid(cells),
          segment(of_segment),
          axes(static_cast<std::uint8_t>(axis_count)),
          kind(of) {}

    index_t first_token = 0;
    index_t count = 0;       ///< tokens; the last placement of a plan is open and counts to the end of index_t
    index_t first_cell = 0;  ///< cell of the first token: a clipped or pruned grid starts inside
    token_grid grid{};
    index_t segment = 0;              ///< which segment of the prompt it belongs to
    index_t frame_times = no_table;   ///< [grid.frames]
    index_t cell_offsets = no_table;  ///< [offset_rows, axes]
    index_t offset_rows = 0;
    std::uint8_t axes = 0;  ///< of the maps; the others are not read
    modality kind = modality::text;
    bool has_neutral = true;    ///< false: the layout states no point of the text trajectory for these tokens
    bool whole = true;          ///< every coordinate is a whole number
    bool neutral_whole = true;  ///< and every neutral point
    bool exact = true;          ///< sums of the coordinates' parts are exact in float64, in any order
    bool neutral_exact = true;
    axis_map map[max_axes];
    neutral_map neutral[max_axes];  ///< read for visual tokens only
};
static_assert(std::is_trivially_copyable_v<placement>, "a placement goes to the device as bytes");

[[nodiscard]] inline bool operator==(const axis_map& x, const axis_map& y) noexcept {
    return x.origin == y.origin && x.per_frame == y.per_frame && x.per_row == y.per_row && x.per_column == y.per_column;
}
[[nodiscard]] inline bool operator==(const neutral_map& x, const neutral_map& y) noexcept {
    return x.origin == y.origin && x.per_frame == y.per_frame;
}
[[nodiscard]] inline bool operator==(const placement& x, const placement& y) noexcept {
    if (!(x.first_token == y.first_token && x.count == y.count && x.first_cell == y.first_cell &&
          x.grid.frames == y.grid.frames && x.grid.rows == y.grid.rows && x.grid.columns == y.grid.columns &&
          x.segment == y.segment && x.frame_times == y.frame_times && x.cell_offsets == y.cell_offsets &&
          x.offset_rows == y.offset_rows && x.axes == y.axes && x.kind == y.kind && x.has_neutral == y.has_neutral &&
          x.whole == y.whole && x.neutral_whole == y.neutral_whole && x.exact == y.exact &&
          x.neutral_exact == y.neutral_exact))
        return false;
    for (int a = 0; a < x.axes; ++a)
        if (!(x.map[a] == y.map[a]) || (x.kind == modality::visual && !(x.neutral[a] == y.neutral[a]))) return false;
    return true;
}

/// Frame, row and column of a cell.
struct cell_digits {
    index_t frame, row, column;
};

namespace detail {
/// Whether 32-bit division will do, which is several times faster.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr bool is_narrow(const token_grid& grid, index_t cell) noexcept {
    return ((cell | grid.columns | grid.rows) >> 32) == 0;
}
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr cell_digits narrow_digits_of(const token_grid& grid,
                                                                          index_t cell) noexcept {
    const auto narrow = static_cast<std::uint32_t>(cell), columns = static_cast<std::uint32_t>(grid.columns);
    const std::uint32_t line = narrow / columns, rows = static_cast<std::uint32_t>(grid.rows);
    return {line / rows, line % rows, narrow % columns};
}
}  // namespace detail

[[nodiscard]] POLYROPE_HOST_DEVICE constexpr cell_digits digits_of(const token_grid& grid, index_t cell) noexcept {
    if (grid.rows == 1 && grid.frames == 1) return {0, 0, cell};
    if (detail::is_narrow(grid, cell)) return detail::narrow_digits_of(grid, cell);
    const index_t line = cell / grid.columns;
    return {line / grid.rows, line % grid.rows, cell % grid.columns};
}

namespace detail {

/// The steps of the evaluation. Where sums are exact, their order and their contraction change nothing; elsewhere they
/// are explicit fused multiply-adds, frame, row, column, offset, so that no compiler flag changes a bit.
[[nodiscard]] POLYROPE_HOST_DEVICE inline double step_along(bool exact, double factor, double index,
                                                            double base) noexcept {
    return exact ? base + factor * index : detail::fma(factor, index, base);
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline double time_of(const placement& p, const double* arena,
                                                         index_t frame) noexcept {
    return p.frame_times == no_table ? static_cast<double>(frame) : arena[p.frame_times + frame];
}

/// Coordinate a at column 0 of row r, without a cell's offset.
[[nodiscard]] POLYROPE_HOST_DEVICE inline double row_start(const placement& p, double time, double row,
                                                           int a) noexcept {
    return step_along(p.exact, p.map[a].per_row, row, step_along(p.exact, p.map[a].per_frame, time, p.map[a].origin));
}

/// Coordinate a of a cell; `offsets` is its row of cell_offsets, or null.
[[nodiscard]] POLYROPE_HOST_DEVICE inline double axis_at(const placement& p, double time, double row, double column,
                                                         const double* offsets, int a) noexcept {
    const double at = step_along(p.exact, p.map[a].per_column, column, row_start(p, time, row, a));
    return offsets == nullptr ? at : at + offsets[a];
}
[[nodiscard]] POLYROPE_HOST_DEVICE inline double neutral_axis_at(const placement& p, double time, int a) noexcept {
    return step_along(p.neutral_exact, p.neutral[a].per_frame, time, p.neutral[a].origin);
}

}  // namespace detail

/// Coordinates of the k-th token of a placement; 0 <= k < count. `arena` is the plan's.
[[nodiscard]] POLYROPE_HOST_DEVICE inline coordinate coordinates_at(const placement& p, const double* arena,
                                                                    index_t k) noexcept {
    coordinate out;
    const index_t cell = p.first_cell + k;
    const cell_digits d = digits_of(p.grid, cell);
    const double time = detail::time_of(p, arena, d.frame);
    const double row = static_cast<double>(d.row), column = static_cast<double>(d.column);
    const double* const offsets =
        p.cell_offsets == no_table ? nullptr : arena + p.cell_offsets + (cell % p.offset_rows) * p.axes;
    for (int a = 0; a < p.axes; ++a) out.value[a] = detail::axis_at(p, time, row, column, offsets, a);
    return out;
}

/// The point of the text trajectory that the k-th token of a placement stands at; text stands at its own coordinates.
[[nodiscard]] POLYROPE_HOST_DEVICE inline coordinate neutral_at(const placement& p, const double* arena,
                                                                index_t k) noexcept {
    if (p.kind == modality::text) return coordinates_at(p, arena, k);
    coordinate out;
    const double time = detail::time_of(p, arena, digits_of(p.grid, p.first_cell + k).frame);
    for (int a = 0; a < p.axes; ++a) out.value[a] = detail::neutral_axis_at(p, time, a);
    return out;
}

POLYROPE_END
