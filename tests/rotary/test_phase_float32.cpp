// phase::float32: one float32 product of position and inv_freq, and the float32 sine and cosine of that very angle.

#include "../cpu/random.hpp"
#include "support/catch.hpp"
#include "truth.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

// Units in the last place from a to b.
std::int64_t units_apart(float a, float b) {
    const auto line = [](float v) {
        const auto bits = static_cast<std::int64_t>(bits_of(v));
        return bits < 0x80000000 ? bits : 0x80000000 - bits;
    };
    const std::int64_t d = line(a) - line(b);
    return d < 0 ? -d : d;
}

struct tally {
    std::int64_t seen = 0, off = 0, worst = 0;
};

template <class P>
void compare(const rotary& rope, const std::vector<P>& positions, tally& t) {
    const std::vector<float> table = cos_sin_of(rope, positions);
    REQUIRE(table.size() == positions.size() * static_cast<std::size_t>(rope.rotary_dim()));
    std::size_t at = 0;
    for (const P p : positions) {
        for (index_t l = 0; l < rope.pairs(); ++l, at += 2) {
            const volatile float angle = static_cast<float>(p) * rope.frequencies().at(0, l).inv_freq;
            const auto c = static_cast<float>(std::cos(static_cast<long double>(angle)));
            const auto s = static_cast<float>(std::sin(static_cast<long double>(angle)));
            for (const std::int64_t d : {units_apart(table[at], c), units_apart(table[at + 1], s)}) {
                ++t.seen;
                t.off += d != 0 ? 1 : 0;
                t.worst = d > t.worst ? d : t.worst;
            }
        }
    }
}

}  // namespace

TEST_CASE("phase::float32 gives the rounded sine and cosine of the float32 angle") {
    random_bits random(1);
    tally t;
    for (const double base : {1e4, 1e6, 5e6, 1e7}) {
        const rotary rope = one_axis(base, 128, phase::float32);
        std::vector<std::int32_t> whole;
        std::vector<float> real;
        std::vector<double> wide;
        std::vector<std::int64_t> long_whole;
        for (int i = 0; i < 2000 / thinning; ++i) {
            const auto p = static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31));
            whole.push_back(p);
            long_whole.push_back(p);
            real.push_back(std::ldexp(static_cast<float>(p), -static_cast<int>(random.between(0, 24))));
            wide.push_back(std::ldexp(static_cast<double>(p), -static_cast<int>(random.between(0, 24))));
        }
        whole.push_back(INT32_MAX);
        whole.push_back(INT32_MIN);
        compare(rope, whole, t);
        compare(rope, long_whole, t);
        compare(rope, real, t);
        compare(rope, wide, t);
    }
    CHECK(t.seen > 4000000 / thinning);
    CHECK(t.worst <= 1);
    // One in about 1e8 may be a unit off.
    CHECK(t.off <= 2);
}

TEST_CASE("phase::float32 holds for angles past 2^31, and frequencies that would leave 2^51 behind are refused") {
    std::vector<double> frequencies = {1.7, -3.25, 1000.5, 65536.0, -1048576.0, 1048575.9375};
    const rotary rope =
        make_rotary(make_frequency_table(allocation::single_axis{},
                                         spectrum::explicit_frequencies{frequencies.data(), 6}, 12, pairing::adjacent)
                        .value(),
                    {phase::float32, rounding::once})
            .value();
    random_bits random(2);
    std::vector<std::int32_t> positions = {INT32_MAX, INT32_MIN, INT32_MAX - 1, 1 << 30, 0};
    for (int i = 0; i < 4000 / thinning; ++i)
        positions.push_back(static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 12)));
    tally t;
    compare(rope, positions, t);
    CHECK(t.worst <= 1);
    CHECK(t.off <= 1);

    frequencies[3] = 1048577.0;
    const status s =
        make_rotary(make_frequency_table(allocation::single_axis{},
                                         spectrum::explicit_frequencies{frequencies.data(), 6}, 12, pairing::adjacent)
                        .value())
            .error();
    CHECK(s == status{errc::capacity_exceeded, operand::pair, 3, 1048576, 1048577});
    frequencies[3] = -1e30;
    CHECK(make_rotary(make_frequency_table(allocation::single_axis{},
                                           spectrum::explicit_frequencies{frequencies.data(), 6}, 12, pairing::adjacent)
                          .value())
              .error()
              .code == errc::capacity_exceeded);
}

TEST_CASE("the two phases differ far from the origin as stated, and agree near it") {
    const rotary exact = one_axis(5e6, 128), product = one_axis(5e6, 128, phase::float32);
    const auto apart = [&](std::int32_t p) {
        const std::vector<float> a = cos_sin_of(exact, std::vector<std::int32_t>{p}),
                                 b = cos_sin_of(product, std::vector<std::int32_t>{p});
        double worst = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i)
            worst = std::fmax(worst, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        return worst;
    };
    CHECK(apart(100) < 1e-5);
    CHECK(apart(4096) > 1e-5);
    CHECK(apart(4096) < 2e-4);
    CHECK(apart(1000000) > 3e-3);
    CHECK(apart(1000000) < 6e-2);
}

TEST_CASE("fault 41: angles lost bits in the element type of the tensors") {
    const std::vector<double> one = {1.0};
    const rotary rope =
        make_rotary(make_frequency_table(allocation::single_axis{}, spectrum::explicit_frequencies{one.data(), 1}, 2,
                                         pairing::adjacent)
                        .value())
            .value();
    CHECK(std::fabs(static_cast<double>(cos_sin_of(rope, std::vector<std::int32_t>{15962})[0]) + 0.908016) < 1e-6);
}

TEST_CASE("fault 42: fractional visual steps lost their fraction") {
    const rotary rope = one_axis(1e4, 64);
    std::vector<double> positions;
    for (int i = 0; i < 16; ++i) positions.push_back(300.0 + 0.25 * i);
    std::vector<float> narrow(positions.begin(), positions.end());
    const std::vector<float> wide_row = cos_sin_of(rope, positions), narrow_row = cos_sin_of(rope, narrow);
    CHECK(wide_row == narrow_row);
    for (std::size_t i = 1; i < positions.size(); ++i) {
        // The turn from one token to the next is that of 0.25 x frequency on every pair.
        for (std::size_t l = 0; l < 32; ++l) {
            const double c0 = static_cast<double>(wide_row[64 * (i - 1) + 2 * l]),
                         s0 = static_cast<double>(wide_row[64 * (i - 1) + 2 * l + 1]);
            const double c1 = static_cast<double>(wide_row[64 * i + 2 * l]),
                         s1 = static_cast<double>(wide_row[64 * i + 2 * l + 1]);
            const double step = 0.25 * rope.frequencies().at(0, static_cast<index_t>(l)).frequency;
            CHECK(std::fabs(std::atan2(s1 * c0 - c1 * s0, c1 * c0 + s1 * s0) - step) < 4e-7);
        }
    }
}
