// Scaled spectra: their rules at known points, what they refuse, and that every one goes with every allocation. The
// numbers of the references are in tests/golden/spectra.cpp.

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/dynamic_ntk.hpp"
#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/linear.hpp"
#include "polyrope/frequency/llama3.hpp"
#include "polyrope/frequency/log_scaled.hpp"
#include "polyrope/frequency/longrope.hpp"
#include "polyrope/frequency/ntk_alpha.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/frequency/proportional.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/frequency/spatial_shifted.hpp"
#include "polyrope/frequency/yarn.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

using namespace polyrope;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

const std::vector<double> short_list(32, 1.5), long_list(32, 8.0);
const spectrum::longrope<double> long_rule{10000.0, short_list.data(), long_list.data(), 32, 4096, 131072};

/// One of each, for 32 pairs.
const auto spectra = std::make_tuple(
    spectrum::geometric{1e4}, spectrum::linear{1e4, 4.0}, spectrum::ntk_alpha{1e4, 1000.0},
    spectrum::dynamic_ntk{1e4, 2.0, 4096}.at_length(8192), spectrum::yarn{1e6, 4.0, 32768},
    spectrum::llama3{5e5, 8.0, 1.0, 4.0, 8192}, long_rule.at_length(5000), spectrum::proportional{1e6, 0.5, 8.0},
    spectrum::log_scaled{1e6, 2.0}, spectrum::explicit_frequencies<double>{long_list.data(), 32});

const auto allocations = std::make_tuple(
    allocation::single_axis{}, allocation::chunked{thw{8, 12, 12}}, allocation::interleaved{thw{12, 10, 10}},
    allocation::even_interleaved{thw{12, 10, 10}}, allocation::spatial_first{thw{8, 12, 12}, temporal_pairs::still},
    allocation::spatial_shifted{thw{8, 12, 12}}, allocation::mm_rope, allocation::mm_rope_by_pair,
    allocation::per_head{thw{1, 1, 1}, 4});

template <class Tuple, class F>
void for_each(const Tuple& all, F f) {
    std::apply([&](const auto&... one) { (f(one), ...); }, all);
}

template <class Spectrum>
std::string refusal(const Spectrum& s, index_t rotary_dim = 64) {
    return to_string(make_frequency_table(allocation::single_axis{}, s, rotary_dim, pairing::half_split).error())
        .c_str();
}

template <class Spectrum>
double at(const Spectrum& s, index_t l, index_t rotary_dim) {
    return s.frequency(l, rotary_dim);
}

}  // namespace

TEST_CASE("every spectrum goes with every allocation, pair by pair") {
    int tables = 0;
    for_each(spectra, [&](const auto& s) {
        static_assert(is_spectrum_v<std::decay_t<decltype(s)>>, "every spectrum of the library is one");
        for_each(allocations, [&](const auto& a) {
            const auto table = make_frequency_table(a, s, 64, pairing::half_split);
            INFO(to_string(table.error()).c_str());
            REQUIRE(table.ok());
            ++tables;
            index_t wrong = 0;
            for (index_t group = 0; group < table->groups(); ++group)
                for (index_t l = 0; l < 32; ++l) {
                    const pair_frequency& pair = table->at(group, l);
                    wrong += pair.which != a(l, group);
                    wrong += pair.frequency != (pair.which == axis_none ? 0.0 : s.frequency(l, 64));
                }
            CHECK(wrong == 0);
            CHECK(table->attention_scaling() == s.attention_scaling());
        });
    });
    CHECK(tables == 90);
}

TEST_CASE("every spectrum but a list restarts per axis") {
    const auto table =
        make_frequency_table(allocation::chunked{thw{4, 4, 0}}, spectrum::per_axis{spectrum::yarn{1e6, 4.0, 32768}}, 16,
                             pairing::half_split);
    REQUIRE(table.ok());
    for (index_t l = 0; l < 4; ++l) {
        CHECK(table->at(0, l).frequency == spectrum::yarn{1e6, 4.0, 32768}.frequency(l, 8));
        CHECK(table->at(0, 4 + l).frequency == table->at(0, l).frequency);
    }
    CHECK(table->attention_scaling() == spectrum::yarn{1e6, 4.0, 32768}.attention_scaling());
}

