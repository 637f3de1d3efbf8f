// Public faults of rotary kernels, each as its small input and the right answer.

#include <cmath>
#include <string>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

rotary one_axis(double theta, index_t rotary_dim, pairing paired) {
    return make_rotary(
               make_frequency_table(allocation::single_axis{}, spectrum::geometric{theta}, rotary_dim, paired).value())
        .value();
}

rotary qwen3(index_t half = 64) {
    const thw sections = half == 64 ? thw{24, 20, 20} : thw{11, 11, 10};
    return make_rotary(make_frequency_table(allocation::interleaved{sections}, spectrum::geometric{5e6}, 2 * half,
                                            pairing::half_split)
                           .value())
        .value();
}

// The angle of each pair, read off a rotation of (1, 0).
std::vector<double> angles_of(const rotary& rope, const std::vector<std::int32_t>& at) {
    std::vector<float> x(static_cast<std::size_t>(rope.rotary_dim()), 0.0f);
    for (index_t l = 0; l < rope.pairs(); ++l) x[static_cast<std::size_t>(first_channel(rope.paired(), l))] = 1.0f;
    REQUIRE(cpu::rotate(rope, axis_major(at.data(), rope.axes(), 1), compact_heads(x.data(), 1, 1, rope.rotary_dim()))
                .ok());
    std::vector<double> angles;
    for (index_t l = 0; l < rope.pairs(); ++l)
        angles.push_back(std::atan2(
            static_cast<double>(x[static_cast<std::size_t>(second_channel(rope.paired(), l, rope.rotary_dim()))]),
            static_cast<double>(x[static_cast<std::size_t>(first_channel(rope.paired(), l))])));
    return angles;
}

}  // namespace

TEST_CASE("fault 28: reference and kernel of one project disagreed about the pairs of an axis", "[fault]") {
    // Small t, h and w keep every angle below half a turn: its axis can be read from it.
    const rotary rope = qwen3();
    const std::vector<double> angles = angles_of(rope, {1, 2, 3});
    for (index_t l = 0; l < 64; ++l) {
        const double turns = angles[static_cast<std::size_t>(l)] / rope.frequencies().at(0, l).frequency;
        const int expected = l >= 60 ? 1 : l % 3 == 0 ? 1 : l % 3 == 1 ? 2 : 3;
        INFO("pair " << l);
        CHECK(turns == Approx(expected).margin(l < 50 ? 1e-3 : 0.15));
    }
    CHECK(rope.frequencies().at(0, 61).which == axis::t);
    CHECK(rope.frequencies().at(0, 62).which == axis::t);
}

TEST_CASE("fault 29: the tail of low frequencies was not turned", "[fault]") {
    const rotary rope = qwen3();
    CHECK(angles_of(rope, {200000, 200000, 200000})[61] == Approx(0.0824).margin(5e-5));
    // Four position planes, the last one zero, as some engines keep them: the pairs do not read it.
    frequency_options planes;
    planes.axes = 4;
    const rotary four = make_rotary(make_frequency_table(allocation::interleaved{thw{24, 20, 20}},
                                                         spectrum::geometric{5e6}, 128, pairing::half_split, planes)
                                        .value())
                            .value();
    CHECK(angles_of(four, {200000, 200000, 200000, 0}) == angles_of(rope, {200000, 200000, 200000}));
}

TEST_CASE("fault 30: sections that do not sum to the pairs reached the kernel", "[fault]") {
    const auto make = [](thw sections, index_t rotary_dim) {
        return make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e6}, rotary_dim,
                                    pairing::half_split);
    };
    CHECK(make(thw{16, 24, 24}, 128).ok());
    CHECK(make(thw{24, 20, 20}, 128).ok());
    CHECK(std::string(to_string(make(thw{32, 48, 48}, 128).error()).c_str()) ==
          "the sections hold 128 pairs, and rotary_dim has 64");
    CHECK(std::string(to_string(make(thw{16, 24, 24}, 80).error()).c_str()) ==
          "the sections hold 64 pairs, and rotary_dim has 40");
}

