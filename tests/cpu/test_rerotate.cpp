// Keys that were turned before: rerotate and shift against a fresh rotation, and against the oracle to the bit.

#include <cmath>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T>
double unit(double v) {
    return format<T>::unit(v);
}

// Largest |a - b| over what is allowed: `roundings` half units of the pair and 2e-6 of it.
template <class T>
double distance(const rotary& rope, const std::vector<T>& raw, const std::vector<T>& a, const std::vector<T>& b,
                double roundings) {
    double worst = 0.0, scaling = rope.frequencies().attention_scaling();
    const index_t dim = rope.rotary_dim();
    for (index_t head = 0; head < static_cast<index_t>(raw.size()) / dim; ++head) {
        for (index_t l = 0; l < rope.pairs(); ++l) {
            const auto i = static_cast<std::size_t>(head * dim + first_channel(rope.paired(), l));
            const auto j = static_cast<std::size_t>(head * dim + second_channel(rope.paired(), l, dim));
            const double size = scaling * (std::fabs(format<T>::value(raw[i])) + std::fabs(format<T>::value(raw[j])));
            const double allowed = roundings * 0.5 * unit<T>(size) + 2e-6 * size;
            worst = std::fmax(worst, std::fabs(format<T>::value(a[i]) - format<T>::value(b[i])) / allowed);
            worst = std::fmax(worst, std::fabs(format<T>::value(a[j]) - format<T>::value(b[j])) / allowed);
        }
    }
    return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("rerotate gives what a fresh rotation would give, within one more rounding", "", float, bf16, f16) {
    for (const phase angle : {phase::exact, phase::float32}) {
        for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
            for (const double scaling : {1.0, 1.138629436111989}) {
                rope_shape shape;
                shape.paired = paired;
                shape.attention_scaling = scaling;
                const rotary rope = make_rope(shape, {angle, rounding::once});
                random_bits random(21);
                constexpr index_t tokens = 130, heads = 2;
                std::vector<std::int32_t> from, to;
                for (index_t i = 0; i < 3 * tokens; ++i) {
                    from.push_back(
                        static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31)));
                    to.push_back(
                        static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31)));
                }
                const std::vector<TestType> raw =
                    random_buffer<TestType>(tokens * heads * 64, random, values::ordinary);
                std::vector<TestType> moved = raw, fresh = raw;
                const auto at = [&](const std::vector<std::int32_t>& p) { return axis_major(p.data(), 3, tokens); };
                REQUIRE(
                    cpu::rotate(rope, at(from), no_heads<TestType>(), compact_heads(moved.data(), tokens, heads, 64))
                        .ok());
                REQUIRE(cpu::rerotate(rope, at(from), at(to), compact_heads(moved.data(), tokens, heads, 64)).ok());
                REQUIRE(cpu::rotate(rope, at(to), no_heads<TestType>(), compact_heads(fresh.data(), tokens, heads, 64))
                            .ok());
                INFO("phase " << static_cast<int>(angle));
                CHECK(distance(rope, raw, moved, fresh, 3.5) <= 1.0);
                // And back again: undo turns from `to` to `from`.
                cpu::rotate_options back;
                back.way = direction::undo;
                REQUIRE(
                    cpu::rerotate(rope, at(from), at(to), compact_heads(moved.data(), tokens, heads, 64), back).ok());
                fresh = raw;
                REQUIRE(
                    cpu::rotate(rope, at(from), no_heads<TestType>(), compact_heads(fresh.data(), tokens, heads, 64))
                        .ok());
                CHECK(distance(rope, raw, moved, fresh, 5.0) <= 1.0);
            }
        }
    }
}

