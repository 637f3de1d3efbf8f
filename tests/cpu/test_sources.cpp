// Where angles come from besides arrays of positions: plans, and tables with head groups.

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "support/catch.hpp"

namespace {
struct engine_bfloat {
    std::uint16_t raw;
};
struct engine_half {
    std::uint16_t raw;
};
}  // namespace
template <>
struct polyrope::element_traits<engine_bfloat> : polyrope::element_is<polyrope::element::bfloat16> {};
template <>
struct polyrope::element_traits<engine_half> : polyrope::element_is<polyrope::element::float16> {};

using namespace polyrope;
using namespace polyrope::test;

namespace {

// Text, two images, a video whose frames lie at fractions of a position, text.
position_plan fractional_plan() {
    const segment prompt[] = {text(7), image(patch_grid{1, 8, 6}), text(3),
                              video(patch_grid{5, 4, 4}, seconds_per_grid{1, 2}), text(40)};
    layout::mrope where{2};
    where.text_step = 0.3;
    return *make_plan(where, prompt, 5);
}

// Videos whose frames are cut into slices between their audio, one of them inside a frame, at times of a table.
position_plan sliced_plan() {
    const segment prompt[] = {text(3), with_audio(video(patch_grid{4, 4, 6}, seconds_per_grid{7, 2}), 60), text(3),
                              with_audio(video(patch_grid{9, 2, 4}, seconds_per_grid{1, 3}), 30)};
    return *make_plan(layout::tmrope{2, real_time_float32(13), layout::audio_order::by_chunks,
                                     layout::span_markers::shared, layout::span_end::last_slice, 20},
                      prompt, 4);
}

}  // namespace

TEMPLATE_TEST_CASE("a rotation straight from a plan is that from the positions it fills, past the prompt too", "",
                   float, bf16, f16) {
    const position_plan plans[] = {fractional_plan(), sliced_plan()};
    random_bits random(81);
    for (int round = 0; round < 40; ++round) {
        const position_plan& plan = plans[round % 2];
        CHECK_FALSE(plan.is_integral());
        rope_shape shape;
        shape.paired = random.chance(50) ? pairing::half_split : pairing::adjacent;
        const rotary rope = make_rope(
            shape, {random.chance(50) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
        const index_t first = random.between(0, plan.size() + 20), tokens = random.between(1, 140);
        positions_table positions{3, tokens, std::vector<double>(static_cast<std::size_t>(3 * tokens))};
        REQUIRE(plan.fill(token_index{first}, token_index{first + tokens}, axis_major(positions.at.data(), 3, tokens))
                    .ok());
        const std::vector<TestType> before = random_buffer<TestType>(tokens * 64, random, values::finite);
        cpu::rotate_options options;
        options.way = static_cast<direction>(random.between(0, 2));
        options.tokens = {token_index{random.between(0, tokens)}, token_index{tokens}};
        const auto view = [&](std::vector<TestType>& data) { return compact_heads(data.data(), tokens, 1, 64); };
        std::vector<TestType> want = before;
        turn_by_positions<TestType>(rope, positions, view(want).as_const(), view(want), options.tokens.begin.value,
                                    tokens, {}, {}, options.way);
        for (const cpu::level use : levels_here()) {
            options.use = use;
            std::vector<TestType> got = before;
            for (int worker = 0; worker < 3; ++worker) {
                options.part = {worker, 3};
                REQUIRE(
                    cpu::rotate(rope, cpu::planned(plan, token_index{first}), no_heads<TestType>(), view(got), options)
                        .ok());
            }
            INFO("round " << round << " first " << first << " tokens " << tokens);
            REQUIRE(first_difference(want, got) == -1);
        }
    }
}

TEST_CASE("a plan's tokens keep what float32 would lose") {
    const segment prompt[] = {text(1 << 20)};
    layout::mrope where{2};
    where.text_step = 0.1;
    const position_plan plan = *make_plan(where, prompt, 1);
    const rotary rope = make_rope({});
    std::vector<float> straight(64, 1.0f), narrow(64, 1.0f), wide(64, 1.0f);
    const token_index n{1000003};
    float narrow_at[3];
    double wide_at[3];
    REQUIRE(plan.fill(n, token_index{n.value + 1}, axis_major(narrow_at, 3, 1)).ok());
    REQUIRE(plan.fill(n, token_index{n.value + 1}, axis_major(wide_at, 3, 1)).ok());
    REQUIRE(cpu::rotate(rope, cpu::planned(plan, n), compact_heads(straight.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(narrow_at, 3, 1), compact_heads(narrow.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(wide_at, 3, 1), compact_heads(wide.data(), 1, 1, 64)).ok());
    CHECK(straight == wide);
    CHECK(straight != narrow);
}

TEST_CASE("neutral coordinates turn by the text trajectory, and a plan without them is refused") {
    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 3);
    const rotary rope = make_rope({});
    std::vector<float> neutral(15 * 64, 1.0f), want(15 * 64, 1.0f);
    REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{0}, position_source::neutral),
                        compact_heads(neutral.data(), 15, 1, 64))
                .ok());
    std::vector<double> at(3 * 15);
    REQUIRE(plan.fill(token_index{0}, token_index{15}, axis_major(at.data(), 3, 15), fill_options{}.neutral()).ok());
    REQUIRE(at[9] == 4.0);
    REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, 15), compact_heads(want.data(), 15, 1, 64)).ok());
    CHECK(neutral == want);
    const position_plan without = *make_plan(layout::sequential{2, 3}, prompt, 3);
    std::vector<float> kept(15 * 64, 1.0f);
    const status s = cpu::rotate(rope, cpu::planned(without, token_index{0}, position_source::neutral),
                                 compact_heads(kept.data(), 15, 1, 64));
    CHECK(s.code == errc::no_neutral_point);
    CHECK(kept == std::vector<float>(15 * 64, 1.0f));
}