TEST_CASE("fault 31: a kernel took four axes for three", "[fault]") {
    const section sections[] = {{axis::t, 16}, {axis::h, 16}, {axis::w, 16}, {axis::u, 16}};
    const rotary rope = make_rotary(make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e6}, 128,
                                                         pairing::half_split)
                                        .value())
                            .value();
    const std::vector<std::int32_t> at(3, 1);
    std::vector<float> q(128, 1.0f);
    const status s = cpu::rotate(rope, axis_major(at.data(), 3, 1), compact_heads(q.data(), 1, 1, 128));
    CHECK(std::string(to_string(s).c_str()) == "the frequency table turns 4 axes, and positions has 3");
    CHECK(q == std::vector<float>(128, 1.0f));
}

TEST_CASE("fault 35: an option that interleaves axes switched the pairing", "[fault]") {
    const std::int32_t at[] = {1};
    for (const cpu::level use : levels_here()) {
        cpu::rotate_options options;
        options.use = use;
        float half[] = {1, 0, 0, 0}, adjacent[] = {1, 0, 0, 0};
        REQUIRE(cpu::rotate(one_axis(1e4, 4, pairing::half_split), axis_major(at, 1, 1), compact_heads(half, 1, 1, 4),
                            no_heads<float>(), options)
                    .ok());
        REQUIRE(cpu::rotate(one_axis(1e4, 4, pairing::adjacent), axis_major(at, 1, 1), compact_heads(adjacent, 1, 1, 4),
                            no_heads<float>(), options)
                    .ok());
        for (int i = 0; i < 4; ++i) {
            CHECK(half[i] == Approx(i == 0 ? 0.540302 : i == 2 ? 0.841471 : 0.0).margin(1e-6));
            CHECK(adjacent[i] == Approx(i == 0 ? 0.540302 : i == 1 ? 0.841471 : 0.0).margin(1e-6));
        }
    }
}

TEMPLATE_TEST_CASE("fault 36: weights of one pairing ran on a kernel of the other", "[fault]", float, bf16, f16) {
    // g moves channel 2l to l and 2l + 1 to l + d/2. Turning adjacent pairs and then moving is moving
    // and then turning halves.
    random_bits random(71);
    for (const index_t d : {index_t{8}, index_t{64}, index_t{72}, index_t{128}}) {
        for (const rounding round :
             {rounding::once, rounding::float32_unfused, rounding::table_cast_float32, rounding::table_cast_each}) {
            const auto rope = [&](pairing p) {
                return make_rotary(
                           make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e6}, d, p).value(),
                           {phase::exact, round})
                    .value();
            };
            const std::int32_t at[] = {12345};
            const std::vector<TestType> x = random_buffer<TestType>(d, random, values::any);
            const auto g = [&](const std::vector<TestType>& v) {
                std::vector<TestType> moved(v.size());
                for (index_t l = 0; l < d / 2; ++l) {
                    moved[static_cast<std::size_t>(first_channel(pairing::half_split, l))] =
                        v[static_cast<std::size_t>(first_channel(pairing::adjacent, l))];
                    moved[static_cast<std::size_t>(second_channel(pairing::half_split, l, d))] =
                        v[static_cast<std::size_t>(second_channel(pairing::adjacent, l, d))];
                }
                return moved;
            };
            std::vector<TestType> adjacent = x, half = g(x);
            REQUIRE(cpu::rotate(rope(pairing::adjacent), axis_major(at, 1, 1), compact_heads(adjacent.data(), 1, 1, d))
                        .ok());
            REQUIRE(
                cpu::rotate(rope(pairing::half_split), axis_major(at, 1, 1), compact_heads(half.data(), 1, 1, d)).ok());
            CHECK(first_difference(g(adjacent), half) == -1);
        }
    }
}

TEST_CASE("fault 37: a whole head turned where a quarter should", "[fault]") {
    std::vector<float> head, was;
    for (int i = 0; i < 16; ++i) head.push_back(static_cast<float>(i) * 0.37f - 2.0f);
    was = head;
    const std::int32_t at[] = {3};
    const rotary rope = one_axis(1e4, 4, pairing::half_split);
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(head.data(), 1, 1, 16)).ok());
    CHECK(std::vector<float>(head.begin() + 4, head.end()) == std::vector<float>(was.begin() + 4, was.end()));
    CHECK(angles_of(rope, {1})[0] == Approx(1.0));
    CHECK(angles_of(rope, {1})[1] == Approx(0.01));
}

