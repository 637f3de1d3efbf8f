// V2PE where numbers get tight: spans that no binary fraction states, positions past float32, spans that are none.

#include "polyrope/layout/v2pe.hpp"

#include <cmath>
#include <set>

#include "layout/prompts.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/single_axis.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("far along a prompt visual tokens keep apart, because no position passes through float32") {
    constexpr index_t before = 70000, tokens = 256, channels = 64;
    const position_plan plan = plan_of(layout::v2pe{1, 1.0}, {text(before), image(token_grid{1, 16, 16}), text(4)});
    const auto table =
        make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e6}, channels, pairing::half_split);
    const auto rope = make_rotary(*table);
    REQUIRE(rope.ok());
    std::vector<float> q(static_cast<std::size_t>(tokens * channels), 0.0f);
    for (std::size_t n = 0; n < static_cast<std::size_t>(tokens); ++n) q[n * 64] = 1.0f;
    REQUIRE(
        cpu::rotate(*rope, cpu::planned(plan, token_index{before}), compact_heads(q.data(), tokens, 1, channels)).ok());
    std::set<std::pair<float, float>> seen;
    for (index_t n = 0; n < tokens; ++n) {
        const double position = static_cast<double>(before - 1) + static_cast<double>(n + 1) / 256.0;
        CHECK(plan.coordinates(token_index{before + n})[0] == position);
        const auto at = static_cast<std::size_t>(n * channels);
        seen.emplace(q[at], q[at + 32]);
        CHECK(std::abs(static_cast<double>(q[at]) - std::cos(position)) < 1.1e-7);
        CHECK(std::abs(static_cast<double>(q[at + 32]) - std::sin(position)) < 1.1e-7);
    }
    CHECK(seen.size() == 256);

    std::vector<float> positions(256);
    REQUIRE(plan.fill(token_index{before}, token_index{before + tokens}, axis_major(positions.data(), 1, tokens)).ok());
    CHECK(std::set<float>(positions.begin(), positions.end()).size() < 200);  // float32 cannot
}

TEST_CASE("text goes on behind the float32 value of the last visual token, never before the token") {
    // 17 + 49 * (2 / 49) may end just above 19.
    CHECK(plan_of(layout::v2pe{1, 2.0}, {text(18), image(token_grid{1, 7, 7})}).next_position() == 20.0);
    for (index_t words = 1; words < 40; ++words)
        for (index_t side = 1; side < 12; ++side)
            for (const double span : {1.0, 3.0, 5.0}) {
                const position_plan plan =
                    plan_of(layout::v2pe{1, span}, {text(words), image(token_grid{1, side, side})});
                REQUIRE(plan.next_position() == static_cast<double>(words) + span);
            }
    const position_plan far =
        plan_of(layout::v2pe{1, 3.0}, {text(index_t{1} << 26), image(token_grid{1, 1, 3}), text(2)});
    const index_t image_end = (index_t{1} << 26) + 3;
    CHECK(far.coordinates(token_index{image_end - 1})[0] == 67108866.0);
    CHECK(far.coordinates(token_index{image_end})[0] == 67108867.0);
}

TEST_CASE("a span that is none is refused with a sentence") {
    const segment grid = image(token_grid{1, 2, 2});
    for (const double span : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e300}) {
        const status s = error_of(layout::v2pe{1, span}, {text(1), grid});
        CHECK(s == status{errc::span_invalid, operand::segment, 1, 0, 0});
        CHECK(sentence_of(s) == "segment 1: a span must be finite and above zero");
    }
    CHECK(error_of(layout::v2pe{1, 1.0}, {with_span(grid, -2.0)}).code == errc::span_invalid);
    CHECK(error_of(layout::v2pe{1, 1.0}, {with_frame_step(grid, 2.0)}).code == errc::extra_not_read);
    CHECK(error_of(layout::v2pe{1, 4e9}, {grid}).code == errc::position_overflow);
    CHECK(plan_of(layout::v2pe{1, 0.0}, {with_span(grid, 2.0)}).max_position() == 1.0);
}

TEST_CASE("V2PE states no neutral point unless the segment's start is asked for") {
    layout::v2pe layout{1, 1.0};
    const std::vector<segment> prompt = {text(3), image(token_grid{1, 2, 2})};
    const auto none = plan_of(layout, prompt).neutral(token_index{4});
    CHECK(none.error() == status{errc::no_neutral_point, operand::segment, 1, 0, 0});
    layout.neutral = layout::neutral_point::segment_start;
    CHECK((*plan_of(layout, prompt).neutral(token_index{6}))[0] == 2.25);
}
