// Fractions of seconds and the rules that scale them.

#include <cmath>
#include <limits>

#include "layout/prompts.hpp"
#include "polyrope/layout/seconds.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("seconds become the simplest fraction that reads back") {
    const std::pair<double, seconds_per_grid> known[] = {
        {0.0, {0, 1}},          {1.0, {1, 1}},        {0.5, {1, 2}},
        {0.7, {7, 10}},         {0.08, {2, 25}},      {1.0 / 3.0, {1, 3}},
        {0.0833, {833, 10000}}, {29.97, {2997, 100}}, {200.0 / 2997.0, {200, 2997}},
        {1e-6, {1, 1000000}},   {5e7, {50000000, 1}}};
    for (const auto& [seconds, right] : known) {
        const seconds_per_grid got = simplest_seconds(seconds);
        CAPTURE(seconds);
        CHECK(got.numerator == right.numerator);
        CHECK(got.denominator == right.denominator);
    }
    random_prompts random(21);
    for (int round = 0; round < 2000; ++round) {
        // Every fraction with small terms comes back, and none simpler reads back as the same double.
        const index_t d = random.number(1, 400), n = random.number(0, 800), shared = detail::common_divisor(n, d);
        const seconds_per_grid got = simplest_seconds(static_cast<double>(n) / static_cast<double>(d));
        REQUIRE(got.numerator == n / shared);
        REQUIRE(got.denominator == d / shared);
        const double any = std::ldexp(static_cast<double>(random.number(1, index_t{1} << 53)),
                                      -static_cast<int>(random.number(40, 62)));
        const seconds_per_grid back = simplest_seconds(any);
        REQUIRE(static_cast<double>(back.numerator) / static_cast<double>(back.denominator) == any);
    }
    // Frames per second are the simpler number: two frames of 29.97 a second are 200/2997.
    CHECK(seconds_at(2, 29.97).numerator == 200);
    CHECK(seconds_at(2, 29.97).denominator == 2997);
    CHECK(seconds_at(2, 25).denominator == 25);
    for (const double bad :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK(error_of(layout::mrope{1, floored_product(2)}, {video(token_grid{2, 1, 1}, seconds_at(2, bad))}).code ==
              errc::seconds_invalid);
    for (const double tiny : {1e-12, 3e-300, 5e-324}) {
        const seconds_per_grid got = simplest_seconds(tiny);
        CHECK(got.numerator >= 0);
        CHECK(static_cast<double>(got.numerator) / static_cast<double>(got.denominator) == Approx(tiny).margin(1e-18));
    }
}

TEST_CASE("floored times are exact where a product of doubles is not") {
    random_prompts random(22);
    for (int round = 0; round < 400; ++round) {
        const index_t n = random.number(0, 1000), d = random.number(1, 1000), rate = random.number(0, 30),
                      frames = random.number(1, 200);
        layout::mrope layout{1, floored_product(rate)};
        const position_plan exact = plan_of(layout, {video(token_grid{frames, 1, 1}, seconds_per_grid{n, d})});
        layout.time = truncated_interval(rate);
        const position_plan truncated = plan_of(layout, {video(token_grid{frames, 1, 1}, seconds_per_grid{n, d})});
        layout.time = floored_product_float32(rate);
        const position_plan narrow = plan_of(layout, {video(token_grid{frames, 1, 1}, seconds_per_grid{n, d})});
        const double s32 = static_cast<double>(static_cast<float>(static_cast<double>(n) / static_cast<double>(d)));
        bool same = true;
        for (index_t f = 0; f < frames; ++f) {
            same = same && exact.coordinates(token_index{f})[0] == static_cast<double>(f * n * rate / d);
            same = same && truncated.coordinates(token_index{f})[0] == static_cast<double>(f * (n / d) * rate);
            same = same && narrow.coordinates(token_index{f})[0] ==
                               std::floor(static_cast<double>(f) * (s32 * static_cast<double>(rate)));
            same = same && (*exact.neutral(token_index{f}))[2] == static_cast<double>(f * n * rate / d);
        }
        CHECK(same);
        CHECK(exact.is_integral());
    }
    // Where the references part: frame 25 at 25 frames per second, frame 5 every 0.7 seconds.
    const auto frame = [](frame_time time, seconds_per_grid seconds, index_t f) {
        return plan_of(layout::mrope{1, time}, {video(token_grid{30, 1, 1}, seconds)}).coordinates(token_index{f})[0];
    };
    CHECK(frame(floored_product(2), {2, 25}, 25) == 4);
    CHECK(frame(floored_product_float32(2), {2, 25}, 25) == 3);
    CHECK(frame(floored_product(2), {7, 10}, 5) == 7);
    CHECK(frame(floored_product_float32(2), {7, 10}, 5) == 6);
}

TEST_CASE("huge fractions carry their rest without overflow") {
    const index_t d = (index_t{1} << 62) - 1;
    const position_plan plan =
        plan_of(layout::mrope{1, floored_product(1)}, {video(token_grid{9, 1, 1}, seconds_per_grid{d / 3 * 2, d})});
    CHECK(row(plan, 0) == numbers{0, 0, 1, 2, 2, 3, 4, 4, 5});  // two thirds: three divides 2^62 - 1
    const position_plan less =
        plan_of(layout::mrope{1, floored_product(1)}, {video(token_grid{9, 1, 1}, seconds_per_grid{d / 3 * 2 - 1, d})});
    CHECK(row(less, 0) == numbers{0, 0, 1, 1, 2, 3, 3, 4, 5});
    CHECK(plan_of(layout::mrope{1, floored_product(7)},
                  {video(token_grid{9, 1, 1}, seconds_per_grid{index_t{1} << 40, index_t{1} << 41})})
              .coordinates(token_index{8})[0] == 28);
}

TEST_CASE("an image takes no time, and one frame takes none either") {
    layout::mrope layout{1, floored_product(25)};
    const position_plan image_plan = plan_of(layout, {image(token_grid{3, 1, 1})});
    CHECK(row(image_plan, 0) == numbers{0, 0, 0});
    layout.time = stride(1.5);
    CHECK(row(plan_of(layout, {image(token_grid{3, 1, 1})}), 0) == numbers{0, 1.5, 3});
    CHECK(plan_of(layout, {image(token_grid{1, 4, 4}), video(token_grid{1, 2, 2}, untimed), text(3)}).is_integral());
}