TEST_CASE("fault 39: the rotation of a class token stood at the wrong end", "[fault]") {
    // The prefix token sits at the origin and is first; the patches of a 2 x 2 grid follow in raster order.
    const section sections[] = {{axis::t, 2}, {axis::h, 2}};
    const rotary rope = make_rotary(make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e4}, 8,
                                                         pairing::half_split)
                                        .value())
                            .value();
    const std::int32_t rows_and_columns[] = {0, 0, 0, 1, 1, /**/ 0, 0, 1, 0, 1};
    std::vector<float> x(5 * 8, 0.5f);
    REQUIRE(cpu::rotate(rope, axis_major(rows_and_columns, 2, 5), compact_heads(x.data(), 5, 1, 8)).ok());
    for (std::size_t n : {0u, 1u})
        for (std::size_t i = 0; i < 8; ++i) CHECK(x[8 * n + i] == 0.5f);
    CHECK(x[8 * 2 + 0] == 0.5f);
    CHECK(x[8 * 2 + 2] != 0.5f);
    CHECK(x[8 * 3 + 0] != 0.5f);
    CHECK(x[8 * 3 + 2] == 0.5f);
}

TEMPLATE_TEST_CASE("fault 40: heads of 72 and 80 were padded or copied first", "[fault]", float, bf16, f16) {
    random_bits random(72);
    for (const index_t dim : {index_t{72}, index_t{80}}) {
        const section sections[] = {{axis::t, dim / 4}, {axis::h, dim / 4}};
        const rotary rope = make_rotary(make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e4},
                                                             dim, pairing::half_split)
                                            .value())
                                .value();
        constexpr index_t tokens = 6, heads = 2;
        const index_t row = 3 * heads * dim + 5;  // q, k, v and five canaries
        const std::vector<TestType> before = random_buffer<TestType>(tokens * row, random, values::ordinary);
        positions_table positions{2, tokens, {}};
        std::vector<std::int32_t> at;
        for (index_t i = 0; i < 2 * tokens; ++i) {
            at.push_back(static_cast<std::int32_t>(i * 3 % 28));
            positions.at.push_back(static_cast<double>(at.back()));
        }
        const auto q_of = [&](std::vector<TestType>& data) {
            return heads_view<TestType>{data.data(), tokens, heads, dim, row, dim};
        };
        const auto k_of = [&](std::vector<TestType>& data) {
            return heads_view<TestType>{data.data() + heads * dim, tokens, heads, dim, row, dim};
        };
        std::vector<TestType> want = before;
        turn_by_positions<TestType>(rope, positions, q_of(want).as_const(), q_of(want), 0, tokens);
        turn_by_positions<TestType>(rope, positions, k_of(want).as_const(), k_of(want), 0, tokens);
        for (const cpu::level use : levels_here()) {
            cpu::rotate_options options;
            options.use = use;
            std::vector<TestType> got = before;
            REQUIRE(cpu::rotate(rope, axis_major(at.data(), 2, tokens), q_of(got), k_of(got), options).ok());
            CHECK(first_difference(want, got) == -1);
        }
    }
}

TEST_CASE("fault 41: positions and angles were held in the type of the tensors", "[fault]") {
    const double one[] = {1.0};
    const rotary rope = make_rotary(make_frequency_table(allocation::single_axis{},
                                                         spectrum::explicit_frequencies{one, 1}, 2, pairing::adjacent)
                                        .value())
                            .value();
    const std::int32_t at[] = {15962};
    bf16 b[] = {bf16::from(1.0f), bf16::from(0.0f)};
    f16 h[] = {f16::from(1.0f), f16::from(0.0f)};
    float f[] = {1.0f, 0.0f};
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(b, 1, 1, 2)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(h, 1, 1, 2)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(f, 1, 1, 2)).ok());
    CHECK(f[0] == Approx(-0.908016).margin(1e-6));
    CHECK(h[0].value() == Approx(-0.908016).margin(3e-4));
    CHECK(b[0].value() == Approx(-0.908016).margin(2e-3));
}

