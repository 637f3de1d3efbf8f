// Public faults of cache shift (K13), of context parallel, padding and packing (K14), and of variant choice (K17).

#include "layout/prompts.hpp"
#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/shift.hpp"
#include "polyrope/layout/tokens.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("fault 55: a cache was shifted by the token count of an image", "[fault]") {
    const position_plan whole = plan_of(layout::mrope{2}, {text(3), image(patch_grid{1, 4, 6}), text(2)});
    const position_plan without = plan_of(layout::mrope{2}, {text(3), text(2)});
    CHECK(whole.span(1) == 3);
    CHECK(whole.tokens_of(1).size() == 6);
    const auto shift = shift_between(whole, token_index{9}, token_index{11}, without, token_index{3});
    REQUIRE(shift.ok());
    for (int a = 0; a < 3; ++a) CHECK(shift->by[a] == -3);
    CHECK(shift_between(whole, token_index{2}, token_index{11}, without, token_index{2}).error().code ==
          errc::shift_not_uniform);
    // Past both prompts every token moves alike, however many are asked for.
    CHECK(shift_between(whole, token_index{9}, token_index{index_max}, without, token_index{3}).ok());
}

TEST_CASE("fault 56: the sequence axis was mistaken under context parallel", "[fault]") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(4), image(patch_grid{1, 4, 6}), text(6)});
    CHECK(plan.size() == 16);
    const auto rank = [&](std::vector<index_t> list) {
        std::vector<token_index> indices;
        for (const index_t n : list) indices.push_back(token_index{n});
        std::vector<double> out(24);
        REQUIRE(plan.fill(indices.data(), 8, axis_major(out.data(), 3, 8)).ok());
        return numbers(out.begin() + 16, out.end());
    };
    CHECK(rank({0, 1, 2, 3, 12, 13, 14, 15}) == numbers{0, 1, 2, 3, 9, 10, 11, 12});
    CHECK(rank({4, 5, 6, 7, 8, 9, 10, 11}) == numbers{4, 5, 6, 4, 5, 6, 7, 8});
}

TEST_CASE("fault 57: packing was guessed from positions", "[fault]") {
    const position_plan a = plan_a();
    batch rows(3);
    REQUIRE(rows.add(a, {token_index{0}, token_index{15}}).ok());
    CHECK(rows.cu_seqlens() == std::vector<index_t>{0, 15});
    std::int32_t narrow[2] = {-1, -1};
    REQUIRE(rows.cu_seqlens(narrow, 2).ok());
    CHECK(narrow[1] == 15);
}

TEST_CASE("fault 58: all rows of a batch used row 0", "[fault]") {
    const position_plan five = plan_of(layout::sequential{1, 1}, {text(5)}),
                        three = plan_of(layout::sequential{1, 1}, {text(3)});
    batch rows(1);
    REQUIRE(rows.add(five, {token_index{0}, token_index{5}}).ok());
    REQUIRE(rows.add(three, {token_index{0}, token_index{3}}, fill_options{}.padded(2, 1.0)).ok());
    std::int32_t out[10];
    REQUIRE(rows.fill(axis_major(out, 1, 10)).ok());
    const std::int32_t right[] = {0, 1, 2, 3, 4, 1, 1, 0, 1, 2};
    for (int n = 0; n < 10; ++n) CHECK(out[n] == right[n]);
    CHECK(rows.cu_seqlens() == std::vector<index_t>{0, 5, 10});
}

TEST_CASE("fault 59: the second packed sample got wrong positions", "[fault]") {
    const position_plan two = plan_of(layout::sequential{1, 1}, {text(2)}),
                        three = plan_of(layout::sequential{1, 1}, {text(3)});
    batch rows(1);
    REQUIRE(rows.add(two, {token_index{0}, token_index{2}}).ok());
    REQUIRE(rows.add(three, {token_index{0}, token_index{3}}, fill_options{}.padded(0, 9.0, 1)).ok());
    std::int32_t out[6];
    REQUIRE(rows.fill(axis_major(out, 1, 6)).ok());
    const std::int32_t right[] = {0, 1, 0, 1, 2, 9};
    for (int n = 0; n < 6; ++n) CHECK(out[n] == right[n]);
    // A packing map is no attention mask.
    const int map[] = {1, 1, 2, 2, 2, 0};
    CHECK(padding_of(map, 6).error() == status{errc::range_invalid, operand::token, 2, 2, 3});
}

TEST_CASE("fault 66: the same input through every layout", "[fault]") {
    const std::vector<segment> prompt = {text(2), video(patch_grid{3, 4, 4}, seconds_per_grid{1, 1}), text(2)};
    std::vector<position_plan> plans = {plan_of(layout::sequential{2, 3}, prompt)};
    for (const bool reset : {false, true})
        for (const auto behind : {layout::advance::past_everything, layout::advance::past_rows_and_columns})
            for (const auto form : {layout::video_form::one_block, layout::video_form::frame_by_frame,
                                    layout::video_form::abutting_frames})
                for (const frame_time time : {by_index(), stride(2), stride(0.5), floored_product(2),
                                              floored_product_float32(2), truncated_interval(2)})
                    plans.push_back(plan_of(layout::mrope{2, time, behind, form, reset}, prompt));
    CHECK(plans.size() == 73);
    for (const position_plan& plan : plans) {
        CHECK(plan.size() == 16);
        for (int a = 0; a < 3; ++a) CHECK(row(plan, a, 0, 2) == numbers{0, 1});
    }
    // Text alone is plain counting in each.
    for (const frame_time time : {by_index(), stride(2), floored_product(2)})
        for (int a = 0; a < 3; ++a)
            CHECK(row(plan_of(layout::mrope{2, time}, {text(3), text(4)}), a, 0, 9) == steps(0, 8));
}