TEMPLATE_TEST_CASE("head groups turn by axes of their own, and shards of heads by those of the whole model", "", float,
                   bf16, f16) {
    // Four groups of kv heads, as in MHRoPE: time, rows, columns, time.
    constexpr index_t groups = 4, pairs = 32, tokens = 5, heads = 16;
    std::vector<axis> which;
    for (const axis a : {axis::t, axis::h, axis::w, axis::t})
        for (index_t l = 0; l < pairs; ++l) which.push_back(a);
    const rotary rope = make_rotary(make_frequency_table(allocation::per_pair{which.data(), pairs, 3, groups},
                                                         spectrum::geometric{1e6}, 2 * pairs, pairing::half_split)
                                        .value())
                            .value();
    random_bits random(82);
    const std::vector<TestType> before = random_buffer<TestType>(tokens * heads * 64, random, values::ordinary);
    const std::vector<std::int32_t> at = {1, 2, 3, 4, 5, /**/ 10, 20, 30, 40, 50, /**/ 7, 77, 777, 7777, 77777};
    std::vector<TestType> whole = before;
    REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, tokens), compact_heads(whole.data(), tokens, heads, 64)).ok());
    // Heads 0-3 turn as if the model had one axis, time; 4-7 rows; 8-11 columns; 12-15 time.
    rope_shape shape;
    shape.axes = 1;
    const rotary single = make_rope(shape);
    for (index_t m = 0; m < heads; ++m) {
        const index_t a = m / 4 == 3 ? 0 : m / 4;
        std::vector<TestType> one = before;
        REQUIRE(cpu::rotate(single, axis_major(at.data() + a * tokens, 1, tokens),
                            heads_view<TestType>{one.data() + m * 64, tokens, 1, 64, heads * 64, 64})
                    .ok());
        for (index_t n = 0; n < tokens; ++n)
            for (index_t i = 0; i < 64; ++i) {
                const auto at_i = static_cast<std::size_t>((n * heads + m) * 64 + i);
                REQUIRE(same(one[at_i], whole[at_i]));
            }
    }
    // A worker of a tensor-parallel run holds 5 heads from head 6 on.
    for (const cpu::level use : levels_here()) {
        std::vector<TestType> shard;
        for (index_t n = 0; n < tokens; ++n)
            for (index_t i = 6 * 64; i < 11 * 64; ++i)
                shard.push_back(before[static_cast<std::size_t>(n * heads * 64 + i)]);
        cpu::rotate_options options;
        options.use = use;
        options.k_shard = {6, 16};
        REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, tokens), no_heads<TestType>(),
                            compact_heads(shard.data(), tokens, 5, 64), options)
                    .ok());
        for (index_t n = 0; n < tokens; ++n)
            for (index_t i = 0; i < 5 * 64; ++i)
                REQUIRE(same(shard[static_cast<std::size_t>(n * 5 * 64 + i)],
                             whole[static_cast<std::size_t>(n * heads * 64 + 6 * 64 + i)]));
    }
    // More groups than heads: head m of 2 takes group 2m.
    std::vector<TestType> few = before;
    REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, tokens),
                        heads_view<TestType>{few.data(), tokens, 2, 64, heads * 64, 64})
                .ok());
    std::vector<TestType> by_rows = before;
    REQUIRE(cpu::rotate(single, axis_major(at.data() + 2 * tokens, 1, tokens),
                        heads_view<TestType>{by_rows.data() + 64, tokens, 1, 64, heads * 64, 64})
                .ok());
    for (index_t i = 64; i < 128; ++i)
        REQUIRE(same(few[static_cast<std::size_t>(i)], by_rows[static_cast<std::size_t>(i)]));
}

TEST_CASE("an engine's own two-byte types turn as ours do") {
    const rotary rope = make_rope({});
    random_bits random(83);
    std::vector<bf16> b = random_buffer<bf16>(64, random, values::finite);
    std::vector<f16> h = random_buffer<f16>(64, random, values::finite);
    std::vector<engine_bfloat> theirs_b;
    std::vector<engine_half> theirs_h;
    for (const bf16 v : b) theirs_b.push_back({v.bits});
    for (const f16 v : h) theirs_h.push_back({v.bits});
    const std::int32_t at[] = {1, 2, 3};
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(b.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(h.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(theirs_b.data(), 1, 1, 64)).ok());
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(theirs_h.data(), 1, 1, 64)).ok());
    for (std::size_t i = 0; i < 64; ++i) {
        CHECK(theirs_b[i].raw == b[i].bits);
        CHECK(theirs_h[i].raw == h[i].bits);
    }
}