TEST_CASE("fault 42: fractional steps passed through a type that cannot hold them", "[fault]") {
    const rotary rope = one_axis(1e4, 64, pairing::half_split);
    const float narrow[] = {300.0f, 300.25f, 300.5f};
    const double wide[] = {300.0, 300.25, 300.5};
    std::vector<bf16> a(3 * 64, bf16::from(1.0f)), b = a;
    REQUIRE(cpu::rotate(rope, axis_major(narrow, 1, 3), compact_heads(a.data(), 3, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(wide, 1, 3), compact_heads(b.data(), 3, 1, 64)).ok());
    CHECK(first_difference(a, b) == -1);
    CHECK(a[0].bits != a[64].bits);
    CHECK(a[64].bits != a[128].bits);
}

TEST_CASE("fault 43: the largest position, not the number of tokens, decides which row is read", "[fault]") {
    const segment prompt[] = {text(10), video(patch_grid{600, 2, 2}, seconds_per_grid{1, 1}), text(1)};
    layout::mrope where{2};
    where.time = floored_product(25);
    const position_plan plan = *make_plan(where, prompt, 3);
    REQUIRE(plan.size() == 611);
    CHECK(plan.max_position() == 14986);
    CHECK(plan.next_position() == 14987);
    const rotary rope = make_rope({});
    std::vector<float> table(8192 * 64);
    const auto rows = halves_table(table.data(), 8192, 64, table_rows::positions);
    REQUIRE(cpu::fill_position_table(rope, rows).ok());
    std::vector<std::int32_t> at(3 * 611);
    REQUIRE(plan.fill(token_index{0}, token_index{611}, axis_major(at.data(), 3, 611)).ok());
    std::vector<float> q(611 * 64, 1.0f);
    const status s =
        cpu::rotate(rope, cpu::looked_up(rows, axis_major(at.data(), 3, 611)), compact_heads(q.data(), 611, 1, 64));
    CHECK(s.code == errc::table_row_out_of_range);
    CHECK(std::string(to_string(s).c_str()) ==
          "cos/sin table: token 338 asks for row 8210, and the table has 8192 rows");
    CHECK(q == std::vector<float>(611 * 64, 1.0f));
    CHECK(cpu::rotate(rope, cpu::planned(plan, token_index{0}), compact_heads(q.data(), 611, 1, 64)).ok());
}

TEST_CASE("fault 45: rows past the end of a table gave garbage", "[fault]") {
    const rotary rope = one_axis(1e4, 64, pairing::half_split);
    std::vector<float> table(4096 * 64), q(64, 1.0f), direct(64, 1.0f);
    const auto rows = pairs_table(table.data(), 4096, 64, table_rows::positions);
    REQUIRE(cpu::fill_position_table(rope, rows).ok());
    std::int32_t at[] = {4095};
    REQUIRE(cpu::rotate(rope, cpu::looked_up(rows, axis_major(at, 1, 1)), compact_heads(q.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(direct.data(), 1, 1, 64)).ok());
    CHECK(q == direct);
    at[0] = 4096;
    const status s = cpu::rotate(rope, cpu::looked_up(rows, axis_major(at, 1, 1)), compact_heads(q.data(), 1, 1, 64));
    CHECK(std::string(to_string(s).c_str()) == "cos/sin table: token 0 asks for row 4096, and the table has 4096 rows");
    CHECK(q == direct);
}

TEST_CASE("fault 46: the token count was taken from all numbers of the positions", "[fault]") {
    const rotary rope = make_rope({});
    const std::vector<std::int32_t> at(3 * 2, 5);
    std::vector<float> q(2 * 64 + 4 * 64, 1.0f);
    REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, 2), compact_heads(q.data(), 2, 1, 64)).ok());
    CHECK(q[0] != 1.0f);
    for (std::size_t i = 2 * 64; i < q.size(); ++i) REQUIRE(q[i] == 1.0f);
    CHECK(cpu::rotate(rope, axis_major(at.data(), 3, 2), compact_heads(q.data(), 6, 1, 64)).code ==
          errc::extent_mismatch);
}

