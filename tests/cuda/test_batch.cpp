// The rotation's bodies on the host, from plans of many requests, lists of indices, tables looked up by position, and
// for every pairing in blocks: the bits of the CPU backend, call by call.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/drawn_plan.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T>
side<T> drawn_side(index_t tokens, index_t heads, index_t head_dim, random_bits& random) {
    side<T> q{{}, tokens, heads, head_dim, 0};
    q.data = random_buffer<T>(tokens * heads * head_dim, random, values::finite);
    return q;
}

cuda::device_rotary there_of(const rotary& rope) { return cuda::on_device(rope, cuda::device_data(rope)); }

}  // namespace

TEMPLATE_TEST_CASE("a ragged batch turns as its requests do one by one", "", float, bf16) {
    random_bits random(111);
    const rotary rope = make_rope({32});
    for (int round = 0; round < 40; ++round) {
        const index_t requests = random.between(1, 6);
        std::vector<packed_plan> packed;
        std::vector<cuda::device_plan> plans;
        std::vector<index_t> token_firsts = {0}, index_firsts;
        for (index_t r = 0; r < requests; ++r) {
            packed.emplace_back(drawn_plan(random));
            plans.push_back(packed.back().there());
            index_firsts.push_back(random.between(0, packed.back().plan.size() + 2));
            token_firsts.push_back(token_firsts.back() + random.between(0, 12));
        }
        const index_t tokens = token_firsts.back() + random.between(0, 3);
        const auto which = random.chance(40) ? position_source::neutral : position_source::coordinates;
        cuda::planned_batch source{plans.data(), token_firsts.data(), index_firsts.data(),
                                   *cuda::facts_of(plans.data(), requests), which};
        side<TestType> q = drawn_side<TestType>(tokens, 2, 32, random), right = q, before = q;
        for (std::size_t r = 0; r < packed.size(); ++r)
            REQUIRE(cpu::rotate(rope, cpu::planned(packed[r].plan, token_index{index_firsts[r]}, which),
                                right.view().sub(token_firsts[r], token_firsts[r + 1]))
                        .ok());
        REQUIRE(host_rotate<TestType, cuda::detail::planned_rows>(there_of(rope), source, nullptr, q.view(), nullptr,
                                                                  no_heads<TestType>())
                    .ok());
        CHECK(same_bits(q.data, right.data));

        // The same tokens by a list, in an order of their own, some of them skipped.
        std::vector<index_t> indices(static_cast<std::size_t>(tokens), 5);
        q = right = before;
        for (std::size_t r = 0; r < packed.size(); ++r) {
            for (index_t n = token_firsts[r]; n < token_firsts[r + 1]; ++n) {
                index_t& at = indices[static_cast<std::size_t>(n)];
                at = random.chance(20) ? -1 : random.between(0, packed[r].plan.size() + 9);
                if (at < 0) continue;
                REQUIRE(
                    cpu::rotate(rope, cpu::planned(packed[r].plan, token_index{at}, which), right.view().sub(n, n + 1))
                        .ok());
            }
        }
        source.indices = indices.data();
        source.count = tokens;
        REQUIRE(host_rotate<TestType, cuda::detail::planned_rows>(there_of(rope), source, nullptr, q.view(), nullptr,
                                                                  no_heads<TestType>())
                    .ok());
        CHECK(same_bits(q.data, right.data));
    }
}

TEST_CASE("a list of indices picks tokens of a plan: a draft tree") {
    random_bits random(112);
    const rotary rope = make_rope({32});
    const packed_plan packed(drawn_plan(random));
    const index_t size = packed.plan.size(), tree[] = {size, size + 1, size + 1, size + 2, size + 2, -1, 0};
    side<float> q = drawn_side<float>(7, 2, 32, random), right = q;
    for (index_t n = 0; n < 7; ++n)
        if (tree[n] >= 0)
            REQUIRE(
                cpu::rotate(rope, cpu::planned(packed.plan, token_index{tree[n]}), right.view().sub(n, n + 1)).ok());
    const auto turn = [&](const cuda::planned_tokens& source) {
        return host_rotate<float, cuda::detail::planned_rows>(there_of(rope), source, nullptr, q.view(), nullptr,
                                                              no_heads<float>());
    };
    REQUIRE(turn(cuda::planned(packed.there(), tree, 7)).ok());
    CHECK(same_bits(q.data, right.data));
    CHECK(turn(cuda::planned(packed.there(), tree, 6)) == status{errc::extent_mismatch, operand::token, 0, 7, 6});
    CHECK(turn(cuda::planned(packed.there(), token_index{index_t{1} << 32})).code == errc::position_out_of_range);
}

