#pragma once
// The patches of images and videos in the order in which a vision encoder sees them, and where each of them sits:
// raster (merge 1), or block by block of merge x merge patches that later become one token. Rows and columns begin
// again in every frame and every medium. Qwen2-VL, arXiv:2409.12191; tested against Hugging Face transformers v4.57.6
// (rot_pos_emb) and v5.15.0 (get_vision_position_ids, commit 5eddc12).
//
//     patch grid 4 x 4, merge 2:    0  1  4  5
//                                   2  3  6  7
//                                   8  9 12 13
//                                  10 11 14 15
//
//     const patch_order order{/*merge*/ 2};
//     const auto tokens = order.count(grids, images);           // checked: 64-bit, hostile sides refused
//     std::vector<std::int32_t> at(3 * *tokens);
//     order.fill(grids, images, axis_major(at.data(), 3, *tokens));
//
// Positions are [t, h, w]: frame, row, column. Nothing is allocated here.

#include "polyrope/core/views.hpp"
#include "polyrope/layout/detail/patch_grids.hpp"

POLYROPE_BEGIN

/// Tokens of each frame that are no patch. They sit at position zero of every axis, so that they are not turned.
struct class_tokens {
    index_t before = 0;
    index_t after = 0;
};

struct patch_order {
    index_t merge = 1;     ///< side of a block that is seen together
    index_t first = 0;     ///< number of the first row and of the first column
    class_tokens extra{};  ///< of each frame

    /// Tokens of all grids, or what is wrong with them.
    [[nodiscard]] result<index_t> count(const patch_grid* grids, index_t grid_count) const noexcept {
        detail::patch_sums sums;
        index_t tokens = 0;
        if (const status s = check(grids, grid_count, sums, tokens); !s.ok()) return s;
        return tokens;
    }

    /// Writes frame, row and column of every token. `out` has three axes and as many tokens as count() says.
    template <class P>
    status fill(const patch_grid* grids, index_t grid_count, positions_view<P> out) const noexcept {
        static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t>,
                      "patches sit at whole numbers: fill int32 or int64 positions");
        detail::patch_sums sums;
        index_t tokens = 0;
        if (const status s = check(grids, grid_count, sums, tokens); !s.ok()) return s;
        if (out.axes != 3) return {errc::axis_count_mismatch, operand::positions, 0, 3, out.axes};
        if (out.tokens != tokens) return {errc::extent_mismatch, operand::positions, 1, tokens, out.tokens};
        if (out.data == nullptr && tokens > 0) return {errc::null_data, operand::positions, 0, 0, 3 * tokens};
        index_t n = 0;
        const auto put = [&](index_t t, index_t h, index_t w) {
            out.at(0, n) = static_cast<P>(t);
            out.at(1, n) = static_cast<P>(h);
            out.at(2, n) = static_cast<P>(w);
            ++n;
        };
        for (index_t i = 0; i < grid_count; ++i)
            for (index_t f = 0; f < grids[i].frames; ++f) {
                for (index_t c = 0; c < extra.before; ++c) put(0, 0, 0);
                for (index_t row = 0; row < grids[i].rows; row += merge)
                    for (index_t column = 0; column < grids[i].columns; column += merge) put_block(f, row, column, put);
                for (index_t c = 0; c < extra.after; ++c) put(0, 0, 0);
            }
        return {};
    }

    /// Calls put(frame, row, column) for the patches of the block whose first patch is (row, column).
    template <class Put>
    void put_block(index_t frame, index_t row, index_t column, Put put) const {
        for (index_t y = 0; y < merge; ++y)
            for (index_t x = 0; x < merge; ++x) put(frame, first + row + y, first + column + x);
    }

    /// Checks the grids and counts their tokens.
    [[nodiscard]] status check(const patch_grid* grids, index_t grid_count, detail::patch_sums& sums,
                               index_t& tokens) const noexcept {
        if (extra.before < 0 || extra.after < 0)
            return {errc::negative_count, operand::token, 0, 0, extra.before < 0 ? extra.before : extra.after};
        if (const status s = detail::sum_patches(grids, grid_count, merge, first, sums); !s.ok()) return s;
        index_t each = 0, all = 0;
        if (!checked_add(extra.before, extra.after, each) || !checked_multiply(sums.frames, each, all) ||
            !checked_add(sums.patches, all, tokens) || tokens > index_max / 3)
            return {errc::size_overflow, operand::image, grid_count, 0, 0};
        return {};
    }
};

POLYROPE_END