TEST_CASE("linear divides, ntk_alpha keeps the first pair and divides the last by alpha") {
    CHECK(at(spectrum::linear{1e4, 4.0}, 1, 8) == Approx(0.025).epsilon(1e-14));
    const spectrum::ntk_alpha ntk{1e4, 1000.0};
    CHECK(at(ntk, 0, 8) == 1.0);
    CHECK(at(ntk, 1, 8) == Approx(0.01).epsilon(1e-13));
    CHECK(at(ntk, 3, 8) == Approx(1e-6).epsilon(1e-13));
    CHECK(at(ntk, 31, 64) == Approx(spectrum::geometric{1e4}.frequency(31, 64) / 1000.0).epsilon(1e-13));
    CHECK(refusal(ntk, 2) == "rotary_dim 2 is too small for this spectrum, which needs 4");
    CHECK(refusal(spectrum::ntk_alpha{1e4, 0.0}) == "alpha must be finite and above 0");
    CHECK(refusal(spectrum::linear{1e4, not_a_number}) == "factor must be finite and above 0");
    CHECK(refusal(spectrum::linear{1e4, -1.0}) == "factor must be finite and above 0");
    CHECK(refusal(spectrum::linear{-1e4, 2.0}) == "theta must be finite and above zero");
}

TEST_CASE("dynamic_ntk grows with the sequence, and only past the original length") {
    const spectrum::dynamic_ntk rule{1e4, 2.0, 4096};
    for (const index_t tokens : {index_t{-1}, index_t{0}, index_t{1000}, index_t{4096}})
        for (index_t l = 0; l < 32; ++l)
            CHECK(rule.at_length(tokens).frequency(l, 64) == spectrum::geometric{1e4}.frequency(l, 64));
    // factor * L / L0 - (factor - 1) = 3 at twice the length.
    CHECK(rule.at_length(8192).frequency(31, 64) ==
          Approx(spectrum::ntk_alpha{1e4, 3.0}.frequency(31, 64)).epsilon(1e-15));
    CHECK(rule.at_length(8193).frequency(31, 64) < rule.at_length(8192).frequency(31, 64));
    CHECK(rule.at_length(std::numeric_limits<index_t>::max()).frequency(31, 64) > 0.0);
    CHECK(refusal(spectrum::dynamic_ntk{1e4, 2.0, 0}.at_length(10)) ==
          "original_max_position_embeddings must be finite and above 0");
    CHECK(refusal(spectrum::dynamic_ntk{1e4, 0.0, 10}.at_length(10)) == "factor must be finite and above 0");
    CHECK(refusal(rule.at_length(10), 2) == "rotary_dim 2 is too small for this spectrum, which needs 4");
}

TEST_CASE("table_length: a longer sequence grows the table, one below the original length starts over") {
    spectrum::table_length kept{4096};
    CHECK_FALSE(kept.update(4096));
    CHECK(kept.update(5000));
    CHECK(kept.tokens == 5000);
    CHECK_FALSE(kept.update(4500));  // keeps the longer one's table
    CHECK(kept.tokens == 5000);
    CHECK_FALSE(kept.update(4096));  // the original length itself does not start over
    CHECK(kept.update(4095));
    CHECK(kept.tokens == 4096);
    CHECK_FALSE(kept.update(10));
    CHECK(kept.update(4097));
}

TEST_CASE("yarn keeps fast pairs, divides slow ones, blends between") {
    const spectrum::yarn rule{1e6, 4.0, 32768};
    const spectrum::geometric plain{1e6};
    CHECK(rule.slowness(0, 128) == 0.0);
    CHECK(rule.slowness(63, 128) == 1.0);
    CHECK(at(rule, 0, 128) == 1.0);
    CHECK(at(rule, 63, 128) == plain.frequency(63, 128) / 4.0);
    index_t between = 0;
    for (index_t l = 1; l < 64; ++l) {
        CHECK(rule.slowness(l, 128) >= rule.slowness(l - 1, 128));
        between += rule.slowness(l, 128) > 0.0 && rule.slowness(l, 128) < 1.0;
        CHECK(at(rule, l, 128) <= plain.frequency(l, 128));
        CHECK(at(rule, l, 128) >= plain.frequency(l, 128) / 4.0 * (1.0 - 1e-15));
    }
    CHECK(between == 16);  // pairs 24 to 39: the ends lie at 23 and 40
    // Found with a longer length the blend moves to slower pairs.
    spectrum::yarn moved = rule;
    moved.correction_length = 4 * 32768;
    index_t changed = 0;
    for (index_t l = 0; l < 64; ++l) changed += at(moved, l, 128) != at(rule, l, 128);
    CHECK(changed == 23);
}