TEST_CASE("fault 47: k was addressed by the strides of q", "[fault]") {
    const rotary rope = one_axis(1e6, 64, pairing::half_split);
    random_bits random(73);
    constexpr index_t tokens = 3;
    std::vector<bf16> q = random_buffer<bf16>(tokens * 16384, random, values::ordinary),
                      k = random_buffer<bf16>(tokens * 2624, random, values::ordinary);
    const std::vector<bf16> q_was = q, k_was = k;
    const heads_view<bf16> qs{q.data(), tokens, 64, 64, 16384, 256}, ks{k.data(), tokens, 1, 64, 2624, 64};
    const std::int32_t at[] = {7, 100, 4096};
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, tokens), qs, ks).ok());
    std::vector<bf16> q_small, k_small;
    for (index_t n = 0; n < tokens; ++n) {
        for (index_t m = 0; m < 64; ++m)
            for (index_t i = 0; i < 64; ++i)
                q_small.push_back(q_was[static_cast<std::size_t>(n * 16384 + m * 256 + i)]);
        for (index_t i = 0; i < 64; ++i) k_small.push_back(k_was[static_cast<std::size_t>(n * 2624 + i)]);
    }
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, tokens), compact_heads(q_small.data(), tokens, 64, 64),
                        compact_heads(k_small.data(), tokens, 1, 64))
                .ok());
    std::size_t next = 0;
    for (std::size_t i = 0; i < q.size(); ++i)
        if (i % 256 < 64) {
            REQUIRE(q[i].bits == q_small[next++].bits);
        } else {
            REQUIRE(q[i].bits == q_was[i].bits);
        }
    next = 0;
    for (std::size_t i = 0; i < k.size(); ++i)
        if (i % 2624 < 64) {
            REQUIRE(k[i].bits == k_small[next++].bits);
        } else {
            REQUIRE(k[i].bits == k_was[i].bits);
        }
}

TEMPLATE_TEST_CASE("fault 48: packed qkv had to be copied, or was turned in a copy", "[fault]", float, bf16, f16) {
    const rotary rope = one_axis(1e4, 8, pairing::half_split);
    random_bits random(74);
    constexpr index_t tokens = 9;
    const std::vector<TestType> before = random_buffer<TestType>(tokens * 32, random, values::ordinary);
    std::vector<std::int32_t> at;
    positions_table positions{1, tokens, {}};
    for (index_t n = 0; n < tokens; ++n) {
        at.push_back(static_cast<std::int32_t>(n + 1));
        positions.at.push_back(static_cast<double>(n + 1));
    }
    std::vector<TestType> want = before;
    const auto q = [&](std::vector<TestType>& d) { return packed_heads(d.data(), tokens, 4, 0, 2, 8); };
    const auto k = [&](std::vector<TestType>& d) { return packed_heads(d.data(), tokens, 4, 2, 1, 8); };
    turn_by_positions<TestType>(rope, positions, q(want).as_const(), q(want), 0, tokens);
    turn_by_positions<TestType>(rope, positions, k(want).as_const(), k(want), 0, tokens);
    for (const cpu::level use : levels_here()) {
        cpu::rotate_options options;
        options.use = use;
        std::vector<TestType> got = before;
        REQUIRE(cpu::rotate(rope, axis_major(at.data(), 1, tokens), q(got), k(got), options).ok());
        CHECK(first_difference(want, got) == -1);
        for (index_t n = 0; n < tokens; ++n)
            for (index_t i = 24; i < 32; ++i)
                REQUIRE(bits_of(got[static_cast<std::size_t>(32 * n + i)]) ==
                        bits_of(before[static_cast<std::size_t>(32 * n + i)]));
    }
}

TEST_CASE("fault 49: position 0 was taken for a position that is not set", "[fault]") {
    const segment prompt[] = {image(patch_grid{1, 4, 4})};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 1);
    const section sections[] = {{axis::t, 1}, {axis::h, 1}, {axis::w, 1}};
    const rotary rope = make_rotary(make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e4}, 6,
                                                         pairing::half_split)
                                        .value())
                            .value();
    std::vector<float> x(4 * 6, 1.0f);
    REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{0}), compact_heads(x.data(), 4, 1, 6)).ok());
    std::vector<float> want(4 * 6, 1.0f);
    const std::int32_t at[] = {0, 0, 0, 0, /**/ 0, 0, 1, 1, /**/ 0, 1, 0, 1};
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 4), compact_heads(want.data(), 4, 1, 6)).ok());
    CHECK(x == want);
    CHECK(x[3 * 6 + 0] == 1.0f);  // token 3 is at (0, 1, 1): time does not turn it
    CHECK(x[3 * 6 + 1] != 1.0f);
}

