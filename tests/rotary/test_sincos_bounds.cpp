// The bounds that rotary/phase.hpp states, for the bases of the models, whole and fractional positions of both signs.
// The largest errors that were measured over more positions are in docs/numerics.md.

#include <cstdio>

#include "../cpu/random.hpp"
#include "support/catch.hpp"
#include "truth.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr double bases[] = {1e4, 1e6, 5e6, 1e7};
constexpr double to_2_20 = 1.1e-7, to_2_24 = 1.3e-7, to_2_31 = 2e-7;

// Half of them anywhere up to `most`, half close to it; both signs.
std::vector<double> positions_up_to(double most, bool whole, std::uint64_t seed, int count = 1200) {
    random_bits random(seed);
    std::vector<double> all;
    for (int i = 0; i < count / thinning; ++i) {
        const double part = std::ldexp(static_cast<double>(random() >> 12), -52);
        double p = i % 2 == 0 ? most * part : most * (1.0 - part * part * part / 64.0);
        if (whole) p = std::nearbyint(p);
        if (p > most) p = most;
        all.push_back(random.chance(50) ? p : -p);
    }
    all.push_back(most);
    all.push_back(-most);
    all.push_back(0.0);
    all.push_back(-0.0);
    return all;
}

template <class P>
std::vector<P> as(const std::vector<double>& positions) {
    std::vector<P> all;
    for (const double p : positions) all.push_back(static_cast<P>(p));
    return all;
}

}  // namespace

TEST_CASE("sine and cosine are right to 1.1e-7 up to 2^20") {
    for (const double base : bases) {
        const rotary rope = one_axis(base, 128);
        for (const double most : {64.0, 4096.0, 131072.0, 1048576.0}) {
            INFO("base " << base << " up to " << most);
            CHECK(largest_error(rope, as<std::int32_t>(positions_up_to(most, true, 1))) <= to_2_20);
            CHECK(largest_error(rope, as<float>(positions_up_to(most, false, 2))) <= to_2_20);
            CHECK(largest_error(rope, positions_up_to(most, false, 3)) <= to_2_20);
        }
    }
}

TEST_CASE("sine and cosine are right to 1.3e-7 up to 2^24") {
    for (const double base : bases) {
        const rotary rope = one_axis(base, 128);
        INFO("base " << base);
        CHECK(largest_error(rope, as<std::int32_t>(positions_up_to(16777216.0, true, 4))) <= to_2_24);
        CHECK(largest_error(rope, as<float>(positions_up_to(16777216.0, false, 5))) <= to_2_24);
        CHECK(largest_error(rope, positions_up_to(16777216.0, false, 6)) <= to_2_24);
    }
}

TEST_CASE("sine and cosine are right to 2e-7 for every int32 position, and for real ones of that size") {
    for (const double base : bases) {
        const rotary rope = one_axis(base, 128);
        INFO("base " << base);
        std::vector<std::int32_t> ends;
        for (int i = 0; i < 400 / thinning; ++i) {
            ends.push_back(INT32_MAX - i);
            ends.push_back(INT32_MIN + i);
            ends.push_back(16777216 + i);
            ends.push_back(-16777216 - i);
            ends.push_back(i * 65536 * 80 + 32768);  // half way between two blocks
            ends.push_back(-i * 65536 * 80 - 32768);
        }
        CHECK(largest_error(rope, ends) <= to_2_31);
        CHECK(largest_error(rope, std::vector<std::int64_t>(ends.begin(), ends.end())) <= to_2_31);
        CHECK(largest_error(rope, as<std::int32_t>(positions_up_to(2147483647.0, true, 7))) <= to_2_31);
        CHECK(largest_error(rope, as<float>(positions_up_to(2147483520.0, false, 8))) <= to_2_31);
        CHECK(largest_error(rope, positions_up_to(2147483647.5, false, 9)) <= to_2_31);
        CHECK(largest_error(rope, std::vector<double>{-2147483648.0, 2147483647.999, 16777216.5, -16777217.25}) <=
              to_2_31);
    }
}

