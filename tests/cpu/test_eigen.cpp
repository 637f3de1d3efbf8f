// The portable rotation for any Eigen scalar beside the kernels, the definition in long double, and automatic
// differentiation.

#include <cmath>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/cpu/eigen.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

// A number and its derivative: enough of a scalar for Eigen's arrays.
struct dual {
    double v = 0.0, d = 0.0;
    dual() = default;
    dual(double value) : v(value) {}
    dual(double value, double derivative) : v(value), d(derivative) {}
    friend dual operator+(dual a, dual b) { return {a.v + b.v, a.d + b.d}; }
    friend dual operator-(dual a, dual b) { return {a.v - b.v, a.d - b.d}; }
    friend dual operator-(dual a) { return {-a.v, -a.d}; }
    friend dual operator*(dual a, dual b) { return {a.v * b.v, a.v * b.d + a.d * b.v}; }
    friend dual operator/(dual a, dual b) { return {a.v / b.v, (a.d * b.v - a.v * b.d) / (b.v * b.v)}; }
    friend bool operator==(dual a, dual b) { return a.v == b.v && a.d == b.d; }
    dual& operator/=(dual b) { return *this = *this / b; }
};

struct drawn {
    rotary rope;
    std::vector<std::int32_t> at;
    std::vector<float> x;
};

drawn draw(random_bits& random, phase angle) {
    rope_shape shape;
    static constexpr index_t dims[] = {2, 10, 64, 128};
    shape.rotary_dim = random.one_of(dims);
    shape.paired = any_pairing(random, shape.rotary_dim);
    shape.groups = random.chance(50) ? 1 : 2;
    shape.attention_scaling = random.chance(50) ? 1.0 : 1.25;
    shape.leaves_pairs_out = random.chance(50);
    drawn made{make_rope(shape, {angle, rounding::once}), {}, {}};
    for (int i = 0; i < 3 * 6; ++i)
        made.at.push_back(static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31)));
    made.x = random_buffer<float>(6 * 2 * (shape.rotary_dim + 4), random, values::ordinary);
    return made;
}

template <class S>
heads_view<S> heads(std::vector<S>& x) {
    return compact_heads(x.data(), 6, 2, static_cast<index_t>(x.size()) / 12);
}

}  // namespace

TEST_CASE("the Eigen rotation agrees with the kernels within float32, in float, double and long double") {
    random_bits random(91);
    for (int round = 0; round < 60; ++round) {
        const drawn one = draw(random, round % 2 == 0 ? phase::exact : phase::float32);
        const auto at = axis_major(one.at.data(), 3, 6);
        for (const direction way : {direction::forward, direction::transpose, direction::undo}) {
            cpu::rotate_options options;
            options.way = way;
            std::vector<float> kernel = one.x, narrow = one.x;
            std::vector<double> wide(one.x.begin(), one.x.end());
            std::vector<long double> widest(one.x.begin(), one.x.end());
            REQUIRE(cpu::rotate(one.rope, at, heads(kernel), no_heads<float>(), options).ok());
            REQUIRE(cpu::eigen::rotate(one.rope, at, heads(narrow), way).ok());
            REQUIRE(cpu::eigen::rotate(one.rope, at, heads(wide), way).ok());
            REQUIRE(cpu::eigen::rotate(one.rope, at, heads(widest), way).ok());
            for (std::size_t i = 0; i < kernel.size(); ++i) {
                INFO("round " << round << " way " << static_cast<int>(way) << " element " << i);
                // Pairs are at most 16 long: 4e-7 (|x| + |y|) and a rounding.
                REQUIRE(std::fabs(static_cast<double>(kernel[i]) - wide[i]) < 4e-7 * 32.0 * 1.25 + 2e-6);
                REQUIRE(std::fabs(static_cast<double>(narrow[i]) - wide[i]) < 1e-5);
                // Doubles lose the angle's last bits: 2^31 at 53 of them.
                REQUIRE(std::fabs(static_cast<double>(widest[i]) - wide[i]) < 4e-5);
            }
        }
    }
}

TEST_CASE("undo of the Eigen rotation is its inverse to the last bits of its scalar") {
    random_bits random(92);
    for (int round = 0; round < 20; ++round) {
        const drawn one = draw(random, phase::exact);
        const std::vector<double> before(one.x.begin(), one.x.end());
        std::vector<double> x = before;
        const auto at = axis_major(one.at.data(), 3, 6);
        REQUIRE(cpu::eigen::rotate(one.rope, at, heads(x)).ok());
        REQUIRE(cpu::eigen::rotate(one.rope, at, heads(x), direction::undo).ok());
        for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(std::fabs(x[i] - before[i]) < 1e-13);
    }
}

TEST_CASE("transpose is the derivative that automatic differentiation finds") {
    random_bits random(93);
    const drawn one = draw(random, phase::exact);
    const auto at = axis_major(one.at.data(), 3, 6);
    const std::size_t size = one.x.size();
    // The derivative of output 0 and of output 5 of the first head by every input, against the
    // transpose of unit vectors.
    for (const std::size_t out : {std::size_t{0}, std::size_t{1}}) {
        std::vector<double> gradient(size, 0.0);
        gradient[out] = 1.0;
        REQUIRE(cpu::eigen::rotate(one.rope, at, heads(gradient), direction::transpose).ok());
        for (std::size_t in = 0; in < size / 12; ++in) {
            std::vector<dual> x(one.x.begin(), one.x.end());
            x[in].d = 1.0;
            REQUIRE(cpu::eigen::rotate(one.rope, at, heads(x)).ok());
            CHECK(x[out].d == Approx(gradient[in]).margin(1e-12));
        }
    }
}

TEST_CASE("the Eigen rotation refuses what the kernels refuse") {
    const rotary rope = make_rope({});
    std::vector<double> x(60, 1.0);
    const std::int32_t at[] = {1, 2, 3};
    CHECK(cpu::eigen::rotate(rope, axis_major(at, 3, 1), compact_heads(x.data(), 1, 1, 60)) ==
          status{errc::rotary_dim_too_large, operand::q, 0, 60, 64});
    x.assign(64, 1.0);
    CHECK(cpu::eigen::rotate(rope, axis_major(at, 2, 1), compact_heads(x.data(), 1, 1, 64)).code ==
          errc::axis_count_mismatch);
    CHECK(cpu::eigen::rotate(rope, axis_major(at, 3, 0), compact_heads(x.data(), 1, 1, 64)).code ==
          errc::extent_mismatch);
    CHECK(x == std::vector<double>(64, 1.0));
    CHECK(cpu::eigen::rotate(rope, axis_major(at, 3, 0), compact_heads(x.data(), 0, 1, 64)).ok());
}