TEST_CASE("fault 50: the second token read the wrong row of a table narrower than the head", "[fault]") {
    const rotary rope = one_axis(1e4, 8, pairing::half_split);
    const std::int32_t at[] = {3, 9};
    std::vector<float> table(16), q(2 * 16, 1.0f), direct(2 * 16, 1.0f);
    const auto rows = halves_table(table.data(), 2, 8, table_rows::tokens);
    REQUIRE(rows.row_stride == 8);
    REQUIRE(cpu::fill_table(rope, axis_major(at, 1, 2), rows).ok());
    REQUIRE(cpu::rotate(rope, rows, compact_heads(q.data(), 2, 1, 16)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 2), compact_heads(direct.data(), 2, 1, 16)).ok());
    CHECK(q == direct);
}

TEST_CASE("fault 51: a fused kernel turned every pair by the first axis", "[fault]") {
    const rotary rope = qwen3(32);
    const std::vector<double> all = angles_of(rope, {5, 7, 9}), first = angles_of(rope, {5, 5, 5});
    for (index_t l = 0; l < 32; ++l) {
        INFO("pair " << l);
        const bool follows_time = rope.frequencies().at(0, l).which == axis::t;
        CHECK((all[static_cast<std::size_t>(l)] == first[static_cast<std::size_t>(l)]) == follows_time);
        CHECK(follows_time == (l % 3 == 0));
    }
}

TEST_CASE("fault 52: what a build or a machine lacks ran all the same", "[fault]") {
    // `supports` and the call go by one table: a level it denies is refused with q and k untouched, one it grants
    // turns.
    const rotary rope = qwen3();
    const std::int32_t at[] = {5, 7, 9};
    const std::vector<float> before(128, 1.0f);
    int refused = 0, turned = 0;
    for (const cpu::level use :
         {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon, static_cast<cpu::level>(99)}) {
        std::vector<float> q = before, k = before;
        cpu::rotate_options options;
        options.use = use;
        const status s = cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(q.data(), 1, 1, 128),
                                     compact_heads(k.data(), 1, 1, 128), options);
        CHECK(s.ok() == cpu::supports(use));
        CHECK((q == before) == !cpu::supports(use));
        CHECK((k == before) == !cpu::supports(use));
        if (!s.ok()) CHECK(s.code == errc::unsupported);
        ++(s.ok() ? turned : refused);
    }
    CHECK(turned > 0);
    CHECK(refused > 1);
}

TEST_CASE("fault 53: modes overlapped as bits, and vision was taken for multi-axis text", "[fault]") {
    // Two axes over halves of the pairs and three axes by sections are two tables, not two flags of one.
    const section two[] = {{axis::t, 16}, {axis::h, 16}};
    const rotary vision =
        make_rotary(
            make_frequency_table(allocation::chunked{two}, spectrum::geometric{1e4}, 64, pairing::half_split).value())
            .value();
    const rotary chunked = make_rotary(make_frequency_table(allocation::chunked{thw{8, 12, 12}},
                                                            spectrum::geometric{1e4}, 64, pairing::half_split)
                                           .value())
                               .value();
    const rotary turns = qwen3(32);
    CHECK(vision.axes() == 2);
    const std::vector<double> a = angles_of(vision, {5, 7}), b = angles_of(chunked, {5, 7, 9}),
                              c = angles_of(turns, {5, 7, 9});
    CHECK(a != b);
    CHECK(b != c);
    CHECK(a != c);
}

TEST_CASE("fault 54: layers that turn q alone could not use the kernel", "[fault]") {
    const rotary rope = make_rope({});
    const std::int32_t at[] = {1, 2, 3};
    std::vector<float> both_q(64, 1.0f), both_k(64, 1.0f), alone(64, 1.0f);
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(both_q.data(), 1, 1, 64),
                        compact_heads(both_k.data(), 1, 1, 64))
                .ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(alone.data(), 1, 1, 64)).ok());
    CHECK(alone == both_q);
    alone.assign(64, 1.0f);
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), no_heads<float>(), compact_heads(alone.data(), 1, 1, 64)).ok());
    CHECK(alone == both_k);
    alone.assign(64, 1.0f);
    const heads_view<float> no_k{nullptr, 1, 0, 64, 0, 0};  // zero heads of the same tokens
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(alone.data(), 1, 1, 64), no_k).ok());
    CHECK(alone == both_q);
}

