// IL-RoPE, Omni-RoPE, MM-RoPE and M-RoPE with steps: what holds of every layout, neutral points, refusals.

#include <cmath>

#include "layout/check_layout.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/layout/mmrope.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("what holds of every layout holds of IL-RoPE, MM-RoPE and M-RoPE with steps") {
    for (const auto words : {layout::text_axes::diagonal, layout::text_axes::time_alone})
        for (const auto behind : {layout::step_behind::one, layout::step_behind::larger_side})
            for (const double step : {1.0, 2.5})
                for (const bool gaps : {false, true}) check_layout(layout::ilrope{2, words, behind, step}, 31, gaps, 6);
    for (const bool gaps : {false, true}) {
        check_layout(layout::mmrope{2}, 32, gaps);
        check_layout(layout::mmrope{2, 1.0, 0.5, 3.0}, 33, gaps);
        check_layout(layout::mmrope{2, 0.0, 8.0, 8.0}, 34, gaps);
    }
    for (const auto form :
         {layout::video_form::one_block, layout::video_form::frame_by_frame, layout::video_form::abutting_frames})
        for (const bool reset : {false, true}) {
            layout::mrope layout{2, stride(4), layout::advance::past_everything, form, reset};
            layout.row_step = 8.0;
            layout.column_step = 6.0;
            check_layout(layout, 35, form == layout::video_form::frame_by_frame);
        }
}

TEST_CASE("steps of rows and columns move the text behind them") {
    layout::mrope layout{1, stride(4)};
    layout.row_step = 8.0;
    layout.column_step = 6.0;
    const position_plan plan = plan_of(layout, {text(2), image(token_grid{1, 2, 3}), text(1)});
    CHECK(row(plan, 1) == numbers{0, 1, 2, 2, 2, 10, 10, 10, 15});
    CHECK(row(plan, 2) == numbers{0, 1, 2, 8, 14, 2, 8, 14, 15});
    layout.row_step = static_cast<double>(NAN);
    CHECK(error_of(layout, {image(token_grid{1, 2, 2})}).code == errc::step_invalid);
}

TEST_CASE("frames of the abutting form are as far apart as their sides") {
    layout::mrope layout{1};
    layout.video = layout::video_form::abutting_frames;
    layout.column_step = 5.0;
    const position_plan plan = plan_of(layout, {video(token_grid{2, 1, 3}, untimed), text(1)});
    CHECK(row(plan, 2) == numbers{0, 5, 10, 11, 16, 21, 22});
    CHECK(row(plan, 0) == numbers{0, 0, 0, 11, 11, 11, 22});
}

TEST_CASE("the neutral point of IL-RoPE stands on the text's own trajectory") {
    const std::vector<segment> prompt = {text(2), video(token_grid{2, 2, 2}, untimed), text(1)};
    const position_plan zero = plan_of(layout::ilrope{1}, prompt);
    CHECK(*zero.neutral(token_index{2}) == coordinate{{2, 0, 0}});
    CHECK(*zero.neutral(token_index{9}) == coordinate{{3, 0, 0}});
    CHECK(zero.coordinates(token_index{10}) == coordinate{{4, 0, 0}});
    CHECK(zero.coordinates(token_index{14}) == coordinate{{8, 0, 0}});
    const position_plan diagonal = plan_of(layout::ilrope{1, layout::text_axes::diagonal}, prompt);
    CHECK(*diagonal.neutral(token_index{9}) == coordinate{{3, 3, 3}});
}

TEST_CASE("IL-RoPE's generated text goes on at the next position below a tall image") {
    const position_plan plan = plan_of(layout::ilrope{1}, {text(1), image(token_grid{1, 50, 2})});
    CHECK(plan.max_position() == 49);
    CHECK(plan.generation_start() == 2);
}

