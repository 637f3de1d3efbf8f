#pragma once
// Keys that lie in a cache already turned are turned on, from the positions they have to the positions they need:
// context shift, a prefix used elsewhere, conversion between coordinates. The attention scaling they carry is not
// applied again. A key in 16 bits is rounded once more, by half a unit.
//
//     cpu::rerotate(rope, planned(old_plan, n), planned(new_plan, n), keys);
//     cpu::shift(rope, shift_between(old_plan, begin, end, new_plan, to).value(), keys);

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/layout/shift.hpp"

POLYROPE_BEGIN
namespace cpu {
namespace detail {
inline namespace POLYROPE_AMBIENT {

/// Two sources of coordinates. Under phase::exact keys turn by the exact difference of the two; under phase::float32 by
/// the difference of the two float32 angles, so that the result is what a fresh rotation would give.
template <class From, class To>
struct difference_source {
    From from;
    To to;
    struct room {
        token_coordinates to[chunk_tokens], from[chunk_tokens];
    };
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::differences;

    [[nodiscard]] status check(const rotary& rope, index_t tokens, index_t begin, index_t end) const noexcept {
        if (const status s = from.check(rope, tokens, begin, end, operand::from_positions); !s.ok()) return s;
        return to.check(rope, tokens, begin, end, operand::to_positions);
    }
    void prepare(job& j, room& at, index_t begin, index_t end) const noexcept {
        const index_t axes = j.rope->axes(), count = end - begin;
        double source[max_axes * chunk_tokens], target[max_axes * chunk_tokens];
        from.fetch(source, begin, end);
        to.fetch(target, begin, end);
        if (j.rope->angle() == phase::float32) {
            put_coordinates<double>(at.from, axis_major<const double>(source, axes, count), 0, count, phase::float32);
            j.subtract = at.from;
        } else {
            for (index_t i = 0; i < axes * count; ++i) target[i] -= source[i];
        }
        put_coordinates<double>(at.to, axis_major<const double>(target, axes, count), 0, count, j.rope->angle());
        j.coordinates = at.to;
    }
};

struct shift_source {
    position_shift shift;
    using room = token_coordinates[chunk_tokens];
    static constexpr index_t chunk = chunk_tokens;
    static constexpr row_source rows_from = row_source::coordinates;

    [[nodiscard]] status check(const rotary& rope, index_t, index_t, index_t) const noexcept {
        if (shift.axes != rope.axes())
            return {errc::axis_count_mismatch, operand::positions, 0, rope.axes(), shift.axes};
        return check_positions<double>({shift.by, shift.axes, 1, 1, 1}, 0, 1, operand::positions);
    }
    void prepare(job& j, room& at, index_t begin, index_t end) const noexcept {
        // Every token reads the same coordinates: its stride is zero.
        put_coordinates<double>(at, {shift.by, shift.axes, end - begin, 1, 0}, 0, end - begin, j.rope->angle());
        j.coordinates = at;
    }
};

template <class T, class Source>
[[nodiscard]] status turn_on(const rotary& rope, const Source& source, heads_view<T> k,
                             const rotate_options& options) noexcept {
    job j;
    index_t tokens = 0;
    const heads_view<T> no_queries;
    const operand_pair<T> keys{nullptr, k, options.k_shard, operand::k, operand::k};
    const operand_pair<T> none{nullptr, no_queries, options.q_shard, operand::q, operand::q};
    if (const status s = bind_call(j, rope, none, keys, options, tokens); !s.ok()) return s;
    if (const status s = source.check(rope, tokens, j.begin, j.end); !s.ok()) return s;
    j.turned_before = true;
    run(j, source, kernel_of<T, Source::rows_from>(options.use, j));
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail

/// Turns keys from `from` to `to`, both positions_views or planned tokens. With a slot list, token n of both lies in
/// cache slot slots[n] of `k`. `way` undo or transpose turns them back.
template <class T, class From, class To>
status rerotate(const rotary& rope, const From& from, const To& to, heads_view<T> k,
                const rotate_options& options = {}) noexcept {
    using source = detail::difference_source<decltype(detail::source_of(from)), decltype(detail::source_of(to))>;
    return detail::turn_on(rope, source{detail::source_of(from), detail::source_of(to)}, k, options);
}

/// Moves all keys by one shift. Turning by d on every axis is moving every coordinate by d, visual tokens included.
/// Under phase::float32 the angle is the float32 product of the shift.
template <class T>
status shift(const rotary& rope, const position_shift& by, heads_view<T> k,
             const rotate_options& options = {}) noexcept {
    return detail::turn_on(rope, detail::shift_source{by}, k, options);
}

}  // namespace cpu
POLYROPE_END