TEST_CASE("a decode step padded with requests that are not there leaves their rows alone") {
    random_bits random(113);
    const rotary rope = make_rope({32});
    const packed_plan packed(drawn_plan(random));
    const cuda::device_tail tail = cuda::tail_on_device(packed.plan), tails[] = {tail, tail, tail, tail};
    index_t live[] = {packed.plan.size(), -1, packed.plan.size() + 90, -1};
    // As captured: the task holds addresses and the padded count alone.
    side<float> q = drawn_side<float>(4, 2, 32, random);
    cuda::detail::rotate_task task;
    polyrope::detail::call_footprints at;
    const cuda::rotate_options options;
    const heads_view<float> all = q.view(), none = no_heads<float>();
    REQUIRE(cuda::detail::bind_task<float, float, float>(
                task, at, there_of(rope), {nullptr, all, options.q_shard, operand::q, operand::q},
                {nullptr, none, options.k_shard, operand::k, operand::k}, options)
                .ok());
    REQUIRE(cuda::detail::bind_source(task, there_of(rope), cuda::decode_tails{tails, live, 4, 3}, options.way).ok());
    for (int step = 0; step < 6; ++step) {
        side<float> right = q;
        for (index_t n = 0; n < 4; ++n)
            if (live[n] >= 0)
                REQUIRE(cpu::rotate(rope, cpu::planned(packed.plan, token_index{live[n]}), right.view().sub(n, n + 1))
                            .ok());
        REQUIRE(run_listed<float, cuda::detail::tail_rows, cuda::detail::parts::plain>(task, rope.paired()).ok());
        CHECK(same_bits(q.data, right.data));
        for (index_t& n : live) n = n < 0 ? (random.chance(30) ? packed.plan.size() : -1) : n + 1;
    }
}

TEMPLATE_TEST_CASE("tables with a row per position turn each pair by the row of its axis", "", float, bf16, f16) {
    random_bits random(114);
    for (int round = 0; round < 60; ++round) {
        rope_shape shape;
        shape.rotary_dim = random.one_of({64, 72, 30});
        shape.paired = any_pairing(random, shape.rotary_dim);
        shape.axes = static_cast<int>(random.between(1, 4));
        shape.attention_scaling = random.chance(50) ? 1.138629436 : 1.0;
        shape.leaves_pairs_out = random.chance(50);
        const rotary rope = make_rope(shape, {phase::exact, static_cast<rounding>(random.between(0, 3))});
        const index_t tokens = random.between(1, 9), rows = random.between(1, 50);
        std::vector<float> cos(static_cast<std::size_t>(rows * shape.rotary_dim)), sin = cos;
        const bool blocks = !shape.paired.is_whole() && shape.paired != pairing::adjacent;
        const auto kind = random.between(0, blocks ? 1 : 2);
        const auto table = kind == 0 ? pairs_table(cos.data(), rows, shape.rotary_dim, table_rows::positions)
                           : kind == 1
                               ? halves_table(cos.data(), rows, shape.rotary_dim, table_rows::positions)
                               : doubled_table(cos.data(), sin.data(), rows, shape.rotary_dim, table_rows::positions);
        REQUIRE(cpu::fill_position_table(rope, table).ok());
        std::vector<std::int64_t> wide(static_cast<std::size_t>(shape.axes * tokens));
        for (auto& p : wide) p = random.between(0, rows - 1);
        const std::vector<std::int32_t> narrow(wide.begin(), wide.end());
        cpu::rotate_options options;
        options.way = static_cast<direction>(random.between(0, 2));
        cuda::rotate_options device;
        device.way = options.way;
        side<TestType> q = drawn_side<TestType>(tokens, 3, shape.rotary_dim, random), right = q;
        REQUIRE(cpu::rotate(rope, cpu::looked_up(table, axis_major(wide.data(), shape.axes, tokens)), right.view(),
                            no_heads<TestType>(), options)
                    .ok());
        const auto turn = [&](const auto& positions) {
            return host_rotate<TestType, cuda::detail::token_rows>(there_of(rope), looked_up(table, positions), nullptr,
                                                                   q.view(), nullptr, no_heads<TestType>(), device);
        };
        const side<TestType> before = q;
        REQUIRE(turn(axis_major(wide.data(), shape.axes, tokens)).ok());
        CHECK(same_bits(q.data, right.data));
        q = before;
        REQUIRE(turn(axis_major(narrow.data(), shape.axes, tokens)).ok());
        CHECK(same_bits(q.data, right.data));
    }
}

