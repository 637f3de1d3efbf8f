#include "polyrope/layout/mrope.hpp"
#include "polyrope/metric/per_token_distance.hpp"
#include "support/catch.hpp"

#include <string>

using namespace polyrope;

TEST_CASE("nine image tokens and five text tokens in a row are the paper's 20/9") {
    std::vector<coordinate> image, text;
    for (int i = 0; i < 9; ++i) image.push_back({{static_cast<double>(i)}});
    for (int t = 9; t < 14; ++t) text.push_back({{static_cast<double>(t)}});
    const auto ptd = metric::per_token_distance(text.data(), 5, image.data(), 9, 1);
    REQUIRE(ptd.ok());
    CHECK(*ptd == Approx(20.0 / 9.0).epsilon(1e-15));
    // Only the axes that are asked for count.
    for (coordinate& p : image) p[1] = 7 * p[0];
    CHECK(*metric::per_token_distance(text.data(), 5, image.data(), 9, 1) == *ptd);
    CHECK(*metric::per_token_distance(text.data(), 5, image.data(), 9, 2) > *ptd);
}

TEST_CASE("points on a ring around the text trajectory are equally far from each text token") {
    std::vector<coordinate> image, text;
    // Six points at distance sqrt(6) from the diagonal, in the plane through (4, 4, 4) that is orthogonal to it.
    for (const coordinate& q : {coordinate{{1, 1, -2}}, coordinate{{1, -2, 1}}, coordinate{{-2, 1, 1}},
                                coordinate{{-1, -1, 2}}, coordinate{{-1, 2, -1}}, coordinate{{2, -1, -1}}})
        image.push_back({{4 + q[0], 4 + q[1], 4 + q[2]}});
    for (int t = -30; t < 40; t += 7) text.push_back({{0.5 * t, 0.5 * t, 0.5 * t}});
    CHECK(*metric::per_token_distance(text.data(), static_cast<index_t>(text.size()), image.data(), 6, 3) < 1e-14);
}

TEST_CASE("a plan is measured over all its text tokens and the patches of one segment") {
    const segment prompt[] = {text(3), image(token_grid{1, 2, 3}), text(2), image(token_grid{1, 4, 4}), text(4)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 5).value();
    for (const index_t which : {1, 3}) {
        double all = 0.0;
        int words = 0;
        for (index_t t = 0; t < plan.size(); ++t) {
            if (plan.kind_of(token_index{t}) == modality::visual) continue;
            const token_range patches = plan.tokens_of(which);
            double mean = 0.0, deviation = 0.0;
            const auto distance = [&](index_t i) {
                double squares = 0.0;
                for (int a = 0; a < 3; ++a) {
                    const double d = plan.coordinates(token_index{i})[a] - plan.coordinates(token_index{t})[a];
                    squares += d * d;
                }
                return std::sqrt(squares);
            };
            for (index_t i = patches.begin.value; i < patches.end.value; ++i) mean += distance(i);
            mean /= static_cast<double>(patches.size());
            for (index_t i = patches.begin.value; i < patches.end.value; ++i)
                deviation += std::fabs(distance(i) - mean);
            all += deviation / static_cast<double>(patches.size());
            ++words;
        }
        CHECK(*metric::per_token_distance(plan, which) == Approx(all / words).epsilon(1e-13));
        CHECK(all / words > 0.3);
    }
}

TEST_CASE("what has no distance is refused with a sentence") {
    const segment prompt[] = {text(3), image(token_grid{1, 2, 3})};
    const auto plan = make_plan(layout::mrope{1}, prompt, 2).value();
    const auto sentence_of = [](const status& s) { return std::string(to_string(s).c_str()); };
    CHECK(sentence_of(metric::per_token_distance(plan, 0).error()) ==
          "segment 0: has nothing of the kind that is measured");
    CHECK(sentence_of(metric::per_token_distance(plan, -1).error()) ==
          "segment -1: has nothing of the kind that is measured");
    CHECK(sentence_of(metric::per_token_distance(plan, 2).error()) ==
          "segment 2: has nothing of the kind that is measured");
    const segment lonely[] = {image(token_grid{1, 2, 3})};
    CHECK(sentence_of(metric::per_token_distance(make_plan(layout::mrope{1}, lonely, 1).value(), 0).error()) ==
          "plan 0: has nothing of the kind that is measured");
    const coordinate point{};
    CHECK(metric::per_token_distance(&point, 1, &point, 1, 8).error().code == errc::axis_count_invalid);
    CHECK(metric::per_token_distance(nullptr, 1, &point, 1, 3).error().code == errc::null_data);
    CHECK(metric::per_token_distance(&point, 0, &point, 1, 3).error().code == errc::nothing_to_measure);
    // Sizes are looked at before any memory is.
    CHECK(metric::per_token_distance(&point, index_max, &point, 2, 3).error().code == errc::capacity_exceeded);
    CHECK(metric::per_token_distance(&point, 1, &point, index_max, 3).error().code == errc::capacity_exceeded);
    const segment huge[] = {text(index_t{1} << 40), image(token_grid{1, 2, 3})};
    const auto long_plan = make_plan(layout::mrope{1}, huge, 2, {nullptr, 0, {index_t{1} << 50, 1 << 20}});
    REQUIRE(long_plan.ok());
    CHECK(metric::per_token_distance(*long_plan, 1).error() ==
          status{errc::capacity_exceeded, operand::plan, 0, metric::max_tokens, index_t{1} << 40});
}
