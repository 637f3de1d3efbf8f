#pragma once
// Grids of patches as an image processor reports them, checked before a number is written: their sides, their merge and
// their sums in 64 bits.

#include <type_traits>

#include "polyrope/core/checked.hpp"
#include "polyrope/core/result.hpp"
#include "polyrope/core/segment.hpp"

POLYROPE_BEGIN
namespace detail {

/// Sums over media.
struct patch_sums {
    index_t frames = 0;
    index_t patches = 0;
};

/// The most that an integer type of positions, indices or lengths holds.
template <class I>
inline constexpr index_t most_of = sizeof(I) == 4 ? index_t{INT32_MAX} : index_max;

/// Sides at least 1, rows and columns multiples of `merge`, each row and column number below 2^31 when counted from
/// `first`.
[[nodiscard]] inline status sum_patches(const patch_grid* grids, index_t count, index_t merge, index_t first,
                                        patch_sums& sums) noexcept {
    sums = {};
    if (count < 0) return {errc::negative_count, operand::image, 0, 0, count};
    if (merge < 1) return {errc::value_invalid, operand::spatial_merge_size, 0, 1, merge};
    if (first < 0 || first > INT32_MAX) return {errc::position_overflow, operand::image, 0, INT32_MAX, first};
    if (count > 0 && grids == nullptr) return {errc::null_data, operand::image, 0, 0, count};
    for (index_t i = 0; i < count; ++i) {
        const patch_grid& g = grids[i];
        const index_t least = g.frames < 1 ? g.frames : g.rows < 1 ? g.rows : g.columns;
        if (least < 1) return {errc::side_not_positive, operand::image, i, 1, least};
        const index_t uneven = g.rows % merge != 0 ? g.rows : g.columns;
        if (uneven % merge != 0) return {errc::side_not_divisible, operand::image, i, merge, uneven};
        index_t longest = g.rows > g.columns ? g.rows : g.columns;
        if (longest > INT32_MAX - first) return {errc::position_overflow, operand::image, i, INT32_MAX, longest};
        if (g.frames > INT32_MAX) return {errc::position_overflow, operand::image, i, INT32_MAX, g.frames};
        index_t patches = g.rows * g.columns;
        if (!checked_multiply(patches, g.frames, patches) || !checked_add(sums.patches, patches, sums.patches))
            return {errc::size_overflow, operand::image, i, 0, 0};
        sums.frames += g.frames;
    }
    return {};
}

/// Whether `out` has room for exactly `count` values of type I, and I for the largest of them.
template <class I>
[[nodiscard]] status check_output(const I* out, index_t entries, index_t count, index_t largest) noexcept {
    static_assert(std::is_same_v<I, std::int32_t> || std::is_same_v<I, std::int64_t>,
                  "indices and lengths are int32 or int64");
    if (entries != count) return {errc::extent_mismatch, operand::output, 0, count, entries};
    if (largest > most_of<I>) return {errc::capacity_exceeded, operand::output, 0, most_of<I>, largest};
    if (out == nullptr && count > 0) return {errc::null_data, operand::output, 0, 0, count};
    return {};
}

}  // namespace detail
POLYROPE_END
