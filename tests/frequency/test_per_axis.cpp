// Spectra that restart per axis, over every allocation.

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "support/catch.hpp"

#include <limits>
#include <vector>

using namespace polyrope;

namespace {

const spectrum::per_axis per_axis{spectrum::geometric{10000.0}};

template <class Allocation>
std::vector<double> frequencies(const Allocation& a, index_t rotary_dim, index_t group = 0) {
    const auto table = make_frequency_table(a, per_axis, rotary_dim, pairing::adjacent);
    REQUIRE(table.ok());
    std::vector<double> all;
    for (index_t l = 0; l < table->pairs(); ++l) all.push_back(table->at(group, l).frequency);
    return all;
}

double power_of(index_t l, index_t width) { return spectrum::geometric{10000.0}.frequency(l, width); }

static_assert(is_spectrum_v<spectrum::per_axis<spectrum::geometric>>, "a restarted spectrum is a spectrum");
static_assert(restarts_per_axis_v<spectrum::per_axis<spectrum::geometric>> && !restarts_per_axis_v<spectrum::geometric>,
              "and says so");

}  // namespace

TEST_CASE("per_axis: each section begins at the first frequency, over its own width") {
    CHECK(frequencies(allocation::chunked{thw{2, 2, 2}}, 12) ==
          std::vector<double>{1.0, power_of(1, 4), 1.0, power_of(1, 4), 1.0, power_of(1, 4)});
    CHECK(power_of(1, 4) == Approx(0.01).epsilon(1e-15));
    CHECK(frequencies(allocation::chunked{thw{1, 3, 0}}, 8) ==
          std::vector<double>{1.0, 1.0, power_of(1, 6), power_of(2, 6)});
}

TEST_CASE("per_axis: axes that take turns, pairs that do not rotate, sections of one axis apart") {
    CHECK(frequencies(allocation::interleaved{thw{2, 2, 1}}, 10) ==
          std::vector<double>{1.0, 1.0, 1.0, power_of(1, 4), power_of(1, 4)});
    CHECK(frequencies(allocation::spatial_first{thw{1, 2, 2}, temporal_pairs::still}, 10) ==
          std::vector<double>{1.0, 1.0, power_of(1, 4), power_of(1, 4), 0.0});
    const section apart[] = {{axis::h, 1}, {axis::w, 1}, {axis::h, 2}};
    CHECK(frequencies(allocation::chunked{apart}, 8) == std::vector<double>{1.0, 1.0, power_of(1, 6), power_of(2, 6)});
}

TEST_CASE("per_axis: one axis alone is the plain spectrum, per head group too") {
    const allocation::per_head heads{thw{1, 1, 0}, 3};
    CHECK(frequencies(heads, 4, 0) == std::vector<double>{1.0, power_of(1, 4)});
    CHECK(frequencies(heads, 4, 1) == std::vector<double>{1.0, power_of(1, 4)});
    CHECK(frequencies(heads, 4, 2) == std::vector<double>{0.0, 0.0});
}

TEST_CASE("per_axis: what the spectrum refuses is asked of each axis's width") {
    const float few[] = {1.0f, 0.01f};
    const auto made = [&](thw sections) {
        return make_frequency_table(allocation::chunked{sections},
                                    spectrum::per_axis{spectrum::explicit_frequencies<float>{few, 2}},
                                    2 * (sections.t + sections.h + sections.w), pairing::half_split);
    };
    const auto even = made({2, 2, 2});
    REQUIRE(even.ok());
    CHECK(even->at(0, 5).inv_freq == 0.01f);
    CHECK(even->at(0, 4).inv_freq == 1.0f);
    CHECK(made({2, 3, 2}).error() == status{errc::extent_mismatch, operand::inv_freq, 0, 3, 2});
    const auto bad = make_frequency_table(allocation::chunked{thw{2, 2, 2}},
                                          spectrum::per_axis{spectrum::geometric{-1.0}}, 12, pairing::adjacent);
    CHECK(bad.error().code == errc::theta_invalid);
    const auto hostile = make_frequency_table(allocation::per_head{thw{1, 1, 1}, std::numeric_limits<index_t>::max()},
                                              per_axis, 12, pairing::adjacent);
    CHECK(hostile.error().code == errc::capacity_exceeded);
}

TEST_CASE("fault 38: rows and columns of an image were swapped, or their frequencies did not begin anew", "[fault]") {
    // A head of 8 channels, the patch of row 1 and column 2.
    const section rows_first[] = {{axis::h, 2}, {axis::w, 2}}, columns_first[] = {{axis::w, 2}, {axis::h, 2}};
    const double at[3] = {0.0, 1.0, 2.0};
    const auto angles = [&](const auto& table) {
        REQUIRE(table.ok());
        std::vector<double> all;
        for (index_t l = 0; l < 4; ++l)
            all.push_back(at[static_cast<int>(table->at(0, l).which)] * table->at(0, l).frequency);
        return all;
    };
    const auto made = [&](const auto& sections) {
        return angles(make_frequency_table(allocation::chunked{sections}, per_axis, 8, pairing::half_split));
    };
    const auto equal = [](const std::vector<double>& found, const std::vector<double>& right) {
        for (std::size_t l = 0; l < right.size(); ++l) CHECK(found.at(l) == Approx(right[l]).epsilon(1e-14));
    };
    equal(made(rows_first), {1.0, 0.01, 2.0, 0.02});
    equal(made(columns_first), {2.0, 0.02, 1.0, 0.01});
    // Towers that share one series give its even members to one axis and its odd ones to the other.
    const auto member = [](index_t l) { return spectrum::geometric{10000.0}.frequency(l, 8); };
    const axis_frequency shared[] = {
        {axis::h, member(0)}, {axis::h, member(2)}, {axis::w, member(1)}, {axis::w, member(3)}};
    equal(angles(make_frequency_table(shared, 1, 4, 3, pairing::half_split)), {1.0, 0.01, 0.2, 0.002});
}
