#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/metric/content_free.hpp"
#include "support/catch.hpp"

#include <complex>

using namespace polyrope;

namespace {

frequency_table interleaved() {
    return make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                pairing::half_split)
        .value();
}

}  // namespace

TEST_CASE("the score is what turned vectors of ones score") {
    const frequency_table table = interleaved();
    const segment prompt[] = {text(7), image(token_grid{1, 3, 4}), text(5)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const token_index x{20};
    const auto bias = metric::spatial_bias(plan, table, x, 1);
    REQUIRE(bias.ok());
    REQUIRE(bias->size() == 12);
    for (std::size_t i = 0; i < bias->size(); ++i) {
        // Turn (1, 0) of each pair by its own angle on both sides, then multiply.
        const coordinate q = plan.coordinates(x), k = plan.coordinates(token_index{7 + static_cast<index_t>(i)});
        double sum = 0.0;
        for (index_t l = 0; l < table.pairs(); ++l) {
            const pair_frequency& pair = table.at(0, l);
            const double at = pair.frequency * q[pair.which], by = pair.frequency * k[pair.which];
            sum += std::cos(at) * std::cos(by) + std::sin(at) * std::sin(by);
        }
        CHECK((*bias)[i] == Approx(sum / 64.0).epsilon(1e-12));
    }
    // Nearer patches of a grid that lies before the text score higher along its diagonal.
    CHECK((*bias)[11] > (*bias)[0]);
}

TEST_CASE("pairs without an axis score one, and groups are averaged") {
    const axis_frequency entries[] = {{axis::t, 1.0}, {}, {axis::h, 2.0}, {}};
    const auto table = make_frequency_table(entries, 2, 2, 3, pairing::half_split).value();
    const coordinate d{{3.0, 5.0, 7.0}};
    CHECK(metric::content_free_score(table, d, 0) == Approx((std::cos(3.0) + 1.0) / 2.0));
    CHECK(metric::content_free_score(table, d, 1) == Approx((std::cos(10.0) + 1.0) / 2.0));
    CHECK(metric::content_free_score(table, d) == Approx((std::cos(3.0) + std::cos(10.0) + 2.0) / 4.0));
    CHECK(metric::content_free_score(table, {}) == 1.0);
}

TEST_CASE("decay is RoFormer's bound over its value at no distance") {
    const auto table =
        make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, 128, pairing::half_split).value();
    const coordinate forward{{1.0}};
    CHECK(metric::long_range_decay(table, forward, 0.0).bound == 1.0);
    CHECK(metric::long_range_decay(table, forward, 0.0).score == 1.0);
    for (const double distance : {1.0, 50.0, 250.0}) {
        std::complex<double> s;
        double lengths = 0.0;
        for (index_t l = 0; l < 64; ++l) {
            s += std::polar(1.0, distance * table.at(0, l).frequency);
            lengths += std::abs(s);
        }
        const metric::decay_point point = metric::long_range_decay(table, forward, distance);
        CHECK(point.bound == Approx(lengths / (64.0 * 65.0 / 2.0)).epsilon(1e-12));
        CHECK(point.score == Approx(s.real() / 64.0).epsilon(1e-12));
    }
    CHECK(metric::long_range_decay(table, forward, 250.0).bound < metric::long_range_decay(table, forward, 20.0).bound);
}

TEST_CASE("an axis of fast pairs alone decays faster than one that has the whole spectrum") {
    const auto chunked =
        make_frequency_table(allocation::chunked{thw{16, 24, 24}}, spectrum::geometric{5e6}, 128, pairing::half_split);
    const coordinate time{{1.0, 0.0, 0.0}}, rows{{0.0, 1.0, 0.0}}, columns{{0.0, 0.0, 1.0}}, text{{1.0, 1.0, 1.0}};
    const frequency_table even = interleaved();
    const auto bound = [](const frequency_table& table, const coordinate& along) {
        return metric::long_range_decay(table, along, 4096.0).bound;
    };
    const auto score = [](const frequency_table& table, const coordinate& along) {
        double sum = 0.0;
        for (int distance = 257; distance <= 1024; ++distance)
            sum += metric::long_range_decay(table, along, distance).score;
        return sum / 768.0;
    };
    // Behind its longest wavelength an axis has no more to say; slow pairs still have.
    CHECK(std::fabs(score(*chunked, time)) < 0.02);
    CHECK(score(even, time) > 0.5);
    CHECK(bound(*chunked, columns) > 0.9);
    CHECK(std::fabs(bound(even, rows) - bound(even, columns)) < 0.05);
    // Text moves along all axes and meets every pair: allocations do not matter.
    CHECK(bound(*chunked, text) == Approx(bound(even, text)).epsilon(1e-12));
    CHECK(metric::long_range_decay(
              make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, 8, pairing::half_split).value(),
              rows, 4096.0)
              .bound == 1.0);
}

TEST_CASE("a bias map of nothing is refused") {
    const frequency_table table = interleaved();
    const segment prompt[] = {text(2), image(token_grid{1, 3, 5})};
    const auto plan = make_plan(layout::mrope{1}, prompt, 2).value();
    CHECK(metric::spatial_bias(plan, table, token_index{0}, 0).error().code == errc::nothing_to_measure);
    CHECK(metric::spatial_bias(plan, table, token_index{-1}, 1).error().code == errc::range_invalid);
    CHECK(metric::spatial_bias(plan, table, token_index{0}, 1, 1).error().code == errc::capacity_exceeded);
    CHECK(metric::spatial_bias(plan, table, token_index{0}, 1, -2).error().code == errc::capacity_exceeded);
}