TEST_CASE("a fraction far from the origin is not rounded through float32") {
    const rotary rope = one_axis(1e6, 64);
    for (const double p : {1000000.03, 16777215.99, 123456789.125, -2000000000.75}) {
        INFO(p);
        const std::vector<float> exact = cos_sin_of(rope, std::vector<double>{p});
        const std::vector<float> rounded =
            cos_sin_of(rope, std::vector<double>{static_cast<double>(static_cast<float>(p))});
        REQUIRE(exact.size() == 64);
        CHECK(exact != rounded);
    }
}

TEST_CASE("other frequencies keep the bounds: slow, fast, negative, zero and handed in") {
    const std::vector<double> frequencies = {1e-30, 1e-9, 3.0, 100.53096491487338, -0.7, -12.5, 0.0, 6.283185307179586};
    const rotary rope =
        make_rotary(make_frequency_table(allocation::single_axis{},
                                         spectrum::explicit_frequencies{frequencies.data(), 8}, 16, pairing::adjacent)
                        .value())
            .value();
    // The bounds are those of angles: past one radian per position they hold for so much smaller positions.
    CHECK(largest_error(rope, as<std::int32_t>(positions_up_to(1048576.0 / 128.0, true, 10))) <= to_2_20);
    CHECK(largest_error(rope, positions_up_to(1048576.0 / 128.0, false, 11)) <= to_2_20);
    CHECK(largest_error(rope, as<float>(positions_up_to(16777216.0 / 128.0, false, 12))) <= to_2_24);
}

TEST_CASE("zero turns nothing, and the turn of a negative position is the turn back") {
    const rotary rope = one_axis(5e6, 128);
    for (const double zero : {0.0, -0.0}) {
        const std::vector<float> row = cos_sin_of(rope, std::vector<double>{zero});
        for (std::size_t l = 0; l < 64; ++l) {
            CHECK(row[2 * l] == 1.0f);
            CHECK(row[2 * l + 1] == 0.0f);
        }
    }
    std::vector<std::int32_t> there, back;
    for (std::int32_t p = 1; p < 2000000000 && p > 0; p = p < 1000000000 ? p * 2 + 1 : 2000000000) {
        there.push_back(p);
        back.push_back(-p);
    }
    const std::vector<float> forth = cos_sin_of(rope, there), home = cos_sin_of(rope, back);
    REQUIRE(forth.size() == home.size());
    double cosines = 0.0, sines = 0.0;
    for (std::size_t i = 0; i < forth.size(); i += 2) {
        cosines = std::fmax(cosines, std::fabs(static_cast<double>(forth[i]) - static_cast<double>(home[i])));
        sines = std::fmax(sines, std::fabs(static_cast<double>(forth[i + 1]) + static_cast<double>(home[i + 1])));
    }
    CHECK(cosines <= 2.0 * to_2_31);
    CHECK(sines <= 2.0 * to_2_31);
}

TEST_CASE("largest errors over 40 000 positions of each kind", "[.long]") {
    std::printf("%-10s %-10s %10s %10s %10s\n", "base", "up to", "int32", "float32", "float64");
    for (const double base : bases) {
        const rotary rope = one_axis(base, 128);
        for (const int exponent : {12, 17, 20, 24, 31}) {
            const double most = exponent == 31 ? 2147483520.0 : std::ldexp(1.0, exponent),
                         bound = exponent <= 20   ? to_2_20
                                 : exponent <= 24 ? to_2_24
                                                  : to_2_31;
            const double whole = largest_error(rope, as<std::int32_t>(positions_up_to(most, true, 21, 40000)));
            const double narrow = largest_error(rope, as<float>(positions_up_to(most, false, 22, 40000)));
            const double wide = largest_error(rope, positions_up_to(most, false, 23, 40000));
            std::printf("%-10g 2^%-8d %10.3g %10.3g %10.3g\n", base, exponent, whole, narrow, wide);
            CHECK(whole <= bound);
            CHECK(narrow <= bound);
            CHECK(wide <= bound);
        }
    }
}
