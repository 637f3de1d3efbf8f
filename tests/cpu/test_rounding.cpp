// How far a rotation is from the true one, and what the three directions are to each other.

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <utility>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

// One head of rotary_dim channels per token.
template <class T>
struct sample {
    rotary rope;
    std::vector<std::int32_t> positions;
    std::vector<T> before;
    [[nodiscard]] index_t tokens() const { return static_cast<index_t>(positions.size()); }
};

template <class T>
sample<T> draw(rope_shape shape, rotary_options options, std::uint64_t seed, index_t tokens = 256) {
    random_bits random(seed);
    shape.axes = 1;
    sample<T> made{make_rope(shape, options), {}, {}};
    for (index_t n = 0; n < tokens; ++n)
        made.positions.push_back(
            static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 24)));
    made.before = random_buffer<T>(tokens * shape.rotary_dim, random, values::ordinary);
    return made;
}

template <class T>
std::vector<T> rotated(const sample<T>& s, std::vector<T> data, direction way = direction::forward) {
    cpu::rotate_options options;
    options.way = way;
    REQUIRE(cpu::rotate(s.rope, axis_major(s.positions.data(), 1, s.tokens()),
                        compact_heads(data.data(), s.tokens(), 1, s.rope.rotary_dim()), no_heads<T>(), options)
                .ok());
    return data;
}

// Calls visit(n, l, i, j): token, pair and the places of its two channels.
template <class T, class Visit>
void each_pair(const sample<T>& s, Visit visit) {
    const index_t dim = s.rope.rotary_dim();
    for (index_t n = 0; n < s.tokens(); ++n)
        for (index_t l = 0; l < dim / 2; ++l)
            visit(n, l, static_cast<std::size_t>(n * dim + first_channel(s.rope.paired(), l)),
                  static_cast<std::size_t>(n * dim + second_channel(s.rope.paired(), l, dim)));
}

// The most by which a rotation of a sample misses the true one past half a unit of the result, over |x| + |y|.
template <class T>
double largest_beyond(const sample<T>& s, std::int64_t& compared) {
    using f = format<T>;
    const std::vector<T> after = rotated(s, s.before);
    double worst = 0.0;
    each_pair(s, [&](index_t n, index_t l, std::size_t i, std::size_t j) {
        if (LDBL_MANT_DIG != 64 && n % 16 != 0) return;
        long double const angle = static_cast<long double>(s.positions[static_cast<std::size_t>(n)]) *
                                  static_cast<long double>(s.rope.frequencies().at(0, l).frequency);
        long double const c = std::cos(angle), sine = std::sin(angle);
        long double const x = f::value(s.before[i]), y = f::value(s.before[j]);
        double const size = std::fabs(static_cast<double>(x)) + std::fabs(static_cast<double>(y));
        for (auto const& [found, truth] :
             {std::pair{after[i], x * c - y * sine}, std::pair{after[j], y * c + x * sine}}) {
            double const got = f::value(found);
            auto const error = static_cast<double>(std::fabs(static_cast<long double>(got) - truth));
            double const beyond = (error - 0.5 * f::unit(got)) / size;
            if (!(beyond <= worst)) worst = beyond;
            ++compared;
        }
    });
    return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("rounding::once is within half a unit of the result and 4e-7 of the pair", "", float, bf16, f16) {
    for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
        for (const double theta : {1e4, 5e6}) {
            std::int64_t compared = 0;
            CHECK(largest_beyond(draw<TestType>({128, 1, 1, paired, theta}, {}, 11), compared) <= 4e-7);
            CHECK(compared >= 256 * 128 / 16);
        }
    }
}

TEMPLATE_TEST_CASE("largest error of rounding::once past half a unit, over 5 million outputs", "[.long]", float, bf16,
                   f16) {
    std::int64_t compared = 0;
    const double worst = largest_beyond(draw<TestType>({128, 1, 1, pairing::half_split, 5e6}, {}, 12, 40000), compared);
    static constexpr const char* names[] = {"float32", "bfloat16", "float16"};
    std::printf("%s: half a unit + %.3g (|x| + |y|) over %lld outputs\n",
                names[static_cast<int>(element_traits<TestType>::kind)], worst, static_cast<long long>(compared));
    CHECK(worst <= 4e-7);
}

TEMPLATE_TEST_CASE("undo takes forward back, with an attention scaling too", "", float, bf16, f16) {
    using f = format<TestType>;
    for (const double scaling : {1.0, 1.138629436111989, 0.5}) {
        for (const rounding round : {rounding::once, rounding::float32_unfused}) {
            for (const phase angle : {phase::exact, phase::float32}) {
                rope_shape shape;
                shape.attention_scaling = scaling;
                const sample<TestType> s = draw<TestType>(shape, {angle, round}, 12);
                const std::vector<TestType> back = rotated(s, rotated(s, s.before), direction::undo);
                double worst = 0.0;
                each_pair(s, [&](index_t, index_t, std::size_t i, std::size_t j) {
                    const double x = f::value(s.before[i]), y = f::value(s.before[j]),
                                 size = std::fabs(x) + std::fabs(y);
                    // Both passes round once; the first rounding comes back divided by the scaling.
                    const double allowed =
                        0.5 * (f::unit(size * scaling) / scaling * 1.5 + f::unit(size)) + 1e-6 * size;
                    worst = std::fmax(worst, std::fabs(f::value(back[i]) - x) / allowed);
                    worst = std::fmax(worst, std::fabs(f::value(back[j]) - y) / allowed);
                });
                CHECK(worst <= 1.0);
                CHECK(worst > 0.01);
            }
        }
    }
}

