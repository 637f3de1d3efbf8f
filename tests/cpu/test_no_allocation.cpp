// Rotating, re-turning and filling allocate nothing: operator new counts.

#include "kernels.hpp"
#include "make_rope.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("the counter counts") {
    const long long before = allocations();
    const std::vector<int> one(100);
    CHECK(allocations() > before);
    CHECK(one.size() == 100);
}

TEMPLATE_TEST_CASE("nothing is allocated on the way from positions to turned heads", "", float, bf16, f16) {
    rope_shape shape;
    shape.rotary_dim = 128;
    const rotary rope = make_rope(shape);
    shape.groups = 4;
    const rotary grouped = make_rope(shape, {phase::float32, rounding::table_cast_each});
    const segment prompt[] = {text(4), image(patch_grid{1, 16, 16}), text(200)};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 3);
    constexpr index_t tokens = 200;
    const std::vector<std::int32_t> at(3 * tokens, 9);
    const std::vector<double> real(3 * tokens, 9.5);
    std::vector<TestType> q(tokens * 4 * 128), k(tokens * 2 * 128), out(tokens * 4 * 128);
    std::vector<float> cos(tokens * 128), sin(tokens * 128);
    std::vector<index_t> slots;
    for (index_t n = 0; n < tokens; ++n) slots.push_back(tokens - 1 - n);
    const auto positions = axis_major(at.data(), 3, tokens), to = positions;
    const auto qs = compact_heads(q.data(), tokens, 4, 128), ks = compact_heads(k.data(), tokens, 2, 128),
               outs = compact_heads(out.data(), tokens, 4, 128);
    bool ok = false;
    for (cpu::level const use : {cpu::level::automatic, cpu::level::base}) {
        cpu::rotate_options options;
        options.use = use;
        CHECK(allocations_of([&] { return cpu::rotate(rope, positions, qs, ks, options); }, ok) == 0);
        CHECK(ok);
        CHECK(allocations_of([&] { return cpu::rotate(grouped, axis_major(real.data(), 3, tokens), qs, ks, options); },
                             ok) == 0);
        CHECK(ok);
        CHECK(allocations_of([&] { return cpu::rotate(rope, cpu::planned(plan, token_index{10}), qs, ks, options); },
                             ok) == 0);
        CHECK(ok);
        CHECK(allocations_of([&] { return cpu::rotate_to(rope, positions, qs.as_const(), {}, outs, {}, options); },
                             ok) == 0);
        CHECK(ok);
        CHECK(allocations_of(
                  [&] {
                      return cpu::fill_table(rope, positions, halves_table(cos.data(), tokens, 128, table_rows::tokens),
                                             options);
                  },
                  ok) == 0);
        CHECK(ok);
        CHECK(allocations_of(
                  [&] {
                      return cpu::rotate(rope, halves_table(cos.data(), tokens, 128, table_rows::tokens), qs, ks,
                                         options);
                  },
                  ok) == 0);
        CHECK(ok);
        CHECK(allocations_of(
                  [&] {
                      return cpu::fill_position_table(
                          rope, doubled_table(cos.data(), sin.data(), tokens, 128, table_rows::positions), options);
                  },
                  ok) == 0);
        CHECK(ok);
        CHECK(allocations_of(
                  [&] {
                      return cpu::rotate(
                          rope,
                          cpu::looked_up(doubled_table(cos.data(), sin.data(), tokens, 128, table_rows::positions),
                                         positions),
                          qs, ks, options);
                  },
                  ok) == 0);
        CHECK(ok);
        options.slots = {slots.data(), tokens};
        CHECK(allocations_of(
                  [&] { return cpu::rerotate(rope, positions, cpu::planned(plan, token_index{0}), ks, options); },
                  ok) == 0);
        CHECK(ok);
        CHECK(allocations_of([&] { return cpu::shift(rope, uniform_shift(-5, 3), ks, options); }, ok) == 0);
        CHECK(ok);
        // A refusal and its sentence allocate nothing either.
        options.part = {3, 2};
        CHECK(allocations_of(
                  [&] {
                      status const s = cpu::rotate(rope, to, qs, ks, options);
                      return to_string(s).length > 0 ? s : status{};
                  },
                  ok) == 0);
        CHECK_FALSE(ok);
    }
}