TEST_CASE("fault 58: all rows of a batch used the angles of the first", "[fault]") {
    const rotary rope = one_axis(1e4, 64, pairing::half_split);
    const std::int32_t at[] = {0, 1, 2, 3, 4, /**/ 1, 1, 0, 1, 2};
    std::vector<float> rows(10 * 64, 1.0f), two(64, 1.0f);
    REQUIRE(cpu::rotate(rope, axis_major(at, 1, 10), compact_heads(rows.data(), 10, 1, 64)).ok());
    const std::int32_t second[] = {2};
    REQUIRE(cpu::rotate(rope, axis_major(second, 1, 1), compact_heads(two.data(), 1, 1, 64)).ok());
    CHECK(std::vector<float>(rows.end() - 64, rows.end()) == two);
}

TEST_CASE("fault 60: a second call used the angles of the first", "[fault]") {
    const rotary rope = make_rope({});
    std::int32_t at[] = {3, 3, 3};
    std::vector<float> q(64, 1.0f), fresh(64, 1.0f);
    const auto view = axis_major(at, 3, 1);
    REQUIRE(cpu::rotate(rope, view, compact_heads(q.data(), 1, 1, 64)).ok());
    q.assign(64, 1.0f);
    for (std::int32_t& p : at) p = 4;
    REQUIRE(cpu::rotate(rope, view, compact_heads(q.data(), 1, 1, 64)).ok());
    const std::int32_t four[] = {4, 4, 4};
    REQUIRE(cpu::rotate(rope, axis_major(four, 3, 1), compact_heads(fresh.data(), 1, 1, 64)).ok());
    CHECK(q == fresh);
}

TEST_CASE("fault 61: calls of another length were served by what the first one specialised", "[fault]") {
    const rotary rope = make_rope({});
    std::vector<std::int32_t> by_axis, by_token;
    for (const index_t tokens : {index_t{1}, index_t{3}, index_t{7}, index_t{1}}) {
        by_axis.clear();
        by_token.clear();
        positions_table positions{3, tokens, {}};
        for (index_t a = 0; a < 3; ++a)
            for (index_t n = 0; n < tokens; ++n) {
                by_axis.push_back(static_cast<std::int32_t>(10 * a + n));
                positions.at.push_back(static_cast<double>(10 * a + n));
            }
        for (index_t n = 0; n < tokens; ++n)
            for (index_t a = 0; a < 3; ++a) by_token.push_back(static_cast<std::int32_t>(10 * a + n));
        const std::vector<float> before(static_cast<std::size_t>(tokens * 64), 0.75f);
        std::vector<float> one = before, other = before, want = before;
        REQUIRE(
            cpu::rotate(rope, axis_major(by_axis.data(), 3, tokens), compact_heads(one.data(), tokens, 1, 64)).ok());
        REQUIRE(cpu::rotate(rope, token_major(by_token.data(), 3, tokens), compact_heads(other.data(), tokens, 1, 64))
                    .ok());
        turn_by_positions<float>(rope, positions, compact_heads<const float>(want.data(), tokens, 1, 64),
                                 compact_heads(want.data(), tokens, 1, 64), 0, tokens);
        CHECK(one == want);
        CHECK(other == want);
    }
}

TEST_CASE("fault 63: a token count was taken for a rotary position", "[fault]") {
    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 3);
    CHECK(plan.size() == 15);
    CHECK(plan.next_position() == 12);
    // Token 15 turns by position 12; the plan is asked by token index, and a position does not convert to one.
    static_assert(!std::is_convertible_v<rotary_position, token_index>, "a position is no token index");
    static_assert(!std::is_convertible_v<cache_slot, token_index>, "a cache slot is no token index");
    const rotary rope = make_rope({});
    std::vector<float> by_plan(64, 1.0f), by_position(64, 1.0f);
    const std::int32_t twelve[] = {12, 12, 12};
    REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{15}), compact_heads(by_plan.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(twelve, 3, 1), compact_heads(by_position.data(), 1, 1, 64)).ok());
    CHECK(by_plan == by_position);
}
