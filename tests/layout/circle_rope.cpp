// The ring of Circle-RoPE: its geometry, its tables, what is refused.

#include "polyrope/layout/circle_rope.hpp"

#include <cmath>

#include "layout/check_layout.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Rings of every switch.
std::vector<layout::ring> rings() {
    std::vector<layout::ring> all;
    for (const bool centred : {true, false})
        for (const auto radius : {layout::fixed_radius(10), layout::extent_radius(), layout::extent_radius(2)})
            for (const auto method : {layout::ring_method::circle, layout::ring_method::plane})
                for (const double share : {0.0, 0.25, 1.0})
                    for (const auto positive : {layout::positive_shift{}, layout::shifted_to(0), layout::shifted_to(3)})
                        all.push_back({radius, 0.3, centred, method, share, positive});
    return all;
}

double distance(const coordinate& x, double t) {
    return std::sqrt((x[0] - t) * (x[0] - t) + (x[1] - t) * (x[1] - t) + (x[2] - t) * (x[2] - t));
}

}  // namespace

TEST_CASE("what holds of every layout holds of Circle-RoPE") {
    unsigned seed = 100;
    for (const layout::ring& ring : rings())
        for (const auto video : {layout::ring_video::stacked, layout::ring_video::frame_by_frame}) {
            const double step = ++seed % 3 == 0 ? 1.0 : 2.5;
            check_layout(layout::circle_rope{2, ring, video, step}, seed, video == layout::ring_video::frame_by_frame,
                         1);
        }
}

TEST_CASE("every patch is equally far from every text token, and the centre is the neutral point") {
    for (const token_grid grid : {token_grid{1, 1, 1}, token_grid{1, 5, 3}, token_grid{1, 1, 9}, token_grid{4, 3, 4}})
        for (const double alpha : {0.0, 0.5, 1.0, -1.0}) {
            layout::ring ring;
            ring.alpha = alpha;
            const position_plan plan = plan_of(layout::circle_rope{1, ring}, {text(4), image(grid), text(3)});
            for (index_t n = 4; n < plan.size() - 3; ++n) {
                const coordinate x = plan.coordinates(token_index{n}), centre = *plan.neutral(token_index{n});
                const double at = 4.0 + static_cast<double>((n - 4) / (grid.rows * grid.columns));
                CHECK(centre == coordinate{{at, at, at}});
                CHECK(distance(x, at) == Approx(10).epsilon(1e-9));
                CHECK(x[0] + x[1] + x[2] == 3 * at);  // exactly in the plane orthogonal to the diagonal
                for (const double t : {0.0, 17.0})
                    CHECK(distance(x, t) == Approx(std::sqrt(100 + 3 * (at - t) * (at - t))).epsilon(1e-9));
            }
        }
}

TEST_CASE("angles are right to the last places of float64") {
    double worst_angle = 0.0, worst_point = 0.0;
    for (index_t y = -70; y <= 70; ++y)
        for (index_t x = -70; x <= 70; ++x) {
            const double angle = detail::angle_of(y, x);
            worst_angle =
                std::max(worst_angle, std::abs(angle - std::atan2(static_cast<double>(y), static_cast<double>(x))));
            const double turns = static_cast<double>(y) / 13.0 + static_cast<double>(x) / 1001.0;
            double sine = 0.0, cosine = 0.0;
            detail::sincos_of_turns(turns, sine, cosine);
            const double rest = 6.283185307179586 * (turns - std::round(turns));
            worst_point = std::max({worst_point, std::abs(sine - std::sin(rest)), std::abs(cosine - std::cos(rest))});
        }
    CHECK(worst_angle < 6e-16);
    CHECK(worst_point < 6e-16);
    CHECK(detail::angle_of(0, 0) == 0.0);
    CHECK(detail::angle_of(0, -3) == 3.141592653589793);
    double sine = 0.0, cosine = 0.0;
    detail::sincos_of_turns(0.25, sine, cosine);
    CHECK(sine == 1.0);
    CHECK(cosine == 0.0);
}

