#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace polyrope;

TEST_CASE("geometric frequencies fall by one factor from pair to pair") {
    const spectrum::geometric s{10000.0};
    CHECK(s.frequency(0, 8) == 1.0);
    CHECK(s.frequency(1, 8) == Approx(0.1).epsilon(1e-15));
    CHECK(s.frequency(2, 8) == Approx(0.01).epsilon(1e-15));
    CHECK(s.frequency(3, 8) == Approx(0.001).epsilon(1e-15));
    CHECK(s.attention_scaling() == 1.0);
    for (const double theta : {1e4, 5e5, 1e6, 5e6, 1e7}) {
        for (index_t l = 0; l < 64; ++l) {
            const long double exact =
                std::pow(static_cast<long double>(theta), -2.0L * static_cast<long double>(l) / 128.0L);
            const double ours = spectrum::geometric{theta}.frequency(l, 128);
            CAPTURE(theta, l);
            CHECK(static_cast<double>(std::fabs(ours - exact) / exact) < 4e-15);
            // The float32 is the nearest one to the true power, or its neighbour.
            const float once = static_cast<float>(ours);
            CHECK(static_cast<double>(std::fabs(once - exact) / exact) < 0x1.001p-24);
        }
    }
}

TEST_CASE("theta must be finite and above zero") {
    for (const double theta :
         {0.0, -1e4, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        const auto table =
            make_frequency_table(allocation::single_axis{}, spectrum::geometric{theta}, 64, pairing::half_split);
        CHECK(table.error() == status{errc::theta_invalid, operand::rope_theta, 0, 0, 0});
    }
    // 1e-300 is a legal base whose frequencies leave float32 before the last pair.
    const auto steep =
        make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e-300}, 64, pairing::half_split);
    CHECK(steep.error() == status{errc::frequency_invalid, operand::pair, 5, 0, 0});
}

TEST_CASE("frequencies that are handed in come out unchanged") {
    for (const char* const file : {"models/qwen2_vl.json", "models/qwen2_5_vl.json", "models/qwen3_vl.json"}) {
        for (const auto& one : test::golden(file).at("rotary_cases")) {
            const auto inv_freq = one.at("inv_freq").get<std::vector<float>>();
            const auto pairs = static_cast<index_t>(inv_freq.size());
            const spectrum::explicit_frequencies given{inv_freq.data(), pairs,
                                                       one.at("attention_scaling").get<double>()};
            const auto table = make_frequency_table(allocation::single_axis{}, given, 2 * pairs, pairing::half_split);
            REQUIRE(table.ok());
            CHECK(table->attention_scaling() == one.at("attention_scaling").get<double>());
            for (index_t l = 0; l < pairs; ++l) {
                const float stored = inv_freq[static_cast<std::size_t>(l)];
                CHECK(table->at(0, l).inv_freq == stored);
                CHECK(table->at(0, l).frequency == static_cast<double>(stored));  // its double is the definition
            }
        }
    }
}

TEST_CASE("doubles that are handed in are rounded once") {
    const double inv_freq[] = {1.0 / 3.0, -0.1, 0.0};
    const auto table = make_frequency_table(allocation::single_axis{}, spectrum::explicit_frequencies{inv_freq, 3}, 6,
                                            pairing::adjacent);
    REQUIRE(table.ok());
    CHECK(table->at(0, 0).inv_freq == 1.0f / 3.0f);
    CHECK(table->at(0, 0).frequency == 1.0 / 3.0);
    CHECK(table->at(0, 1).inv_freq == -0.1f);
    CHECK(table->at(0, 2).turns_hi == 0.0f);
    CHECK(table->at(0, 2).which == axis::t);  // a pair that stands still keeps its axis
}

TEST_CASE("handed-in frequencies are counted and looked at") {
    const float few[] = {1.0f, std::numeric_limits<float>::infinity()};
    const auto made = [&](spectrum::explicit_frequencies<float> s, index_t rotary_dim) {
        return make_frequency_table(allocation::single_axis{}, s, rotary_dim, pairing::half_split).error();
    };
    CHECK(std::string(to_string(made({few, 2}, 8)).c_str()) == "inv_freq: entry 0 is 2, and must be 4");
    CHECK(made({nullptr, 2}, 4).code == errc::null_data);
    CHECK(std::string(to_string(made({few, 2}, 4)).c_str()) == "pair 1: its frequency is not finite");
    for (const double scaling :
         {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        CHECK(made({few, 1, scaling}, 2).code == errc::attention_scaling_invalid);
}
