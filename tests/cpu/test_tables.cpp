// Tables of cosines and sines in the three memory layouts, a row per token and a row per position: what is written,
// what is read, and that a rotation from a table is the rotation from positions.

#include <string>
#include <vector>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr float untouched = -77.0f;

// A table with gaps between its rows, each float of them `untouched`.
struct stored_table {
    std::vector<float> cos, sin;
    cos_sin_view<float> view;

    stored_table(table_layout layout, table_rows meaning, index_t rows, index_t rotary_dim, index_t gap) {
        const index_t stride = rotary_dim + gap;
        cos.assign(static_cast<std::size_t>(rows * stride), untouched);
        if (layout == table_layout::doubled) sin.assign(cos.size(), untouched);
        view = layout == table_layout::pairs    ? pairs_table(cos.data(), rows, rotary_dim, meaning)
               : layout == table_layout::halves ? halves_table(cos.data(), rows, rotary_dim, meaning)
                                                : doubled_table(cos.data(), sin.data(), rows, rotary_dim, meaning);
        view.row_stride = stride;
    }
    stored_table(const stored_table&) = delete;
    stored_table& operator=(const stored_table&) = delete;
};

// Where the header says that the cosine (sine) of pair l lies in a row; `copy` 1 is the second place
// of a doubled value.
index_t place(table_layout layout, pairing paired, index_t pairs, index_t l, bool sine, int copy) {
    if (layout == table_layout::pairs) return 2 * l + (sine ? 1 : 0);
    if (layout == table_layout::halves) return l + (sine ? pairs : 0);
    const index_t half = paired.block(2 * pairs) / 2;
    return l / half * 2 * half + l % half + copy * half;
}

float& entry(stored_table& t, pairing paired, index_t pairs, index_t row, index_t l, bool sine, int copy = 0) {
    std::vector<float>& home = sine && t.view.layout == table_layout::doubled ? t.sin : t.cos;
    return home[static_cast<std::size_t>(row * t.view.row_stride + place(t.view.layout, paired, pairs, l, sine, copy))];
}

constexpr table_layout layouts[] = {table_layout::pairs, table_layout::halves, table_layout::doubled};

}  // namespace

TEST_CASE("fill_table writes every value at its place and nothing else, on every level") {
    random_bits random(31);
    for (const table_layout layout : layouts) {
        for (const index_t dim :
             {index_t{2}, index_t{6}, index_t{14}, index_t{64}, index_t{72}, index_t{130}, index_t{256}}) {
            for (const pairing paired : pairings_of(dim)) {
                for (const phase angle : {phase::exact, phase::float32}) {
                    rope_shape shape;
                    shape.rotary_dim = dim;
                    shape.paired = paired;
                    shape.attention_scaling = random.chance(50) ? 1.0 : 1.138629436111989;
                    shape.leaves_pairs_out = random.chance(30);
                    const rotary rope = make_rope(shape, {angle, rounding::once});
                    const index_t rows = random.between(1, 70);
                    std::vector<float> positions;
                    for (index_t i = 0; i < 3 * rows; ++i)
                        positions.push_back(static_cast<float>(random.between(-100000, 100000)) * 0.125f);
                    const auto way = static_cast<direction>(random.between(0, 2));
                    for (const cpu::level use : levels_here()) {
                        stored_table t(layout, table_rows::tokens, rows, dim, random.between(0, 1) * 3);
                        cpu::rotate_options options;
                        options.use = use;
                        options.way = way;
                        const int workers = static_cast<int>(random.between(1, 4));
                        for (int worker = 0; worker < workers; ++worker) {
                            options.part = {worker, workers};
                            REQUIRE(cpu::fill_table(rope, axis_major(positions.data(), 3, rows), t.view, options).ok());
                        }
                        INFO("layout " << static_cast<int>(layout) << " dim " << dim << " level " << cpu::name_of(use));
                        std::int64_t off = 0;
                        for (index_t n = 0; n < rows; ++n) {
                            for (index_t l = 0; l < rope.pairs(); ++l) {
                                const pair_frequency& pair = rope.frequencies().at(0, l);
                                const double p = pair.which == axis_none
                                                     ? 0.0
                                                     : static_cast<double>(positions[static_cast<std::size_t>(
                                                           static_cast<index_t>(pair.which) * rows + n)]);
                                const turn want = scaled(turn_at(angle, pair, p), shape.attention_scaling, way);
                                for (int copy = 0; copy < (layout == table_layout::doubled ? 2 : 1); ++copy) {
                                    float& c = entry(t, paired, rope.pairs(), n, l, false, copy);
                                    float& s = entry(t, paired, rope.pairs(), n, l, true, copy);
                                    off += same(c, want.c) && same(s, want.s) ? 0 : 1;
                                    c = s = untouched;
                                }
                            }
                        }
                        CHECK(off == 0);
                        for (const float v : t.cos) off += v == untouched ? 0 : 1;
                        for (const float v : t.sin) off += v == untouched ? 0 : 1;
                        CHECK(off == 0);
                    }
                }
            }
        }
    }
}

