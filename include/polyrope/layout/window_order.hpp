#pragma once
// Patches gathered into windows, which layers of windowed attention see one after the other. Qwen2.5-VL,
// arXiv:2502.13923, section 2.1; tested against Hugging Face transformers v5.15.0, get_vision_window_index (commit
// 5eddc12). A cell is a block of merge x merge patches. Windows at the right and lower edge are smaller; nothing is
// padded, and there are no empty windows. Rotation follows the patch: fill_positions gives the same rows and columns as
// patch_order, in this order.
//
//     cells 3 x 5, windows of 2:    0  1  4  5  8
//                                   2  3  6  7  9
//                                  10 11 12 13 14
//
//     const auto order = window_order::of_pixels(/*window*/ 112, /*patch*/ 14, /*merge*/ 2);     // 4 cells a side
//     const auto all = order.count(grids, images);
//     std::vector<std::int32_t> cells(all->cells), ends(all->windows + 1);
//     order.fill(grids, images, cells.data(), all->cells, ends.data(), all->windows + 1);

#include "polyrope/layout/patch_order.hpp"

POLYROPE_BEGIN

/// What window_order::fill writes.
struct window_sums {
    index_t cells = 0;
    index_t windows = 0;
    index_t patches = 0;
};

struct window_order {
    index_t merge = 2;
    index_t side = 4;  ///< of a window, in cells

    /// From the numbers of a config.json: window_size in pixels, patch_size, spatial_merge_size.
    [[nodiscard]] static constexpr window_order of_pixels(index_t window, index_t patch, index_t merge) noexcept {
        if (merge < 1 || patch < 1) return {merge, 0};
        return {merge, window / merge / patch};
    }

    /// Cells, windows and patches of all grids, or what is wrong with them.
    [[nodiscard]] result<window_sums> count(const patch_grid* grids, index_t grid_count) const noexcept {
        detail::patch_sums sums;
        if (const status s = detail::sum_patches(grids, grid_count, merge, 0, sums); !s.ok()) return s;
        if (side < 1) return status{errc::value_invalid, operand::window_size, 0, 1, side};
        window_sums all{0, 0, sums.patches};
        for (index_t i = 0; i < grid_count; ++i) {
            // No sum passes the sum of the patches.
            const index_t rows = grids[i].rows / merge, columns = grids[i].columns / merge;
            all.cells += grids[i].frames * rows * columns;
            all.windows += grids[i].frames * ((rows - 1) / side + 1) * ((columns - 1) / side + 1);
        }
        return all;
    }

    /// cells[i] is the cell, counted over all media in patch order, that comes i-th; ends are the cumulative lengths
    /// of the windows in patches, from 0 to all of them.
    template <class I>
    status fill(const patch_grid* grids, index_t grid_count, I* cells, index_t cell_entries, I* ends,
                index_t end_entries) const noexcept {
        const auto all = count(grids, grid_count);
        if (!all) return all.error();
        if (const status s = detail::check_output(cells, cell_entries, all->cells, all->cells - 1); !s.ok()) return s;
        if (const status s = detail::check_output(ends, end_entries, all->windows + 1, all->patches); !s.ok()) return s;
        index_t end = 0, before = 0;
        *ends++ = 0;
        for (index_t i = 0; i < grid_count; ++i) {
            const index_t columns = grids[i].columns / merge, frame = grids[i].rows / merge * columns;
            for_each_window(grids[i], [&](index_t f, window at) {
                for (index_t row = at.row; row < at.row_end; ++row)
                    for (index_t column = at.column; column < at.column_end; ++column)
                        *cells++ = static_cast<I>(before + f * frame + row * columns + column);
                end += (at.row_end - at.row) * (at.column_end - at.column) * merge * merge;
                *ends++ = static_cast<I>(end);
            });
            before += grids[i].frames * frame;
        }
        return {};
    }

    /// Frame, row and column of every patch in window order. `out` has three axes.
    template <class P>
    status fill_positions(const patch_grid* grids, index_t grid_count, positions_view<P> out) const noexcept {
        static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t>,
                      "patches sit at whole numbers: fill int32 or int64 positions");
        const auto all = count(grids, grid_count);
        if (!all) return all.error();
        if (out.axes != 3) return {errc::axis_count_mismatch, operand::positions, 0, 3, out.axes};
        if (out.tokens != all->patches) return {errc::extent_mismatch, operand::positions, 1, all->patches, out.tokens};
        if (out.data == nullptr && all->patches > 0) return {errc::null_data, operand::positions, 0, 0, all->patches};
        index_t n = 0;
        const auto put = [&](index_t t, index_t h, index_t w) {
            out.at(0, n) = static_cast<P>(t);
            out.at(1, n) = static_cast<P>(h);
            out.at(2, n) = static_cast<P>(w);
            ++n;
        };
        const patch_order order{merge};
        for (index_t i = 0; i < grid_count; ++i)
            for_each_window(grids[i], [&](index_t f, window at) {
                for (index_t row = at.row; row < at.row_end; ++row)
                    for (index_t column = at.column; column < at.column_end; ++column)
                        order.put_block(f, row * merge, column * merge, put);
            });
        return {};
    }

private:
    struct window {
        index_t row, row_end, column, column_end;  // cells
    };
    template <class Visit>
    void for_each_window(const patch_grid& grid, Visit visit) const {
        const index_t rows = grid.rows / merge, columns = grid.columns / merge;
        const auto end_of = [this](index_t from, index_t all) { return all - from > side ? from + side : all; };
        for (index_t f = 0; f < grid.frames; ++f)
            for (index_t row = 0; row < rows; row = end_of(row, rows))
                for (index_t column = 0; column < columns; column = end_of(column, columns))
                    visit(f, window{row, end_of(row, rows), column, end_of(column, columns)});
    }
};

POLYROPE_END