TEST_CASE("yarn's attention scaling: given, from both scales, or from the factor") {
    spectrum::yarn rule{1e6, 4.0, 32768};
    CHECK(rule.attention_scaling() == Approx(1.138629436111989).epsilon(1e-15));
    rule.mscale = 0.707;
    CHECK(rule.attention_scaling() == Approx(1.138629436111989).epsilon(1e-15));
    rule.mscale_all_dim = 1.0;
    CHECK(rule.attention_scaling() ==
          Approx((0.1 * 0.707 * std::log(4.0) + 1.0) / (0.1 * std::log(4.0) + 1.0)).epsilon(1e-15));
    rule.attention_factor = 1.25;
    CHECK(rule.attention_scaling() == 1.25);
    CHECK(spectrum::yarn{1e6, 1.0, 32768}.attention_scaling() == 1.0);
    rule.attention_factor = -1.0;
    CHECK(refusal(rule) == "the attention scaling must be finite and above zero");
    rule.attention_factor = not_a_number;
    CHECK(refusal(rule) == "the attention scaling must be finite and above zero");
}

TEST_CASE("yarn refuses what it cannot blend") {
    const spectrum::yarn sound{1e6, 4.0, 32768};
    CHECK(refusal(sound) == "ok");
    const auto changed = [&](auto change) {
        spectrum::yarn rule = sound;
        change(rule);
        return refusal(rule);
    };
    CHECK(changed([](auto& y) { y.theta = 1.0; }) == "rope_theta must be finite and above 1");
    CHECK(changed([](auto& y) { y.theta = infinity; }) == "rope_theta must be finite and above 1");
    CHECK(changed([](auto& y) { y.factor = 0.0; }) == "factor must be finite and above 0");
    CHECK(changed([](auto& y) { y.original_length = -5; }) ==
          "original_max_position_embeddings must be finite and above 0");
    CHECK(changed([](auto& y) { y.correction_length = -5; }) == "the correction length must be finite and above 0");
    CHECK(changed([](auto& y) { y.beta_fast = not_a_number; }) == "beta_fast must be finite and above 0");
    CHECK(changed([](auto& y) { y.beta_slow = 0.0; }) == "beta_slow must be finite and above 0");
    CHECK(changed([](auto& y) { y.beta_slow = 33.0; }) == "beta_fast must be above its lower counterpart");
}

TEST_CASE("llama3 blends by wavelength") {
    const spectrum::llama3 rule{5e5, 8.0, 1.0, 4.0, 8192};
    const spectrum::geometric plain{5e5};
    index_t kept = 0, divided = 0;
    for (index_t l = 0; l < 64; ++l) {
        kept += at(rule, l, 128) == plain.frequency(l, 128);
        divided += at(rule, l, 128) == plain.frequency(l, 128) / 8.0;
        const double wavelength = 6.283185307179586 / plain.frequency(l, 128);
        if (wavelength < 2048.0) CHECK(at(rule, l, 128) == plain.frequency(l, 128));
        if (wavelength > 8192.0) CHECK(at(rule, l, 128) == plain.frequency(l, 128) / 8.0);
    }
    CHECK(kept == 29);
    CHECK(divided == 29);
    CHECK(refusal(spectrum::llama3{5e5, 8.0, 4.0, 4.0, 8192}) ==
          "high_freq_factor must be above its lower counterpart");
    CHECK(refusal(spectrum::llama3{5e5, 8.0, 0.0, 4.0, 8192}) == "low_freq_factor must be finite and above 0");
    CHECK(refusal(spectrum::llama3{5e5, 8.0, 1.0, not_a_number, 8192}) ==
          "high_freq_factor must be finite and above 0");
    CHECK(refusal(spectrum::llama3{5e5, infinity, 1.0, 4.0, 8192}) == "factor must be finite and above 0");
    CHECK(refusal(spectrum::llama3{5e5, 8.0, 1.0, 4.0, 0}) ==
          "original_max_position_embeddings must be finite and above 0");
}

