#pragma once
// What is wrong with a table, found before anything is read or written.

#include "polyrope/core/heads_memory.hpp"
#include "polyrope/cpu/detail/job.hpp"

POLYROPE_BEGIN
namespace cpu::detail {

using pd::check_positions_view;
using pd::disjoint;
using pd::explain_heads;
using pd::footprint;
using pd::overlap;
using pd::same;
using pd::sound_heads;

/// Checks a table's own extents: its strides hold a row, and its arrays are there.
template <class T>
[[nodiscard]] status check_table(const cos_sin_view<T>& table, pairing paired, index_t pairs) noexcept {
    if (table.rows < 0) return {errc::extent_negative, operand::table, 0, 0, table.rows};
    if (table.rows == 0) return {};
    const pd::row_shape shape = pd::shape_of(table.layout, paired, pairs);
    const index_t last =
        table.layout == table_layout::doubled ? 2 * pairs : shape.sin_first + (pairs - 1) * shape.sin_step + 1;
    if (table.rows > 1 && table.row_stride < last)
        return {errc::stride_invalid, operand::table, 0, last, table.row_stride};
    index_t floats = 0;
    if (!checked_multiply(table.rows - 1, table.row_stride < 0 ? 0 : table.row_stride, floats) ||
        !checked_add(floats, last, floats) || floats > index_max / 4)
        return {errc::size_overflow, operand::table, 0, 0, 0};
    if (table.cos == nullptr) return {errc::null_data, operand::cos, 0, 0, floats};
    if (table.layout == table_layout::doubled && table.sin == nullptr)
        return {errc::null_data, operand::sin, 0, 0, floats};
    return {};
}

}  // namespace cpu::detail
POLYROPE_END
