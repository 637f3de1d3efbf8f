// The value that kernels read, and the scalar forms that they repeat.

#include <cmath>
#include <cstring>
#include <type_traits>

#include "../cpu/random.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/rotary/direction.hpp"
#include "polyrope/rotary/rotary.hpp"
#include "polyrope/rotary/rotation.hpp"
#include "polyrope/rotary/table.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {
frequency_table qwen3_frequencies() {
    return make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                pairing::half_split)
        .value();
}
}  // namespace

TEST_CASE("a rotary is its frequency table, its phase and its rounding") {
    const rotary rope = make_rotary(qwen3_frequencies(), {phase::float32, rounding::table_cast_each}).value();
    CHECK(rope.rotary_dim() == 128);
    CHECK(rope.pairs() == 64);
    CHECK(rope.axes() == 3);
    CHECK(rope.paired() == pairing::half_split);
    CHECK(rope.angle() == phase::float32);
    CHECK(rope.round() == rounding::table_cast_each);
    const rotary plain = make_rotary(qwen3_frequencies()).value();
    CHECK(plain.angle() == phase::exact);
    CHECK(plain.round() == rounding::once);
    const rotary copy = plain;
    CHECK(copy.frequencies().at(0, 5).frequency == plain.frequencies().at(0, 5).frequency);
    CHECK(copy.lanes(0) != plain.lanes(0));
    CHECK(std::memcmp(copy.lanes(0), plain.lanes(0), sizeof(detail::pair_lanes) * 4) == 0);
    static_assert(std::is_nothrow_move_constructible_v<rotary>, "a rotary moves without a copy");
    static_assert(std::is_nothrow_default_constructible_v<rotary>, "results hold an empty rotary");
    CHECK(rotary{}.rotary_dim() == 0);
}

TEST_CASE("kernel lanes hold the table's numbers, and lanes without a pair turn nothing") {
    for (const index_t dim :
         {index_t{2}, index_t{30}, index_t{32}, index_t{34}, index_t{64}, index_t{66}, index_t{256}, index_t{1024}}) {
        std::vector<axis> which;
        for (index_t l = 0; l < dim; ++l) which.push_back(l % 5 == 4 ? axis_none : static_cast<axis>(l % 3));
        const rotary rope = make_rotary(make_frequency_table(allocation::per_pair{which.data(), dim / 2, 3, 2},
                                                             spectrum::geometric{1e6}, dim, pairing::adjacent)
                                            .value())
                                .value();
        CHECK(rope.lane_blocks() % 2 == 0);
        CHECK(16 * rope.lane_blocks() >= rope.pairs());
        for (index_t group = 0; group < 2; ++group) {
            for (index_t l = 0; l < 16 * rope.lane_blocks(); ++l) {
                const detail::pair_lanes& block = rope.lanes(group)[l / 16];
                const index_t i = l % 16;
                const bool turns = l < rope.pairs() && rope.frequencies().at(group, l).which != axis_none;
                const pair_frequency pair = turns ? rope.frequencies().at(group, l) : pair_frequency{};
                REQUIRE(block.axis[i] == (turns ? static_cast<int>(pair.which) : max_axes));
                REQUIRE(block.turns_hi[i] == pair.turns_hi);
                REQUIRE(block.turns_lo[i] == pair.turns_lo);
                REQUIRE(block.wrapped_hi[i] == pair.wrapped_hi);
                REQUIRE(block.wrapped_lo[i] == pair.wrapped_lo);
                REQUIRE(block.inv_freq[i] == pair.inv_freq);
            }
        }
        CHECK(reinterpret_cast<std::uintptr_t>(rope.lanes(0)) % 64 == 0);
    }
}

TEST_CASE("the long road of a position gives the bits of the short one where both may be taken") {
    const frequency_table table = qwen3_frequencies();
    random_bits random(1);
    std::int64_t off = 0;
    for (int i = 0; i < 200000; ++i) {
        const pair_frequency& pair = table.at(0, random.between(0, 63));
        const auto p = static_cast<float>(random.between(-16777216, 16777216) >> random.between(0, 24)) *
                       (random.chance(50) ? 1.0f : 0.0078125f);
        float s0 = 0, c0 = 0, s1 = 0, c1 = 0;
        detail::scalar::sincos_turns(p, pair.turns_hi, pair.turns_lo, s0, c0);
        detail::scalar::sincos_turns_split(0.0f, p, 0.0f, pair.turns_hi, pair.turns_lo, pair.wrapped_hi,
                                           pair.wrapped_lo, s1, c1);
        off += bits_of(s0) == bits_of(s1) && bits_of(c0) == bits_of(c1) ? 0 : 1;
    }
    CHECK(off == 0);
}

TEST_CASE("the scalar turn is the formula") {
    random_bits random(2);
    for (int i = 0; i < 1000; ++i) {
        float v[4];
        for (float& one : v) put_random(one, random, values::ordinary);
        float x = v[0], y = v[1];
        detail::scalar::turn(rounding::once, element::float32, x, y, v[2], v[3]);
        const double wx = static_cast<double>(v[0]) * static_cast<double>(v[2]) -
                          static_cast<double>(v[1]) * static_cast<double>(v[3]);
        const double wy = static_cast<double>(v[1]) * static_cast<double>(v[2]) +
                          static_cast<double>(v[0]) * static_cast<double>(v[3]);
        const double size = std::fabs(static_cast<double>(v[0] * v[2])) + std::fabs(static_cast<double>(v[1] * v[3])) +
                            std::fabs(static_cast<double>(v[1] * v[2])) + std::fabs(static_cast<double>(v[0] * v[3]));
        REQUIRE(std::fabs(static_cast<double>(x) - wx) <= 1.3e-7 * size);
        REQUIRE(std::fabs(static_cast<double>(y) - wy) <= 1.3e-7 * size);
    }
    // Roundings differ where they should: 1/3 and products of it are not bfloat16 numbers.
    float x = 1.25f, y = 0.75f, x2 = x, y2 = y;
    detail::scalar::turn(rounding::float32_unfused, element::bfloat16, x, y, 1.0f / 3.0f, 0.7f);
    detail::scalar::turn(rounding::table_cast_each, element::bfloat16, x2, y2, 1.0f / 3.0f, 0.7f);
    CHECK(x != x2);
    CHECK(detail::scalar::round_to(element::float16, 1.0f / 3.0f) == Approx(0.33325195));
    CHECK(detail::scalar::round_to(element::bfloat16, 1.0f / 3.0f) == Approx(0.33398438));
    CHECK(detail::scalar::round_to(element::float32, 1.0f / 3.0f) == 1.0f / 3.0f);
}

TEST_CASE("views of tables carry rows, strides and meaning, and become read only") {
    float a[1], b[1];
    const cos_sin_view<float> pairs = pairs_table(a, 7, 64, table_rows::positions);
    CHECK(pairs.row_stride == 64);
    CHECK(pairs.rows == 7);
    CHECK(pairs.layout == table_layout::pairs);
    CHECK(pairs.rows_are == table_rows::positions);
    const cos_sin_view<const float> read = doubled_table(a, b, 3, 128, table_rows::tokens);
    CHECK(read.cos == a);
    CHECK(read.sin == b);
    CHECK(read.row_stride == 128);
    CHECK(read.layout == table_layout::doubled);
    CHECK(halves_table(a, 1, 8, table_rows::tokens).layout == table_layout::halves);
    static_assert(!std::is_convertible_v<cos_sin_view<const float>, cos_sin_view<float>>,
                  "a table that is read cannot be filled");
}
