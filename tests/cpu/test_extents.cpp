// Calls of nothing, of one token, and heads that turn in part.

#include <cstring>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEMPLATE_TEST_CASE("fault 19: a call of no tokens or no heads is valid and does nothing", "", float, bf16, f16) {
    const rotary rope = make_rope({});
    const std::int32_t at[] = {1, 2, 3, 4, 5, 6};
    const std::vector<TestType> before(4 * 64, TestType{});
    std::vector<TestType> data = before;
    const auto none = axis_major(at, 3, 0);
    for (const cpu::level use : levels_here()) {
        cpu::rotate_options options;
        options.use = use;
        CHECK(
            cpu::rotate(rope, none, compact_heads(data.data(), 0, 2, 64), compact_heads(data.data(), 0, 1, 64), options)
                .ok());
        CHECK(cpu::rotate(rope, none, compact_heads<TestType>(nullptr, 0, 2, 64), no_heads<TestType>(), options).ok());
        CHECK(cpu::rotate(rope, none, no_heads<TestType>(), no_heads<TestType>(), options).ok());
        CHECK(cpu::rotate(rope, axis_major<const std::int32_t>(nullptr, 3, 0), no_heads<TestType>(),
                          no_heads<TestType>(), options)
                  .ok());
        // Two tokens without heads, as a shard of few kv heads sees them.
        CHECK(cpu::rotate(rope, axis_major(at, 3, 2), compact_heads<TestType>(nullptr, 2, 0, 64), no_heads<TestType>(),
                          options)
                  .ok());
        CHECK(cpu::rotate(rope, axis_major(at, 3, 2), no_heads<TestType>(), compact_heads<TestType>(nullptr, 2, 0, 64),
                          options)
                  .ok());
        CHECK(cpu::rotate_to(rope, none, heads_view<const TestType>{}, {}, no_heads<TestType>(), no_heads<TestType>(),
                             options)
                  .ok());
        CHECK(cpu::rerotate(rope, none, none, compact_heads(data.data(), 0, 2, 64), options).ok());
        CHECK(cpu::shift(rope, uniform_shift(3, 3), no_heads<TestType>(), options).ok());
        options.tokens = {token_index{0}, token_index{0}};
        CHECK(
            cpu::rotate(rope, axis_major(at, 3, 2), compact_heads(data.data(), 2, 2, 64), no_heads<TestType>(), options)
                .ok());
        options = {};
        options.use = use;
        // More workers than tokens: most shares are empty.
        for (int worker = 1; worker < 50; ++worker) {
            options.part = {worker, 50};
            CHECK(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(data.data(), 1, 2, 64), no_heads<TestType>(),
                              options)
                      .ok());
        }
    }
    CHECK(first_difference(data, before) == -1);
}

TEST_CASE("tables of no rows are valid") {
    const rotary rope = make_rope({});
    CHECK(cpu::fill_table(rope, axis_major<const std::int32_t>(nullptr, 3, 0),
                          halves_table<float>(nullptr, 0, 64, table_rows::tokens))
              .ok());
    CHECK(cpu::fill_position_table(rope, pairs_table<float>(nullptr, 0, 64, table_rows::positions)).ok());
    CHECK(cpu::rotate(rope, halves_table<const float>(nullptr, 0, 64, table_rows::tokens), no_heads<float>()).ok());
}