TEST_CASE("the middle row of a centred grid starts at half a turn, whatever zero its sign has") {
    // atan2(-0, negative) would be -pi and put the first cell of the middle row first.
    const position_plan plan =
        plan_of(layout::circle_rope{1, {layout::fixed_radius(10), 1.0}}, {image(token_grid{1, 3, 3})});
    const coordinate left = plan.coordinates(token_index{3}), least = plan.coordinates(token_index{0});
    CHECK(left[0] == Approx(0).margin(1e-9));  // the largest angle: one whole turn
    CHECK(left[2] == Approx(-7.0710678).margin(1e-6));
    CHECK(least[0] == Approx(0).margin(1e-9));  // the least
    CHECK(least[2] == Approx(-7.0710678).margin(1e-6));
}

TEST_CASE("frames share one table of offsets") {
    const segment clip = video(token_grid{50, 6, 7}, untimed);
    const position_plan stacked = plan_of(layout::circle_rope{1}, {text(1), clip});
    CHECK(stacked.arena().size() == 3 * 6 * 7);
    const position_plan apart =
        plan_of(layout::circle_rope{1, {}, layout::ring_video::frame_by_frame}, {text(1), with_gap(clip, 2)});
    CHECK(apart.arena().size() == 3 * 6 * 7);
    CHECK(apart.size() == 1 + 50 * 42 + 49 * 2);
    // One by one, as images with text between.
    std::vector<segment> images = {text(1)};
    for (int f = 0; f < 50; ++f) {
        if (f > 0) images.push_back(text(2));
        images.push_back(image(token_grid{1, 6, 7}));
    }
    const position_plan each = plan_of(layout::circle_rope{1}, images);
    for (int a = 0; a < 3; ++a) CHECK(row(apart, a) == row(each, a));
    CHECK(apart.next_position() == each.next_position());
}

TEST_CASE("text behind a ring keeps its fraction without rounding") {
    std::vector<segment> prompt;
    for (index_t i = 1; i < 40; ++i) {
        prompt.push_back(image(token_grid{1, 1 + i % 7, i}));
        prompt.push_back(text(1000));
    }
    const position_plan plan = plan_of(layout::circle_rope{1}, prompt);
    CHECK_FALSE(plan.is_integral());
    CHECK(plan.generation_start() == plan.next_position());
    CHECK(plan.coordinates(token_index{plan.size() - 1})[0] + 1.0 == plan.next_position());
}

TEST_CASE("Circle-RoPE says what it does not place") {
    const segment clip[] = {text(1), video(token_grid{2, 2, 2}, untimed)};
    const status refused = make_plan(layout::circle_rope{1, {}, layout::ring_video::refused}, clip, 2).error();
    CHECK(refused == status{errc::frames_not_placed, operand::segment, 1, 1, 2});
    CHECK(sentence_of(refused) == "segment 1: this layout places a single frame, and its grid has 2");
    CHECK(error_of(layout::circle_rope{1}, {with_gap(clip[1], 1)}).code == errc::gap_count_mismatch);
    for (const double bad : {static_cast<double>(INFINITY), -static_cast<double>(NAN), 1e300}) {
        const status s = error_of(layout::circle_rope{1, {layout::fixed_radius(bad)}}, {clip[0], clip[1]});
        CHECK(s == status{errc::ring_invalid, operand::segment, 1, 0, 0});
        CHECK(sentence_of(s) == "segment 1: radius, alpha, shares, shifts and steps of its ring must be finite");
        layout::ring ring;
        ring.alpha = bad;
        CHECK(error_of(layout::circle_rope{1, ring}, {clip[1]}).code == errc::ring_invalid);
        CHECK(error_of(layout::circle_rope{1, {}, layout::ring_video::stacked, bad}, {clip[1]}).code ==
              errc::ring_invalid);
    }
    CHECK(error_of(layout::circle_rope{1, {layout::fixed_radius(1e12)}}, {clip[1]}).code == errc::position_overflow);
    CHECK(error_of(layout::circle_rope{1}, {image(token_grid{1, index_t{1} << 30, index_t{1} << 30})}).code ==
          errc::capacity_exceeded);
}