TEST_CASE("all frames of MM-RoPE start at the first one's point, also those of a later turn") {
    const segment clip = with_gap(video(token_grid{3, 1, 2}, untimed), 4);
    const std::vector<segment> prompt = {text(5), clip, text(3)};
    const position_plan plan = plan_of(layout::mmrope{}, prompt);
    CHECK(plan.size() == 5 + 3 * 3 + 2 * 4 + 3);
    CHECK(plan.position_delta() == 0);
    CHECK(plan.coordinates(token_index{5}) == coordinate{{5, 5, 5}});
    CHECK(plan.coordinates(token_index{7}) == coordinate{{5, 5, 21}});  // the new-line token
    CHECK(plan.coordinates(token_index{12}) == coordinate{{9, 5, 5}});
    CHECK(*plan.neutral(token_index{13}) == coordinate{{12, 12, 12}});
    CHECK(plan.kind_of(token_index{7}) == modality::visual);
    CHECK(plan.coordinates(token_index{plan.size()}) == coordinate{{25, 25, 25}});

    const segment more[] = {image(token_grid{1, 1, 1})};
    const auto later = plan.append(layout::mmrope{}, more, 1, continue_at::generation_start, 2);
    REQUIRE(later.ok());
    CHECK(later->coordinates(token_index{27}) == coordinate{{5 + 3 * 4, 5, 5}});

    // Pruned frames still count, whether they keep their maps or are tables.
    for (const bool scattered : {false, true}) {
        const position_plan wide =
            plan_of(layout::mmrope{}, {text(5), with_gap(video(token_grid{3, 6, 79}, untimed), 4)});
        std::vector<char> keep(static_cast<std::size_t>(wide.size()), 1);
        for (std::size_t n = 6; n < keep.size(); ++n) keep[n] = scattered ? n % 2 == 0 : n % 400 != 0;
        const auto pruned = prune(wide, keep.data(), wide.size());
        REQUIRE(pruned.ok());
        const auto next = pruned->append(layout::mmrope{}, more, 1, continue_at::next_position);
        REQUIRE(next.ok());
        CHECK(next->coordinates(token_index{pruned->size()}) == coordinate{{5 + 3 * 4, 5, 5}});
    }
}

TEST_CASE("a medium of MM-RoPE has a new-line token in every row") {
    CHECK(plan_of(layout::mmrope{}, {image(token_grid{1, 2, 3}, 8)}).size() == 8);
    CHECK(error_of(layout::mmrope{}, {image(token_grid{1, 2, 3}, 6)}) ==
          status{errc::token_count_mismatch, operand::segment, 0, 8, 6});
    CHECK(error_of(layout::mmrope{}, {image(token_grid{1, 1, INT64_MAX})}).code == errc::size_overflow);
    CHECK(error_of(layout::mmrope{1, static_cast<double>(INFINITY)}, {image(token_grid{1, 1, 1})}).code ==
          errc::step_invalid);
    CHECK(error_of(layout::ilrope{1, {}, {}, static_cast<double>(NAN)}, {image(token_grid{1, 1, 1})}).code ==
          errc::step_invalid);
}

TEST_CASE("hostile grids and steps neither hang nor overflow") {
    random_prompts random(36);
    const index_t sides[] = {-1, 0, 1, 2, 3, 1 << 16, INT32_MAX, index_t{1} << 40, index_max / 2, index_max, INT64_MIN};
    const double steps[] = {-1e15, -1.5, 0.0, 1e-300, 0.25, 1.0, 4.0, 1e15, 1e300, static_cast<double>(NAN)};
    const auto side = [&] { return sides[random.number(0, 10)]; };
    const auto step = [&] { return steps[random.number(0, 9)]; };
    std::int64_t refused = 0;
    const auto plan = [&](const auto& layout) {
        const segment s = with_gap(
            video(token_grid{side(), side(), side()}, untimed, random.number(0, 3) == 0 ? side() : count_of_grid),
            random.number(0, 2) == 0 ? side() : 0);
        const segment prompt[] = {text(3), s, text(2)}, more[] = {image(token_grid{1, 2, 2}), text(1)};
        plan_options options;
        options.limits.max_bytes = 1 << 16;
        const auto made = make_plan(layout, prompt, 3, options);
        refused += made.ok() ? 0 : 1;
        if (!made) return;
        CHECK(made->max_position() <= INT32_MAX);
        static_cast<void>(made->append(layout, more, 2, continue_at::generation_start, 3));
    };
    for (int round = 0; round < 3000; ++round) {
        plan(layout::ilrope{1, layout::text_axes::time_alone, static_cast<layout::step_behind>(round % 2), step()});
        plan(layout::mmrope{1, step(), step(), step()});
        layout::mrope layout{1, stride(step())};
        layout.row_step = step();
        layout.column_step = step();
        plan(layout);
        layout::ring ring;
        ring.radius = {step(), round % 2 == 0};
        ring.alpha = step();
        ring.plane_share = step();
        ring.positive = {round % 3 == 0, step()};
        plan(layout::circle_rope{1, ring, static_cast<layout::ring_video>(round % 3), step()});
    }
    CHECK(refused > 8000);
    CHECK(refused < 12000);
}
