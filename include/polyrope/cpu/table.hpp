#pragma once
// Makes tables of cosines and sines in any of the memory layouts of rotary/table.hpp: once per forward pass for the
// tokens at hand, or once per model for a range of whole positions. Attention scaling is in the values.

#include "polyrope/cpu/rotate.hpp"

POLYROPE_BEGIN
namespace cpu {
namespace detail {
inline namespace POLYROPE_AMBIENT {

/// Row r stands for position r on every axis.
struct counting_source {
    using room = token_coordinates[chunk_tokens];
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::coordinates;

    [[nodiscard]] status check(const rotary&, index_t, index_t, index_t end) const noexcept {
        if (end - 1 > int32_limit) return {errc::position_out_of_range, operand::table, end - 1, int32_limit, end - 1};
        return {};
    }
    void prepare(job& j, room& at, index_t begin, index_t end) const noexcept {
        std::int64_t position[chunk_tokens];
        for (index_t n = begin; n < end; ++n) position[n - begin] = n;
        put_coordinates<std::int64_t>(at, {position, j.rope->axes(), end - begin, 0, 1}, 0, end - begin,
                                      j.rope->angle());
        j.coordinates = at;
    }
};

template <class Source>
[[nodiscard]] status fill_rows(const rotary& rope, const Source& source, const cos_sin_view<float>& out,
                               table_rows rows_are, const rotate_options& options) noexcept {
    if (out.rows_are != rows_are) return {errc::unsupported, operand::table, 0, 0, 0};
    if (rope.frequencies().groups() != 1) return {errc::unsupported, operand::table, 1, 1, rope.frequencies().groups()};
    if (const status s = check_table(out, rope.paired(), rope.pairs()); !s.ok()) return s;
    job j;
    index_t tokens = 0;
    const heads_view<float> no_view;
    const operand_pair<float> none{nullptr, no_view, options.q_shard, operand::q, operand::q};
    rotate_options rows_options = options;
    rows_options.slots = {};
    if (rows_options.tokens.end.value == index_max) rows_options.tokens.end = token_index{out.rows};
    // The rows are the tokens of this call: a range inside them stands for the range of a rotation.
    token_range range = rows_options.tokens;
    if (range.begin.value < 0 || range.begin.value > range.end.value || range.end.value > out.rows)
        return {errc::range_invalid, operand::table, 0, range.begin.value, range.end.value};
    rows_options.tokens = {token_index{0}, token_index{0}};
    if (const status s = bind_call(j, rope, none, none, rows_options, tokens); !s.ok()) return s;
    const token_range mine = share(range, options.part);
    j.begin = mine.begin.value;
    j.end = mine.end.value;
    if (const status s = source.check(rope, out.rows, j.begin, j.end); !s.ok()) return s;
    const pd::row_shape shape = pd::shape_of(out.layout, rope.paired(), rope.pairs());
    row_target target{out.cos + shape.cos_first,
                      (out.layout == table_layout::doubled ? out.sin : out.cos) + shape.sin_first, out.row_stride,
                      shape.cos_step, 0};
    if (out.layout == table_layout::doubled) target.twin = rope.paired().block(rope.rotary_dim()) / 2;
    const level use = options.use == level::automatic ? detected_level() : options.use;
    const row_kernel make_row = row_kernel_of<Source::rows_from>(use);
    for_each_chunk(j, source, [&](const job& chunk) { write_rows(chunk, make_row, target); });
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail

/// Row n of `out` for token n of `positions`: a positions_view or planned tokens of out.rows tokens. Range, partition,
/// way and level of the options apply to the rows.
template <class Source>
status fill_table(const rotary& rope, const Source& positions, cos_sin_view<float> out,
                  const rotate_options& options = {}) noexcept {
    return detail::fill_rows(rope, detail::source_of(positions), out, table_rows::tokens, options);
}

/// Row p of `out` for position p, p from 0 to out.rows - 1: what looked_up(table, positions) reads.
inline status fill_position_table(const rotary& rope, cos_sin_view<float> out,
                                  const rotate_options& options = {}) noexcept {
    return detail::fill_rows(rope, detail::counting_source{}, out, table_rows::positions, options);
}

}  // namespace cpu
POLYROPE_END
