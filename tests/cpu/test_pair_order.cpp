// Weights reordered for the other pairing: permuting commutes with rotating, to the bit.

#include <cstring>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/rotary/pair_order.hpp"
#include "make_rope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("source_channel as drawn, and back") {
    std::string drawn;
    for (index_t channel = 0; channel < 10; ++channel)
        drawn += std::to_string(source_channel(channel, 8, pairing::half_split, pairing::adjacent)) + " ";
    CHECK(drawn == "0 4 1 5 2 6 3 7 8 9 ");
    for (const index_t rotary_dim : {0, 2, 6, 64})
        for (index_t channel = 0; channel < 70; ++channel) {
            const index_t there = source_channel(channel, rotary_dim, pairing::half_split, pairing::adjacent);
            CHECK(source_channel(there, rotary_dim, pairing::adjacent, pairing::half_split) == channel);
            CHECK(source_channel(channel, rotary_dim, pairing::adjacent, pairing::adjacent) == channel);
        }
    // Blocks, through every other pairing and back.
    for (const pairing from : pairings_of(72))
        for (const pairing to : pairings_of(72))
            for (index_t channel = 0; channel < 80; ++channel)
                CHECK(source_channel(source_channel(channel, 72, from, to), 72, to, from) == channel);
}

TEST_CASE("permuting the projection commutes with rotating, partial rotation included") {
    random_bits random(9);
    for (const index_t rotary_dim : {64, 48, 6}) {
        constexpr index_t tokens = 5, heads = 3, head_dim = 64, columns = 16;
        std::vector<float> weights(heads * head_dim * columns), reordered(weights.size()), back(weights.size()),
            x(tokens * columns);
        for (float& v : weights) put_random(v, random, values::ordinary);
        for (float& v : x) put_random(v, random, values::ordinary);
        const projection shape{heads, head_dim, rotary_dim, columns};
        REQUIRE(reorder_pairs(shape, weights.data(), reordered.data(), pairing::half_split, pairing::adjacent).ok());
        REQUIRE(reorder_pairs(shape, reordered.data(), back.data(), pairing::adjacent, pairing::half_split).ok());
        CHECK(back == weights);
        CHECK(reordered != weights);

        std::vector<std::int32_t> positions;
        for (index_t i = 0; i < 3 * tokens; ++i)
            positions.push_back(static_cast<std::int32_t>(random.between(0, 9999)));
        const section sections[] = {{axis::t, 1}, {axis::h, 1}, {axis::w, rotary_dim / 2 - 2}};
        const auto turned = [&](const std::vector<float>& w, pairing paired) {
            std::vector<float> q(tokens * heads * head_dim);
            for (index_t n = 0; n < tokens; ++n)
                for (index_t row = 0; row < heads * head_dim; ++row)
                    for (index_t c = 0; c < columns; ++c)
                        q[static_cast<std::size_t>(n * heads * head_dim + row)] +=
                            w[static_cast<std::size_t>(row * columns + c)] *
                            x[static_cast<std::size_t>(n * columns + c)];
            const auto table =
                make_frequency_table(allocation::chunked{sections}, spectrum::geometric{1e4}, rotary_dim, paired);
            REQUIRE(cpu::rotate(make_rotary(table.value()).value(), axis_major(positions.data(), 3, tokens),
                                compact_heads(q.data(), tokens, heads, head_dim))
                        .ok());
            return q;
        };
        const auto halves = turned(weights, pairing::half_split), neighbours = turned(reordered, pairing::adjacent);
        std::vector<float> expected(halves.size());
        REQUIRE(reorder_pairs(projection{tokens * heads, head_dim, rotary_dim, 1}, halves.data(), expected.data(),
                              pairing::half_split, pairing::adjacent)
                    .ok());
        CHECK(std::memcmp(expected.data(), neighbours.data(), expected.size() * sizeof(float)) == 0);
        CHECK(std::memcmp(halves.data(), neighbours.data(), halves.size() * sizeof(float)) != 0);
    }
}

TEST_CASE("a projection that cannot be is refused, and nothing is written") {
    std::vector<float> in(64, 1.0f), out(64, 2.0f);
    const auto made = [&](projection shape, const float* from, float* to) {
        return reorder_pairs(shape, from, to, pairing::half_split, pairing::adjacent);
    };
    const index_t most = index_max;
    CHECK(made({2, 8, 10, 4}, in.data(), out.data()) ==
          status{errc::rotary_dim_too_large, operand::rotary_dim, 0, 8, 10});
    CHECK(made({2, 8, 7, 4}, in.data(), out.data()).code == errc::rotary_dim_odd);
    CHECK(reorder_pairs({2, 8, 8, 4}, in.data(), out.data(), pairing::half_split, pairing::blocks(6)) ==
          status{errc::blocks_uneven, operand::rotary_dim, 0, 6, 8});
    CHECK(made({-2, 8, 8, 4}, in.data(), out.data()) == status{errc::extent_negative, operand::projection, 0, 0, -2});
    CHECK(made({most, 8, 8, 4}, in.data(), out.data()).code == errc::size_overflow);
    CHECK(made({2, 8, 8, 4}, nullptr, out.data()).code == errc::null_data);
    CHECK(made({2, 8, 8, 4}, in.data(), nullptr).code == errc::null_data);
    CHECK(std::string(to_string(made({2, 4, 4, 4}, in.data(), in.data() + 31)).c_str()) ==
          "projection: its memory overlaps another operand that is written");
    CHECK(out == std::vector<float>(64, 2.0f));
    CHECK(made({0, 8, 8, 4}, nullptr, nullptr).ok());
    CHECK(made({2, 4, 4, 4}, in.data(), in.data() + 32).ok());
}