TEST_CASE("a row that the table does not hold is never read, and gives no number") {
    const rotary rope = make_rope({16});
    std::vector<float> cos(4 * 16);
    const auto table = halves_table(cos.data(), 4, 16, table_rows::positions);
    REQUIRE(cpu::fill_position_table(rope, table).ok());
    // Pair l turns by axis l mod 3: axis 1 of token 0 is past the table, axis 2 of token 1 in front of it.
    const std::int64_t positions[] = {0, 4, 3, 1, 2, -1};
    side<float> q{std::vector<float>(32, 1.0f), 2, 1, 16, 0};
    const auto turn = [&](const auto& source) {
        return host_rotate<float, cuda::detail::token_rows>(there_of(rope), source, nullptr, q.view(), nullptr,
                                                            no_heads<float>());
    };
    REQUIRE(turn(looked_up(table, token_major(positions, 3, 2))).ok());
    for (std::size_t l = 0; l < 8; ++l) {
        CHECK(std::isnan(q.data[l]) == (l % 3 == 1));
        CHECK(std::isnan(q.data[16 + l + 8]) == (l % 3 == 2));
    }
    CHECK(turn(looked_up(halves_table(cos.data(), 4, 16, table_rows::tokens), token_major(positions, 3, 2))) ==
          status{errc::unsupported, operand::table, 0, 0, 0});
    CHECK(turn(looked_up(table, token_major(positions, 3, 1))) ==
          status{errc::extent_mismatch, operand::positions, 1, 2, 1});
    CHECK(turn(looked_up(table, token_major(positions, 2, 2))).code == errc::axis_count_mismatch);
    CHECK(
        turn(looked_up(pairs_table<float>(nullptr, 4, 16, table_rows::positions), token_major(positions, 3, 2))).code ==
        errc::null_data);
    CHECK(turn(looked_up(halves_table(cos.data(), -1, 16, table_rows::positions), token_major(positions, 3, 2))).code ==
          errc::extent_negative);
}

TEMPLATE_TEST_CASE("every pairing in blocks, of widths in eights and not", "", float, bf16, f16) {
    random_bits random(115);
    index_t turned = 0, wide = 0;
    for (const index_t rotary_dim : {128, 96, 80, 72, 64, 48, 36, 30, 12, 6, 4}) {
        for (const pairing paired : pairings_of(rotary_dim)) {
            rope_shape shape;
            shape.rotary_dim = rotary_dim;
            shape.paired = paired;
            const rotary rope = make_rope(shape);
            std::int32_t positions[9];
            for (auto& p : positions) p = static_cast<std::int32_t>(random.between(0, 90000));
            const index_t head_dim = rotary_dim + random.one_of({0, 8, 5});
            side<TestType> q = drawn_side<TestType>(3, 2, head_dim, random), right = q;
            const auto at = axis_major<const std::int32_t>(positions, 3, 3);
            REQUIRE(cpu::rotate(rope, at, right.view()).ok());
            REQUIRE(host_rotate<TestType, cuda::detail::position_rows>(there_of(rope), at, nullptr, q.view(), nullptr,
                                                                       no_heads<TestType>())
                        .ok());
            CAPTURE(rotary_dim, paired.block(rotary_dim), head_dim);
            CHECK(same_bits(q.data, right.data));
            ++turned;
            wide += paired.block(rotary_dim) % 16 == 0 ? 1 : 0;
        }
    }
    CHECK(turned == 66);  // the even divisors of the widths
    CHECK(wide > 10);
}
