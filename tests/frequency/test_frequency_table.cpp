#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "support/catch.hpp"

#include <limits>
#include <vector>

using namespace polyrope;

namespace {
std::string sentence_of(status s) { return to_string(s).c_str(); }
}  // namespace

TEST_CASE("an empty table has no pairs") {
    const frequency_table empty;
    CHECK(empty.pairs() == 0);
    CHECK(empty.rotary_dim() == 0);
    CHECK(empty.groups() == 1);
}

TEST_CASE("a table keeps what it was made from") {
    const auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                            pairing::adjacent);
    REQUIRE(table.ok());
    CHECK(table->paired() == pairing::adjacent);
    CHECK(table->rotary_dim() == 128);
    CHECK(table->pairs() == 64);
    CHECK(table->axes() == 3);
    CHECK(table->groups() == 1);
    for (index_t l = 0; l < 64; ++l) {
        const pair_frequency& pair = table->at(0, l);
        CHECK(pair.inv_freq == static_cast<float>(pair.frequency));
        const float_pair turns = turns_of(pair.frequency), wrapped = wrapped_turns_of(pair.frequency);
        CHECK(pair.turns_hi == turns.hi);
        CHECK(pair.turns_lo == turns.lo);
        CHECK(pair.wrapped_hi == wrapped.hi);
        CHECK(pair.wrapped_lo == wrapped.lo);
    }
}

TEST_CASE("a pair that does not rotate is zero throughout") {
    const axis which[] = {axis::t, axis_none};
    const auto table =
        make_frequency_table(allocation::per_pair{which, 2}, spectrum::geometric{1e4}, 4, pairing::half_split);
    REQUIRE(table.ok());
    const pair_frequency& still = table->at(0, 1);
    CHECK(still.which == axis_none);
    CHECK(still.frequency == 0.0);
    for (const float number : {still.inv_freq, still.turns_hi, still.turns_lo, still.wrapped_hi, still.wrapped_lo})
        CHECK(number == 0.0f);
}

TEST_CASE("a table can be written out pair by pair") {
    const axis_frequency entries[] = {{axis::t, 1.0}, {axis::h, 0.5}, {axis::w, -0.25}, {axis_none, 99.0}};
    const auto one = make_frequency_table(entries, 1, 4, 3, pairing::half_split);
    REQUIRE(one.ok());
    CHECK(one->rotary_dim() == 8);
    CHECK(one->at(0, 2).which == axis::w);
    CHECK(one->at(0, 2).frequency == -0.25);
    CHECK(one->at(0, 3).frequency == 0.0);

    const auto two = make_frequency_table(entries, 2, 2, 3, pairing::half_split);
    REQUIRE(two.ok());
    CHECK(two->groups() == 2);
    CHECK(two->at(1, 0).frequency == -0.25);

    CHECK(make_frequency_table(entries, 1, 4, 2, pairing::half_split).error() ==
          status{errc::axis_invalid, operand::pair, 2, 2, 2});
    CHECK(make_frequency_table(nullptr, 1, 4, 3, pairing::half_split).error().code == errc::null_data);
    CHECK(make_frequency_table(entries, 1, 0, 3, pairing::half_split).error().code == errc::capacity_exceeded);
    CHECK(make_frequency_table(entries, 1, std::numeric_limits<index_t>::max(), 3, pairing::half_split).error().code ==
          errc::capacity_exceeded);
    CHECK(make_frequency_table(entries, 0, 4, 3, pairing::half_split).error().code == errc::capacity_exceeded);
    CHECK(make_frequency_table(entries, std::numeric_limits<index_t>::max(), 4, 3, pairing::half_split).error().code ==
          errc::capacity_exceeded);
    CHECK(sentence_of(make_frequency_table(entries, 1, 4, 9, pairing::half_split).error()) ==
          "frequency table: a position has 1 to 7 axes, not 9");
}

TEST_CASE("heads take the group of their place among all heads of the model") {
    const axis_frequency entries[] = {{axis::t, 1.0}, {axis::h, 1.0}, {axis::w, 1.0}, {axis::t, 1.0}};
    const auto table = make_frequency_table(entries, 4, 1, 3, pairing::half_split);
    REQUIRE(table.ok());
    std::vector<index_t> groups;
    for (index_t m = 0; m < 8; ++m) groups.push_back(table->group_of(m, 8));
    CHECK(groups == std::vector<index_t>{0, 0, 1, 1, 2, 2, 3, 3});
    // Key heads of the same model, and the second of two shards.
    CHECK(table->group_of(3, 4) == 3);
    CHECK(table->group_of(4 + 1, 8) == 2);
    // Heads that do not divide evenly.
    groups.clear();
    for (index_t m = 0; m < 6; ++m) groups.push_back(table->group_of(m, 6));
    CHECK(groups == std::vector<index_t>{0, 0, 1, 2, 2, 3});
}

TEST_CASE("rotary_dim is even, positive and bounded") {
    const auto made = [](index_t rotary_dim) {
        return make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, rotary_dim,
                                    pairing::half_split)
            .error();
    };
    CHECK(made(2).ok());
    CHECK(made(256).ok());
    CHECK(made(65536).ok());
    CHECK(sentence_of(made(127)) == "rotary_dim 127 must be even and positive");
    CHECK(made(0).code == errc::rotary_dim_odd);
    CHECK(made(-2).code == errc::rotary_dim_odd);
    CHECK(made(std::numeric_limits<index_t>::min()).code == errc::rotary_dim_odd);
    CHECK(sentence_of(made(65538)) == "rotary_dim: 65538 exceeds the capacity of 65536");
    CHECK(made(std::numeric_limits<index_t>::max() - 1).code == errc::capacity_exceeded);
}

TEST_CASE("options override by name") {
    const auto made = [](frequency_options options) {
        return make_frequency_table(allocation::interleaved{thw{4, 2, 2}}, spectrum::geometric{1e4}, 16,
                                    pairing::half_split, options);
    };
    frequency_options four_planes;
    four_planes.axes = 4;
    CHECK(made(four_planes)->axes() == 4);
    frequency_options scaled;
    scaled.attention_scaling = 1.25;
    CHECK(made(scaled)->attention_scaling() == 1.25);

    frequency_options wrong;
    wrong.axes = 2;
    CHECK(made(wrong).error().code == errc::axis_count_mismatch);
    wrong.axes = 8;
    CHECK(made(wrong).error().code == errc::axis_count_mismatch);
    for (const double scaling :
         {-1.0, 1e39, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        frequency_options bad;
        bad.attention_scaling = scaling;
        CHECK(made(bad).error().code == errc::attention_scaling_invalid);
    }
}

TEST_CASE("a table names its pairing once, and refuses blocks that do not fit") {
    const auto made = [](pairing paired) {
        return make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, 64, paired);
    };
    CHECK(made(pairing::blocks(64))->paired() == pairing::half_split);
    CHECK(made(pairing::blocks(32))->paired() == pairing::blocks(32));
    CHECK(made(pairing::blocks(2))->paired() == pairing::adjacent);
    for (const index_t channels : {index_t{-2}, index_t{1}, index_t{10}, index_t{128}})
        CHECK(made(pairing::blocks(channels)).error() ==
              status{errc::blocks_uneven, operand::rotary_dim, 0, channels, 64});
}