TEMPLATE_TEST_CASE("channels past rotary_dim keep their bits in place, and are copied out of place", "", float, bf16,
                   f16) {
    random_bits random(61);
    for (const index_t rotary_dim : {index_t{2}, index_t{16}, index_t{34}, index_t{64}}) {
        for (const index_t rest : {index_t{1}, index_t{7}, index_t{64}}) {
            for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
                rope_shape shape;
                shape.rotary_dim = rotary_dim;
                shape.paired = paired;
                const rotary rope = make_rope(shape);
                const index_t head_dim = rotary_dim + rest, tokens = 5, heads = 3;
                const std::vector<std::int32_t> at(static_cast<std::size_t>(3 * tokens), 11);
                // Any bits, NaN payloads too: they are compared as bytes.
                std::vector<TestType> before(static_cast<std::size_t>(tokens * heads * head_dim));
                for (TestType& v : before) put_random(v, random, values::any);
                for (const cpu::level use : levels_here()) {
                    cpu::rotate_options options;
                    options.use = use;
                    std::vector<TestType> in_place = before, source = before, target(before.size());
                    const auto view = [&](std::vector<TestType>& data) {
                        return compact_heads(data.data(), tokens, heads, head_dim);
                    };
                    REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, tokens), view(in_place), no_heads<TestType>(),
                                        options)
                                .ok());
                    REQUIRE(cpu::rotate_to(rope, axis_major(at.data(), 3, tokens), view(source).as_const(), {},
                                           view(target), no_heads<TestType>(), options)
                                .ok());
                    CHECK(std::memcmp(source.data(), before.data(), before.size() * sizeof(TestType)) == 0);
                    for (index_t head = 0; head < tokens * heads; ++head) {
                        const auto from = static_cast<std::size_t>(head * head_dim + rotary_dim);
                        const auto bytes = static_cast<std::size_t>(rest) * sizeof(TestType);
                        REQUIRE(std::memcmp(&in_place[from], &before[from], bytes) == 0);
                        REQUIRE(std::memcmp(&target[from], &before[from], bytes) == 0);
                    }
                    CHECK(first_difference(in_place, target) == -1);
                }
            }
        }
    }
}

TEST_CASE("a rotary that turns nothing leaves heads as they are, and copies them") {
    const rotary nothing;
    std::vector<float> data = {1, 2, 3, 4}, copy(4, 0.0f);
    const positions_view<const std::int32_t> at{nullptr, 0, 1, 1, 1};
    const std::int32_t some[] = {0};
    const status s = cpu::rotate_to(nothing, positions_view<const std::int32_t>{some, 0, 1, 1, 1},
                                    compact_heads<const float>(data.data(), 1, 1, 4), {},
                                    compact_heads(copy.data(), 1, 1, 4), no_heads<float>());
    CHECK(s.ok());
    CHECK(copy == data);
    CHECK(
        cpu::rotate(nothing, positions_view<const std::int32_t>{some, 0, 1, 1, 1}, compact_heads(data.data(), 1, 1, 4))
            .ok());
    CHECK(data == copy);
    CHECK_FALSE(cpu::rotate(nothing, at, compact_heads(data.data(), 1, 1, 4)).ok());
}

TEST_CASE("outputs may be given for one of q and k alone, and be their own inputs") {
    rope_shape shape;
    shape.rotary_dim = 8;
    const rotary rope = make_rope(shape);
    const std::int32_t at[] = {1, 2, 3};
    random_bits random(62);
    const std::vector<float> q = random_buffer<float>(12, random, values::ordinary),
                             k = random_buffer<float>(12, random, values::ordinary);
    std::vector<float> q_both = q, k_both = k, q_own = q, k_from = k, k_to(12, 0.0f);
    REQUIRE(cpu::rotate(rope, axis_major(at, 3, 1), compact_heads(q_both.data(), 1, 1, 12),
                        compact_heads(k_both.data(), 1, 1, 12))
                .ok());
    REQUIRE(cpu::rotate_to(rope, axis_major(at, 3, 1), compact_heads<const float>(q_own.data(), 1, 1, 12),
                           compact_heads<const float>(k_from.data(), 1, 1, 12), compact_heads(q_own.data(), 1, 1, 12),
                           compact_heads(k_to.data(), 1, 1, 12))
                .ok());
    CHECK(q_own == q_both);
    CHECK(k_to == k_both);
    CHECK(k_from == k);
}