TEMPLATE_TEST_CASE("transpose is the gradient: it keeps the scaling, undo divides by it", "", float) {
    rope_shape shape;
    shape.attention_scaling = 1.25;  // its inverse is exact, and so is every product with it
    const sample<float> s = draw<float>(shape, {}, 13);
    random_bits random(14);
    const std::vector<float> other =
        random_buffer<float>(static_cast<index_t>(s.before.size()), random, values::ordinary);
    const std::vector<float> forward = rotated(s, s.before), gradient = rotated(s, other, direction::transpose);
    double left = 0.0, right = 0.0, size = 0.0, lengths = 0.0, was = 0.0;
    for (std::size_t i = 0; i < other.size(); ++i) {
        left += static_cast<double>(forward[i]) * static_cast<double>(other[i]);
        right += static_cast<double>(s.before[i]) * static_cast<double>(gradient[i]);
        size += std::fabs(static_cast<double>(forward[i]) * static_cast<double>(other[i]));
        lengths += static_cast<double>(forward[i]) * static_cast<double>(forward[i]);
        was += static_cast<double>(s.before[i]) * static_cast<double>(s.before[i]);
    }
    CHECK(std::fabs(left - right) <= 1e-6 * size);
    CHECK(std::fabs(lengths / was - 1.25 * 1.25) < 1e-5);
    const std::vector<float> undone = rotated(s, other, direction::undo);
    for (std::size_t i = 0; i < other.size(); ++i)
        REQUIRE(std::fabs(static_cast<double>(undone[i]) * 1.5625 - static_cast<double>(gradient[i])) <= 2e-6 * 8.0);
}

TEMPLATE_TEST_CASE("position 0 turns nothing: finite values keep their bits but for the sign of zeros", "", float, bf16,
                   f16) {
    rope_shape shape;
    shape.axes = 1;
    for (const rounding round :
         {rounding::once, rounding::float32_unfused, rounding::table_cast_float32, rounding::table_cast_each}) {
        for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
            shape.paired = paired;
            const rotary rope = make_rope(shape, {phase::exact, round});
            random_bits random(15);
            const std::vector<TestType> before = random_buffer<TestType>(50 * 64, random, values::finite);
            const std::vector<std::int32_t> zeros(50, 0);
            for (const cpu::level use : levels_here()) {
                std::vector<TestType> after = before;
                cpu::rotate_options options;
                options.use = use;
                REQUIRE(cpu::rotate(rope, axis_major(zeros.data(), 1, 50), compact_heads(after.data(), 50, 1, 64),
                                    no_heads<TestType>(), options)
                            .ok());
                std::int64_t off = 0;
                for (std::size_t i = 0; i < after.size(); ++i) {
                    const bool zero =
                        format<TestType>::value(before[i]) == 0.0 && format<TestType>::value(after[i]) == 0.0;
                    off += bits_of(before[i]) == bits_of(after[i]) || zero ? 0 : 1;
                }
                CHECK(off == 0);
            }
        }
    }
}

TEST_CASE("infinities and NaN come out where arithmetic puts them") {
    rope_shape shape;
    shape.axes = 1;
    shape.rotary_dim = 4;
    const rotary rope = make_rope(shape);
    const std::int32_t at[] = {1, 1, 1};
    const float inf = INFINITY, nan = std::nanf("");
    for (const cpu::level use : levels_here()) {
        float q[] = {inf, 1, 2, 3, /**/ nan, 1, 2, 3, /**/ -inf, 1, inf, 3};
        cpu::rotate_options options;
        options.use = use;
        REQUIRE(cpu::rotate(rope, axis_major(at, 1, 3), compact_heads(q, 3, 1, 4), no_heads<float>(), options).ok());
        CHECK(q[0] == inf);  // inf cos 1 - 2 sin 1
        CHECK(q[2] == inf);
        CHECK(is_nan(q[4]));
        CHECK(is_nan(q[6]));
        CHECK(q[8] == -inf);
        CHECK(is_nan(q[10]));  // inf cos 1 - inf sin 1
        // The other pair of each head is not touched by it.
        CHECK(std::fabs(q[1]) < 10.0f);
        CHECK(std::fabs(q[5]) < 10.0f);
        CHECK(q[1] == q[5]);
        CHECK(q[1] == q[9]);
    }
}

TEST_CASE("halves past the largest number become infinity, as their conversion does") {
    rope_shape shape;
    shape.axes = 1;
    shape.rotary_dim = 2;
    const rotary rope = make_rope(shape);
    const std::int32_t at[] = {-1};
    for (const cpu::level use : levels_here()) {
        cpu::rotate_options options;
        options.use = use;
        f16 q[] = {{0x7bff}, {0x7bff}};  // 65504 twice: its rotation by -1 radian reaches past 65504
        REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(q, 1, 1, 2), no_heads<f16>(), options).ok());
        CHECK(q[0].bits == 0x7c00);
        CHECK((q[1].bits & 0x7c00) != 0x7c00);
        bf16 b[] = {{0x7f7f}, {0x7f7f}};
        REQUIRE(cpu::rotate(rope, axis_major(at, 1, 1), compact_heads(b, 1, 1, 2), no_heads<bf16>(), options).ok());
        CHECK(b[0].bits == 0x7f80);
    }
}