TEST_CASE("a range of rows is filled alone") {
    const rotary rope = make_rope({});
    std::vector<std::int32_t> positions(3 * 10, 5);
    stored_table t(table_layout::halves, table_rows::tokens, 10, 64, 0);
    cpu::rotate_options options;
    options.tokens = {token_index{3}, token_index{7}};
    REQUIRE(cpu::fill_table(rope, axis_major(positions.data(), 3, 10), t.view, options).ok());
    for (index_t n = 0; n < 10; ++n)
        for (index_t i = 0; i < 64; ++i)
            REQUIRE((t.cos[static_cast<std::size_t>(64 * n + i)] == untouched) == (n < 3 || n >= 7));
    stored_table by_position(table_layout::pairs, table_rows::positions, 10, 64, 0);
    REQUIRE(cpu::fill_position_table(rope, by_position.view, options).ok());
    for (index_t n = 0; n < 10; ++n)
        for (index_t i = 0; i < 64; ++i)
            REQUIRE((by_position.cos[static_cast<std::size_t>(64 * n + i)] == untouched) == (n < 3 || n >= 7));
}

TEMPLATE_TEST_CASE("a rotation from any table is the rotation from positions, bit for bit", "", float, bf16, f16) {
    random_bits random(32);
    for (int round = 0; round < 150; ++round) {
        rope_shape shape;
        static constexpr index_t dims[] = {2, 4, 10, 32, 34, 64, 72, 80, 96, 126, 128, 256};
        shape.rotary_dim = random.one_of(dims);
        shape.axes = static_cast<int>(random.between(1, 4));
        shape.paired = any_pairing(random, shape.rotary_dim);
        shape.attention_scaling = random.chance(60) ? 1.0 : 1.138629436111989;
        shape.leaves_pairs_out = random.chance(30);
        const rotary rope = make_rope(
            shape, {random.chance(60) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
        const index_t tokens = random.between(1, 80), heads = random.between(1, 4),
                      head_dim = shape.rotary_dim + 2 * random.between(0, 3);
        constexpr index_t rows = 60;
        std::vector<std::int64_t> positions;
        for (index_t i = 0; i < rope.axes() * tokens; ++i) positions.push_back(random.between(0, rows - 1));
        const auto at = axis_major<const std::int64_t>(positions.data(), rope.axes(), tokens);
        cpu::rotate_options options;
        // Undo divides by the scaling that lies in the table: other bits than from positions, where there is a scaling.
        options.way = static_cast<direction>(random.between(0, shape.attention_scaling == 1.0 ? 2 : 1));
        options.tokens = {token_index{random.between(0, tokens)}, token_index{tokens}};

        const std::vector<TestType> before = random_buffer<TestType>(tokens * heads * head_dim, random, values::any);
        const auto view = [&](std::vector<TestType>& data) {
            return compact_heads(data.data(), tokens, heads, head_dim);
        };
        std::vector<TestType> want = before;
        REQUIRE(cpu::rotate(rope, at, view(want), no_heads<TestType>(), options).ok());

        for (const table_layout layout : layouts) {
            stored_table by_token(layout, table_rows::tokens, tokens + random.between(0, 2), shape.rotary_dim,
                                  random.between(0, 1) * 5);
            stored_table by_position(layout, table_rows::positions, rows, shape.rotary_dim, random.between(0, 1) * 5);
            {
                cos_sin_view<float> exact_rows = by_token.view;
                exact_rows.rows = tokens;
                REQUIRE(cpu::fill_table(rope, at, exact_rows).ok());
                REQUIRE(cpu::fill_position_table(rope, by_position.view).ok());
            }
            for (const cpu::level use : levels_here()) {
                INFO("round " << round << " layout " << static_cast<int>(layout) << " level " << cpu::name_of(use)
                              << " dim " << shape.rotary_dim << " scaling " << shape.attention_scaling << " left out "
                              << shape.leaves_pairs_out);
                options.use = use;
                std::vector<TestType> got = before;
                REQUIRE(cpu::rotate(rope, by_token.view, view(got), no_heads<TestType>(), options).ok());
                REQUIRE(first_difference(want, got) == -1);
                got = before;
                REQUIRE(
                    cpu::rotate(rope, cpu::looked_up(by_position.view, at), no_heads<TestType>(), view(got), options)
                        .ok());
                REQUIRE(first_difference(want, got) == -1);
            }
        }
    }
}

TEMPLATE_TEST_CASE("a caller's own table is taken as it is: infinities, NaN, signed zeros and subnormals", "", float,
                   bf16, f16) {
    random_bits random(33);
    for (int round = 0; round < 100; ++round) {
        rope_shape shape;
        static constexpr index_t dims[] = {2, 8, 30, 64, 72, 128};
        shape.rotary_dim = random.one_of(dims);
        shape.paired = any_pairing(random, shape.rotary_dim);
        shape.attention_scaling = random.chance(60) ? 1.0 : 1.25;
        const rotary rope = make_rope(shape, {phase::exact, static_cast<rounding>(random.between(0, 3))});
        const index_t tokens = random.between(1, 20), heads = random.between(1, 3);
        const auto way = static_cast<direction>(random.between(0, 2));
        const table_layout layout = random.one_of(layouts);
        const bool by_token = random.chance(50);
        const index_t rows = by_token ? tokens : 7;
        stored_table t(layout, by_token ? table_rows::tokens : table_rows::positions, rows, shape.rotary_dim, 0);
        for (index_t n = 0; n < rows; ++n)
            for (index_t l = 0; l < rope.pairs(); ++l)
                for (const bool sine : {false, true}) {
                    float v = 0.0f;
                    put_random(v, random, values::any);
                    for (int copy = 0; copy < (layout == table_layout::doubled ? 2 : 1); ++copy)
                        entry(t, shape.paired, rope.pairs(), n, l, sine, copy) = v;
                }
        std::vector<std::int32_t> positions;
        for (index_t i = 0; i < 3 * tokens; ++i)
            positions.push_back(static_cast<std::int32_t>(random.between(0, rows - 1)));
        const std::vector<TestType> before =
            random_buffer<TestType>(tokens * heads * shape.rotary_dim, random, values::any);
        const auto view = [&](std::vector<TestType>& data) {
            return compact_heads(data.data(), tokens, heads, shape.rotary_dim);
        };
        std::vector<TestType> want = before;
        turn_heads<TestType>(
            rope, view(want).as_const(), view(want), 0, tokens, {}, {}, [&](index_t, index_t l, index_t n) {
                const index_t row = by_token
                                        ? n
                                        : positions[static_cast<std::size_t>(
                                              static_cast<index_t>(rope.frequencies().at(0, l).which) * tokens + n)];
                turn u{entry(t, shape.paired, rope.pairs(), row, l, false),
                       entry(t, shape.paired, rope.pairs(), row, l, true)};
                if (way == direction::undo) {
                    const auto scaling = static_cast<float>(shape.attention_scaling);
                    u = {times(u.c, 1.0f / (scaling * scaling)), times(u.s, 1.0f / (scaling * scaling))};
                }
                if (way != direction::forward) u.s = -u.s;
                return u;
            });
        for (const cpu::level use : levels_here()) {
            cpu::rotate_options options;
            options.use = use;
            options.way = way;
            std::vector<TestType> got = before;
            const status s = by_token
                                 ? cpu::rotate(rope, t.view, view(got), no_heads<TestType>(), options)
                                 : cpu::rotate(rope, cpu::looked_up(t.view, axis_major(positions.data(), 3, tokens)),
                                               view(got), no_heads<TestType>(), options);
            REQUIRE(s.ok());
            INFO("round " << round << " level " << cpu::name_of(use));
            REQUIRE(first_difference(want, got) == -1);
        }
    }
}

TEST_CASE("the layouts are what the header draws") {
    // Two pairs: rotary_dim 4, c0 c1 s0 s1.
    rope_shape shape;
    shape.rotary_dim = 4;
    shape.axes = 1;
    const std::int32_t at[] = {1};
    for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
        shape.paired = paired;
        const rotary rope = make_rope(shape);
        float row[4], second[4];
        REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 1), pairs_table(row, 1, 4, table_rows::tokens)).ok());
        const float c0 = row[0], s0 = row[1], c1 = row[2], s1 = row[3];
        CHECK(c0 == Approx(0.540302).margin(1e-6));
        CHECK(s0 == Approx(0.841471).margin(1e-6));
        CHECK(c1 == Approx(0.9999995).margin(1e-6));
        CHECK(s1 == Approx(0.001).margin(1e-6));
        REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 1), halves_table(row, 1, 4, table_rows::tokens)).ok());
        CHECK(std::vector<float>(row, row + 4) == std::vector<float>{c0, c1, s0, s1});
        REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 1), doubled_table(row, second, 1, 4, table_rows::tokens)).ok());
        const bool halves = paired == pairing::half_split;
        CHECK(std::vector<float>(row, row + 4) ==
              (halves ? std::vector<float>{c0, c1, c0, c1} : std::vector<float>{c0, c0, c1, c1}));
        CHECK(std::vector<float>(second, second + 4) ==
              (halves ? std::vector<float>{s0, s1, s0, s1} : std::vector<float>{s0, s0, s1, s1}));
    }
    shape.rotary_dim = 8;
    shape.paired = pairing::blocks(4);
    const rotary rope = make_rope(shape);
    float c[8], s[8], halves[8];
    REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 1), halves_table(halves, 1, 8, table_rows::tokens)).ok());
    REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 1), doubled_table(c, s, 1, 8, table_rows::tokens)).ok());
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t drawn[] = {0, 1, 0, 1, 2, 3, 2, 3};
        CHECK(c[i] == halves[drawn[i]]);
        CHECK(s[i] == halves[4 + drawn[i]]);
    }
}
