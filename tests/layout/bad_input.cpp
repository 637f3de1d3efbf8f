// What is refused, and that nothing is written then.

#include "layout/bad_inputs.hpp"
#include "layout/prompts.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("every bad input is refused with its sentence") {
    for (const refusal& r : refusals()) {
        INFO(r.name);
        CHECK(sentence_of(r.got) == r.sentence);
    }
}

TEST_CASE("nothing is written where a fill is refused") {
    const std::vector<segment> prompt = {text(4), video(patch_grid{2, 2, 2}, untimed), text(5)};
    const position_plan plan = plan_of(layout::mrope{2, stride(0.5)}, prompt);
    std::vector<std::int32_t> out(60, -7);
    const token_index list[] = {token_index{0}, token_index{5}};
    CHECK(plan.fill(token_index{0}, token_index{11}, axis_major(out.data(), 3, 11)).code ==
          errc::coordinate_not_integral);
    CHECK(plan.fill(list, 2, axis_major(out.data(), 3, 2)).code == errc::coordinate_not_integral);
    CHECK(plan.fill(token_index{0}, token_index{11}, axis_major(out.data(), 3, 12), fill_options{}.truncated()).code ==
          errc::extent_mismatch);
    const position_plan a = plan_a();
    batch rows(3);
    REQUIRE(rows.add(a, {token_index{0}, token_index{5}}).ok());
    REQUIRE(rows.add(plan, {token_index{0}, token_index{11}}).ok());
    for (int ith = 0; ith < 3; ++ith)
        CHECK(rows.fill(axis_major(out.data(), 3, 16), {ith, 3}).code == errc::coordinate_not_integral);
    std::vector<decode_request> requests(600, {&a, token_index{20}});
    requests.back().token = token_index{-1};
    std::vector<std::int32_t> many(1800, -7);
    CHECK(decode_positions(requests.data(), 600, axis_major(many.data(), 3, 600)).code == errc::range_invalid);
    for (const std::int32_t x : out) REQUIRE(x == -7);
    for (const std::int32_t x : many) REQUIRE(x == -7);
    // The part of a fractional plan that is whole may be filled.
    CHECK(plan.fill(token_index{0}, token_index{4}, axis_major(out.data(), 3, 4)).ok());
    CHECK(out[3] == 3);
}

TEST_CASE("hostile grids neither hang nor overflow") {
    random_prompts random(7);
    const index_t sides[] = {-1, 0, 1, 2, 3, 1 << 16, INT32_MAX, index_t{1} << 40, index_max / 2, index_max, INT64_MIN};
    const auto side = [&] { return sides[random.number(0, 10)]; };
    std::int64_t refused = 0;
    for (int round = 0; round < 20000; ++round) {
        layout::mrope layout{random.number(0, 1) + 1};
        layout.video = static_cast<layout::video_form>(random.number(0, 2));
        layout.time = round % 3 == 0   ? floored_product(side())
                      : round % 3 == 1 ? floored_product_float32(side())
                                       : truncated_interval(side());
        layout.spatial_reset = random.number(0, 1) == 1;
        const segment s = with_gap(video(token_grid{side(), side(), side()}, seconds_per_grid{side(), side()},
                                         random.number(0, 3) == 0 ? side() : count_of_grid),
                                   random.number(0, 2) == 0 ? side() : 0);
        const segment prompt[] = {text(random.number(0, 4) == 0 ? side() : 3), s, text(2)};
        plan_options options;
        options.limits.max_bytes = 1 << 20;
        if (round % 5 == 0) options.limits.max_position = side();
        const auto plan = make_plan(layout, prompt, 3, options);
        if (!plan) {
            ++refused;
            CHECK(sentence_of(plan.error()).size() > 10);
            continue;
        }
        CHECK(plan->max_position() <= static_cast<double>(options.limits.max_position));
        double out[3];
        CHECK(plan->fill(token_index{plan->size() / 2}, token_index{plan->size() / 2 + 1}, axis_major(out, 3, 1)).ok());
    }
    CHECK(refused > 10000);
    CHECK(refused < 20000);
}