TEST_CASE("longrope takes the list of its length, and its factor by name") {
    const spectrum::geometric plain{1e4};
    for (index_t l = 0; l < 32; ++l) {
        CHECK(long_rule.at_length(4096).frequency(l, 64) == plain.frequency(l, 64) / 1.5);
        CHECK(long_rule.at_length(4097).frequency(l, 64) == plain.frequency(l, 64) / 8.0);
    }
    const double ratio = std::sqrt(1.0 + std::log(32.0) / std::log(4096.0));
    CHECK(long_rule.attention_scaling() == Approx(ratio).epsilon(1e-15));
    auto rule = long_rule;
    rule.factor = 4.0;
    CHECK(rule.attention_scaling() == Approx(std::sqrt(1.0 + std::log(4.0) / std::log(4096.0))).epsilon(1e-15));
    rule.from = spectrum::longrope_factor::ratio;
    CHECK(rule.attention_scaling() == Approx(ratio).epsilon(1e-15));
    rule.attention_factor = 1.1;
    CHECK(rule.attention_scaling() == 1.1);
    rule = long_rule;
    rule.max_length = 2048;
    CHECK(rule.attention_scaling() == 1.0);

    const auto changed = [](auto change) {
        auto bad = long_rule;
        change(bad);
        return refusal(bad.at_length(1));
    };
    const std::vector<double> with_zero{1.0, 0.0};
    CHECK(changed([](auto& r) { r.pairs = 24; }) == "short_factor: entry 0 is 24, and must be 32");
    CHECK(changed([](auto& r) { r.long_factor = nullptr; }) ==
          "long_factor: the data pointer is null, and 32 elements are asked for");
    CHECK(changed([](auto& r) { r.original_length = 1; }) ==
          "original_max_position_embeddings must be finite and above 1");
    CHECK(changed([](auto& r) { r.max_length = 0; }) == "max_position_embeddings must be finite and above 0");
    CHECK(changed([](auto& r) { r.factor = -2.0; }) == "factor must be finite and above 0");
    CHECK(refusal(spectrum::longrope<double>{1e4, with_zero.data(), with_zero.data(), 2, 16, 32}.at_length(1), 4) ==
          "short_factor: entry 1 must be finite and above 0");
}

TEST_CASE("proportional and log_scaled at known points") {
    const spectrum::proportional half{1e4, 0.5};
    CHECK(at(half, 0, 8) == 1.0);
    CHECK(at(half, 1, 8) == Approx(0.1).epsilon(1e-15));
    CHECK(at(half, 2, 8) == 0.0);
    CHECK(at(spectrum::proportional{1e4, 1.0}, 3, 8) == spectrum::geometric{1e4}.frequency(3, 8));
    CHECK(refusal(spectrum::proportional{1e4, 1.5}) == "partial_rotary_factor must not exceed 1");
    CHECK(refusal(spectrum::proportional{1e4, 0.0}) == "partial_rotary_factor must be finite and above 0");
    CHECK(refusal(spectrum::proportional{1e4, 0.5, not_a_number}) == "factor must be finite and above 0");
    CHECK(at(spectrum::log_scaled{1e4, 2.0}, 1, 8) == Approx(std::sqrt(0.1)).epsilon(1e-15));
    CHECK(at(spectrum::log_scaled{1e4, 1.0}, 3, 8) == spectrum::geometric{1e4}.frequency(3, 8));
    CHECK(refusal(spectrum::log_scaled{1e4, 0.0}) == "log_freq_scale must be finite and above 0");
}

TEST_CASE("fault 34: scaled context was refused or wrong for multi-axis models", "[fault]") {
    const allocation::interleaved axes{thw{24, 20, 20}};
    const spectrum::yarn long_context{5e6, 3.0, 256000};
    const auto plain = make_frequency_table(axes, spectrum::geometric{5e6}, 128, pairing::half_split);
    const auto scaled = make_frequency_table(axes, long_context, 128, pairing::half_split);
    REQUIRE(scaled.ok());
    CHECK(scaled->attention_scaling() == Approx(1.109861).epsilon(1e-6));
    CHECK(spectrum::yarn{5e6, 4.0, 256000}.attention_scaling() == Approx(1.138629).epsilon(1e-6));
    index_t kept = 0, divided = 0;
    for (index_t l = 0; l < 64; ++l) {
        const pair_frequency &before = plain->at(0, l), &after = scaled->at(0, l);
        CHECK(after.which == before.which);
        // The blend goes by the index over all pairs, not over the pairs of an axis.
        const double slow = long_context.slowness(l, 128);
        CHECK(after.frequency ==
              Approx(before.frequency * (1.0 - slow) + before.frequency / 3.0 * slow).epsilon(1e-15));
        kept += after.frequency == before.frequency;
        divided += after.frequency == before.frequency / 3.0;
    }
    CHECK(kept > 20);
    CHECK(divided > 10);
    CHECK(kept + divided < 64);
}