TEMPLATE_TEST_CASE("rerotate gives the oracle's bits on every level, from every type of position, in slots and shares",
                   "", float, bf16, f16) {
    random_bits random(22);
    for (int round = 0; round < 60; ++round) {
        rope_shape shape;
        static constexpr index_t dims[] = {2, 18, 64, 80, 128};
        shape.rotary_dim = random.one_of(dims);
        shape.axes = static_cast<int>(random.between(1, 4));
        shape.paired = random.chance(50) ? pairing::half_split : pairing::adjacent;
        shape.attention_scaling = random.chance(50) ? 1.0 : 1.25;
        shape.groups = random.chance(70) ? 1 : 3;
        const rotary rope = make_rope(
            shape, {random.chance(50) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
        const index_t slots_count = random.between(1, 140), tokens = random.between(1, slots_count),
                      heads = random.between(1, 4);
        const index_t head_dim = shape.rotary_dim + random.between(0, 1) * 8;
        std::vector<index_t> slots;
        for (index_t n = 0; n < tokens; ++n) slots.push_back(random.chance(20) ? -1 : (n * 7 + 3) % slots_count);
        // Seven and the count may share a factor; then a slot could come twice.
        for (index_t n = 0; n < tokens; ++n)
            for (index_t other = 0; other < n; ++other)
                if (slots[static_cast<std::size_t>(n)] == slots[static_cast<std::size_t>(other)])
                    slots[static_cast<std::size_t>(n)] = -1;
        positions_table from{rope.axes(), tokens, {}}, to{rope.axes(), tokens, {}};
        std::vector<float> from_f;
        std::vector<double> to_d;
        for (index_t i = 0; i < rope.axes() * tokens; ++i) {
            const auto p = static_cast<float>(std::ldexp(static_cast<double>(random.between(INT32_MIN, INT32_MAX - 64)),
                                                         -static_cast<int>(random.between(0, 31))));
            const double t = std::ldexp(static_cast<double>(random.between(INT32_MIN, INT32_MAX)),
                                        -static_cast<int>(random.between(0, 31)));
            from_f.push_back(p < 2147483520.0f ? p : 1.0f);
            from.at.push_back(static_cast<double>(from_f.back()));
            to_d.push_back(t);
            to.at.push_back(t);
        }
        const auto way = static_cast<direction>(random.between(0, 2));
        const std::vector<TestType> before =
            random_buffer<TestType>(slots_count * heads * head_dim, random, values::finite);
        std::vector<TestType> want = before;
        const auto view = [&](std::vector<TestType>& data) {
            return compact_heads(data.data(), slots_count, heads, head_dim);
        };
        turn_heads<TestType>(rope, view(want).as_const(), view(want), 0, tokens, {slots.data(), tokens}, {},
                             [&](index_t group, index_t l, index_t n) {
                                 const pair_frequency& pair = rope.frequencies().at(group, l);
                                 const auto a = static_cast<index_t>(pair.which);
                                 turn t;
                                 if (rope.angle() == phase::exact) {
                                     t = turn_at(phase::exact, pair, to(a, n) - from(a, n));
                                 } else {
                                     const turn t1 = turn_at(phase::float32, pair, to(a, n)),
                                                t0 = turn_at(phase::float32, pair, from(a, n));
                                     t.c = std::fma(t1.c, t0.c, times(t1.s, t0.s));
                                     t.s = std::fma(t1.s, t0.c, -times(t1.c, t0.s));
                                 }
                                 if (way != direction::forward) t.s = -t.s;
                                 return t;
                             });
        for (const cpu::level use : levels_here()) {
            std::vector<TestType> got = before;
            cpu::rotate_options options;
            options.use = use;
            options.way = way;
            options.slots = {slots.data(), tokens};
            for (int worker = 0; worker < 3; ++worker) {
                options.part = {worker, 3};
                REQUIRE(cpu::rerotate(rope, axis_major(from_f.data(), rope.axes(), tokens),
                                      axis_major(to_d.data(), rope.axes(), tokens), view(got), options)
                            .ok());
            }
            INFO("round " << round << " level " << cpu::name_of(use));
            REQUIRE(first_difference(want, got) == -1);
        }
    }
}

TEMPLATE_TEST_CASE("a shift is a rerotation by the same on every token", "", float, bf16, f16) {
    rope_shape shape;
    shape.attention_scaling = 1.25;
    const rotary rope = make_rope(shape);
    random_bits random(23);
    constexpr index_t tokens = 70;
    const std::vector<TestType> raw = random_buffer<TestType>(tokens * 64, random, values::ordinary);
    for (const double by : {-3.0, 4096.0, 0.25, -1e9}) {
        position_shift shift;
        shift.axes = 3;
        for (int a = 0; a < 3; ++a) shift.by[a] = by * (a + 1) / (by < -1e6 ? 4.0 : 1.0);
        std::vector<double> from, to;
        for (int a = 0; a < 3; ++a)
            for (index_t n = 0; n < tokens; ++n) {
                from.push_back(static_cast<double>(random.between(0, 100000)));
                to.push_back(from.back() + shift.by[a]);
            }
        for (const cpu::level use : levels_here()) {
            cpu::rotate_options options;
            options.use = use;
            std::vector<TestType> one = raw, other = raw;
            REQUIRE(cpu::shift(rope, shift, compact_heads(one.data(), tokens, 1, 64), options).ok());
            REQUIRE(cpu::rerotate(rope, axis_major(from.data(), 3, tokens), axis_major(to.data(), 3, tokens),
                                  compact_heads(other.data(), tokens, 1, 64), options)
                        .ok());
            CHECK(first_difference(one, other) == -1);
            CHECK(first_difference(one, raw) != -1);
        }
    }
}

TEST_CASE("fault 55: a cache shift was disabled for multi-axis models, or made by token count") {
    const segment with[] = {text(3), image(patch_grid{1, 4, 6}), text(2)};
    const segment without[] = {text(3), text(2)};
    const position_plan before = *make_plan(layout::mrope{2}, with, 3),
                        after = *make_plan(layout::mrope{2}, without, 2);
    const result<position_shift> shift = shift_between(before, token_index{9}, token_index{11}, after, token_index{3});
    REQUIRE(shift.ok());
    for (const double by : {shift->by[0], shift->by[1], shift->by[2]}) CHECK(by == -3.0);

    rope_shape shape;
    const rotary rope = make_rope(shape);
    random_bits random(24);
    const std::vector<float> raw = random_buffer<float>(2 * 64, random, values::ordinary);
    std::vector<float> kept = raw, planned_way = raw, fresh = raw;
    REQUIRE(
        cpu::rotate(rope, cpu::planned(before, token_index{9}), no_heads<float>(), compact_heads(kept.data(), 2, 1, 64))
            .ok());
    planned_way = kept;
    REQUIRE(cpu::shift(rope, *shift, compact_heads(kept.data(), 2, 1, 64)).ok());
    REQUIRE(cpu::rerotate(rope, cpu::planned(before, token_index{9}), cpu::planned(after, token_index{3}),
                          compact_heads(planned_way.data(), 2, 1, 64))
                .ok());
    REQUIRE(
        cpu::rotate(rope, cpu::planned(after, token_index{3}), no_heads<float>(), compact_heads(fresh.data(), 2, 1, 64))
            .ok());
    CHECK(distance(rope, raw, kept, fresh, 2.0) <= 1.0);
    CHECK(kept == planned_way);

    // Moving an image cell by the same on t, h and w is turning every pair by that.
    std::vector<float> cell = raw, moved = raw;
    const std::int32_t at[] = {2, 3, 4, 5, 6, 7}, to[] = {-1, 0, 1, 2, 3, 4};
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 2), no_heads<float>(), compact_heads(cell.data(), 2, 1, 64)).ok());
    REQUIRE(cpu::shift(rope, uniform_shift(-3, 3), compact_heads(cell.data(), 2, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(to, 3, 2), no_heads<float>(), compact_heads(moved.data(), 2, 1, 64)).ok());
    CHECK(distance(rope, raw, cell, moved, 2.0) <= 1.0);

    // Tokens across the image do not move alike: refused, with the numbers.
    const result<position_shift> uneven = shift_between(before, token_index{2}, token_index{11}, after, token_index{0});
    REQUIRE_FALSE(uneven.ok());
    CHECK(uneven.error().code == errc::shift_not_uniform);
}
