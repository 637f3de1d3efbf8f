// Public faults of video time (K4), of the advance rule (K5) and of range (K10).

#include <limits>

#include "layout/prompts.hpp"
#include "polyrope/layout/seconds.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

layout::mrope timed(frame_time time, index_t merge = 2) {
    layout::mrope layout{merge};
    layout.time = time;
    return layout;
}

/// Time of each frame, behind the first.
numbers frame_times(const layout::mrope& layout, patch_grid grid, seconds_per_grid seconds) {
    const position_plan plan = plan_of(layout, {video(grid, seconds)});
    const index_t frame = plan.size() / grid.frames;
    numbers times;
    for (index_t f = 0; f < grid.frames; ++f) times.push_back(plan.coordinates(token_index{f * frame})[axis::t]);
    return times;
}

/// Whether video(arguments...) compiles.
template <class... Arguments>
struct takes {
    template <class... A>
    static auto test(int) -> decltype(static_cast<void>(video(std::declval<A>()...)), std::true_type{});
    template <class...>
    static std::false_type test(...);
    static constexpr bool value = decltype(test<Arguments...>(0))::value;
};

}  // namespace

TEST_CASE("fault 21: all frames got the same time above 2 frames per second", "[fault]") {
    CHECK(frame_times(timed(floored_product(2)), {3, 4, 4}, {1, 2}) == numbers{0, 1, 2});
    CHECK(frame_times(timed(floored_product(25)), {3, 4, 4}, {1, 2}) == numbers{0, 12, 25});
    CHECK(frame_times(timed(truncated_interval(2)), {3, 4, 4}, {1, 2}) ==
          numbers{0, 0, 0});  // what those releases do, by name
}

TEST_CASE("fault 22: the interval multiplied the absolute start", "[fault]") {
    const position_plan plan = plan_of(timed(stride(4)), {text(15), video(patch_grid{3, 4, 4}, untimed), text(2)});
    CHECK(row(plan, 0, 15, 29) == times(4, 15) + times(4, 19) + times(4, 23) + numbers{24, 25});
    CHECK(plan.next_position() == 26);
    CHECK(plan.position_delta() == -3);
}

TEST_CASE("fault 23: times were built from invented metadata", "[fault]") {
    CHECK(frame_times(timed(floored_product(2)), {8, 4, 4}, simplest_seconds(0.958)) ==
          numbers{0, 1, 3, 5, 7, 9, 11, 13});
    CHECK(frame_times(timed(floored_product(2)), {8, 4, 4}, simplest_seconds(0.0833)) ==
          numbers{0, 0, 0, 0, 0, 0, 0, 1});
    static_assert(!takes<patch_grid>::value && takes<patch_grid, seconds_per_grid>::value &&
                      takes<patch_grid, untimed_t>::value && !takes<patch_grid, double>::value,
                  "a video is timed by an exact fraction, or untimed by name");
    CHECK(sentence_of(error_of(timed(floored_product(2)), {text(1), video(patch_grid{8, 4, 4}, untimed)})) ==
          "segment 1: this layout scales time, and the segment states no seconds per grid");
}

TEST_CASE("fault 24: one request with near-zero frames per second ended the engine", "[fault]") {
    // 2 frames per patch at 1e-6 frames per second: 2e6 seconds.
    const std::vector<segment> prompt = {video(patch_grid{44, 2, 2}, seconds_per_grid{2000000, 1})};
    CHECK(sentence_of(error_of(timed(floored_product(25)), prompt)) ==
          "segment 0: position 2150000000 exceeds the limit 2147483647");
    CHECK(error_of(timed(floored_product_float32(25)), prompt).code == errc::position_overflow);
    CHECK(error_of(timed(truncated_interval(25)), prompt).code == errc::position_overflow);
    plan_options wide;
    wide.limits.max_position = index_t{1} << 40;
    CHECK(plan_of(timed(floored_product(25)), prompt, wide).max_position() == 2150000000.0);
    for (const seconds_per_grid bad :
         {seconds_per_grid{1, 0}, seconds_per_grid{-1, 2}, seconds_per_grid{1, -2},
          simplest_seconds(std::numeric_limits<double>::quiet_NaN()), simplest_seconds(-0.5),
          simplest_seconds(std::numeric_limits<double>::infinity())})
        CHECK(error_of(timed(floored_product(25)), {video(patch_grid{44, 2, 2}, bad)}).code == errc::seconds_invalid);
}

TEST_CASE("fault 25: a positive offset", "[fault]") {
    const position_plan plan =
        plan_of(timed(floored_product(25)), {video(patch_grid{3, 4, 4}, seconds_per_grid{2, 1}), text(5)});
    CHECK(row(plan, 0) == times(4, 0) + times(4, 50) + times(4, 100) + steps(101, 105));
    CHECK(row(plan, 1, 0, 12) == numbers{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
    CHECK(row(plan, 2, 0, 12) == numbers{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    CHECK(plan.next_position() == 106);
    CHECK(plan.position_delta() == 89);
}

TEST_CASE("fault 26: the position after a video differs between references", "[fault]") {
    const std::vector<segment> prompt = {text(1), video(patch_grid{5, 4, 4}, untimed), text(1)};
    layout::mrope layout{2};
    const position_plan everything = plan_of(layout, prompt);
    CHECK(everything.coordinates(token_index{21})[axis::t] == 6);
    CHECK(everything.next_position() == 7);
    CHECK(everything.position_delta() == -15);
    CHECK(!everything.reuses_positions());
    layout.behind = layout::advance::past_rows_and_columns;
    const position_plan spatial = plan_of(layout, prompt);
    CHECK(spatial.coordinates(token_index{21})[axis::t] == 3);
    CHECK(spatial.next_position() == 4);
    CHECK(spatial.generation_start() == 6);
    CHECK(spatial.position_delta() == -16);
    CHECK(spatial.coordinates(token_index{22})[axis::h] == 6);
    CHECK(spatial.reuses_positions());
    // Frame by frame both agree.
    layout.video = layout::video_form::frame_by_frame;
    const position_plan split = plan_of(layout, prompt);
    layout.behind = layout::advance::past_everything;
    CHECK(split == plan_of(layout, prompt));
    CHECK(!split.reuses_positions());
}

TEST_CASE("fault 43: the largest position is not bounded by the token count", "[fault]") {
    const position_plan plan = plan_of(timed(stride(25)), {text(10), video(patch_grid{600, 2, 2}, untimed), text(1)});
    CHECK(plan.size() == 611);
    CHECK(plan.max_position() == 14986);
    CHECK(plan.next_position() == 14987);
    plan_options table;
    table.limits.max_position = 8191;
    CHECK(sentence_of(error_of(timed(stride(25)), {text(10), video(patch_grid{600, 2, 2}, untimed), text(1)}, table)) ==
          "segment 1: position 14985 exceeds the limit 8191");
}
