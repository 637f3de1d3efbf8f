// The bodies of the GPU's kernels, run on the host, against the CPU backend: the same bits for every shape, source,
// pairing, rounding, phase and direction.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cpu/oracle.hpp"
#include "cuda/drawn_plan.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T, class P>
void compare_with_cpu(random_bits& random) {
    rope_shape shape;
    shape.rotary_dim = random.one_of({64, 72, 80, 96, 128, 256, 30, 2, 16});
    shape.paired = any_pairing(random, shape.rotary_dim);
    shape.groups = random.chance(25) ? random.between(2, 4) : 1;
    shape.axes = static_cast<int>(random.between(1, 7));
    shape.attention_scaling = random.chance(30) ? 1.138629436 : 1.0;
    shape.leaves_pairs_out = random.chance(30);
    const rotary rope = make_rope(
        shape, {random.chance(70) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
    const index_t tokens = random.chance(10) ? random.between(250, 300) : random.between(0, 9);
    const index_t head_dim = shape.rotary_dim + random.one_of({0, 0, 8, 2, 64});
    side<T> q{{}, tokens, random.between(0, 9), head_dim, random.one_of({0, 8, 3})},
        k{{}, tokens, random.between(0, 4), head_dim, random.one_of({0, 8, 1})};
    q.data = random_buffer<T>(tokens * q.heads * (head_dim + q.gap), random, values::any);
    k.data = random_buffer<T>(tokens * k.heads * (head_dim + k.gap), random, values::any);

    std::vector<P> positions(static_cast<std::size_t>(shape.axes * tokens));
    for (P& p : positions) {
        const std::int64_t wide =
            random.chance(80) ? random.between(-5000, 100000) : random.between(INT32_MIN, INT32_MAX);
        p = static_cast<P>(wide);
        if constexpr (std::is_floating_point_v<P>)
            if (random.chance(50)) p = static_cast<P>(static_cast<float>(wide % 100000) * 0.37f);
    }
    const bool by_axis = random.chance(50);
    const auto at = by_axis ? axis_major<const P>(positions.data(), shape.axes, tokens)
                            : token_major<const P>(positions.data(), shape.axes, tokens);
    cpu::rotate_options options;
    options.way = static_cast<direction>(random.between(0, 2));
    if (random.chance(20)) options.q_shard = {random.between(0, 3), q.heads + 5}, options.k_shard = {0, k.heads + 1};
    std::vector<index_t> slots;
    if (random.chance(20) && tokens > 0) {
        for (index_t n = 0; n < tokens; ++n) slots.push_back(random.chance(20) ? -1 : tokens - 1 - n);
        options.slots = {slots.data(), tokens};
    }
    cuda::rotate_options device;
    device.way = options.way;
    device.slots = options.slots;
    device.q_shard = options.q_shard;
    device.k_shard = options.k_shard;
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    CAPTURE(shape.rotary_dim, head_dim, tokens, q.heads, k.heads, q.gap, k.gap, shape.groups);
    if (random.chance(50)) {
        side<T> q_cpu = q, k_cpu = k;
        REQUIRE(cpu::rotate(rope, at, q_cpu.view(), k_cpu.view(), options).ok());
        const status s =
            host_rotate<T, cuda::detail::position_rows>(there, at, nullptr, q.view(), nullptr, k.view(), device);
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        CHECK(same_bits(q.data, q_cpu.data));
        CHECK(same_bits(k.data, k_cpu.data));
    } else {
        side<T> q_cpu = q, k_cpu = k, q_out = q, k_out = k;
        const auto q_in = q.view().as_const(), k_in = k.view().as_const();
        for (side<T>* each : {&q_cpu, &k_cpu, &q_out, &k_out})
            for (T& x : each->data) x = T{};
        REQUIRE(cpu::rotate_to(rope, at, q_in, k_in, q_cpu.view(), k_cpu.view(), options).ok());
        const status s =
            host_rotate<T, cuda::detail::position_rows>(there, at, &q_in, q_out.view(), &k_in, k_out.view(), device);
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        CHECK(same_bits(q_out.data, q_cpu.data));
        CHECK(same_bits(k_out.data, k_cpu.data));
    }
}

}  // namespace

TEMPLATE_TEST_CASE("the GPU's bodies give the bits of the CPU backend from positions", "", float, bf16, f16) {
    random_bits random(91);
    for (int round = 0; round < 150; ++round) {
        compare_with_cpu<TestType, std::int32_t>(random);
        compare_with_cpu<TestType, std::int64_t>(random);
        compare_with_cpu<TestType, float>(random);
    }
}

TEMPLATE_TEST_CASE("and from rows of a table", "", float, bf16, f16) {
    random_bits random(92);
    for (int round = 0; round < 120; ++round) {
        rope_shape shape;
        shape.rotary_dim = random.one_of({64, 80, 72, 128});
        shape.paired = any_pairing(random, shape.rotary_dim);
        shape.attention_scaling = random.chance(30) ? 1.138629436 : 1.0;
        const rotary rope = make_rope(shape, {phase::exact, static_cast<rounding>(random.between(0, 3))});
        const index_t tokens = random.between(1, 12);
        std::vector<std::int32_t> positions(static_cast<std::size_t>(3 * tokens));
        for (auto& p : positions) p = static_cast<std::int32_t>(random.between(0, 70000));
        std::vector<float> cos(static_cast<std::size_t>(tokens * shape.rotary_dim)), sin = cos;
        const bool blocks = !shape.paired.is_whole() && shape.paired != pairing::adjacent;
        const auto kind = random.between(0, blocks ? 1 : 2);
        const auto table = kind == 0 ? pairs_table(cos.data(), tokens, shape.rotary_dim, table_rows::tokens)
                           : kind == 1
                               ? halves_table(cos.data(), tokens, shape.rotary_dim, table_rows::tokens)
                               : doubled_table(cos.data(), sin.data(), tokens, shape.rotary_dim, table_rows::tokens);
        REQUIRE(cpu::fill_table(rope, axis_major(positions.data(), 3, tokens), table).ok());
        side<TestType> q{{}, tokens, 5, shape.rotary_dim, 0};
        q.data = random_buffer<TestType>(tokens * 5 * shape.rotary_dim, random, values::finite);
        side<TestType> q_cpu = q;
        cpu::rotate_options options;
        options.way = static_cast<direction>(random.between(0, 2));
        cuda::rotate_options device;
        device.way = options.way;
        REQUIRE(cpu::rotate(rope, table, q_cpu.view(), no_heads<TestType>(), options).ok());
        const status s = host_rotate<TestType, cuda::detail::token_rows>(
            cuda::on_device(rope, cuda::device_data(rope)), cos_sin_view<const float>(table), nullptr, q.view(),
            nullptr, no_heads<TestType>(), device);
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        CHECK(same_bits(q.data, q_cpu.data));
    }
}

TEMPLATE_TEST_CASE("and straight from a plan, neutral points and generated tokens too", "", float, bf16) {
    random_bits random(93);
    for (int round = 0; round < 120; ++round) {
        const position_plan plan = drawn_plan(random);
        const rotary rope = make_rope({64}, {random.chance(70) ? phase::exact : phase::float32, rounding::once});
        std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
        REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
        const cuda::device_plan there = cuda::on_device(plan, memory.data());
        const index_t tokens = random.between(1, 40), first = random.between(0, plan.size() + 3);
        const auto which = random.chance(40) ? position_source::neutral : position_source::coordinates;
        side<TestType> q{{}, tokens, 3, 64, 0};
        q.data = random_buffer<TestType>(tokens * 3 * 64, random, values::finite);
        side<TestType> q_cpu = q;
        REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{first}, which), q_cpu.view()).ok());
        const status s = host_rotate<TestType, cuda::detail::planned_rows>(
            cuda::on_device(rope, cuda::device_data(rope)), cuda::planned(there, token_index{first}, which), nullptr,
            q.view(), nullptr, no_heads<TestType>());
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        CHECK(same_bits(q.data, q_cpu.data));
    }
}

TEST_CASE("a captured decode step follows its requests by the live indices") {
    random_bits random(94);
    const rotary rope = make_rope({64});
    std::vector<position_plan> plans;
    for (int i = 0; i < 6; ++i) plans.push_back(drawn_plan(random));
    std::vector<cuda::device_tail> tails;
    std::vector<index_t> live;
    for (const position_plan& plan : plans) {
        tails.push_back(cuda::tail_on_device(plan));
        live.push_back(plan.size());
    }
    for (int step = 0; step < 20; ++step) {
        const auto requests = static_cast<index_t>(plans.size());
        side<float> q{{}, requests, 2, 64, 0};
        q.data = random_buffer<float>(requests * 2 * 64, random, values::finite);
        side<float> q_cpu = q;
        for (index_t i = 0; i < requests; ++i)
            REQUIRE(cpu::rotate(rope,
                                cpu::planned(plans[static_cast<std::size_t>(i)],
                                             token_index{live[static_cast<std::size_t>(i)]}),
                                q_cpu.view().sub(i, i + 1))
                        .ok());
        REQUIRE(host_rotate<float, cuda::detail::tail_rows>(cuda::on_device(rope, cuda::device_data(rope)),
                                                            cuda::decode_tails{tails.data(), live.data(), requests, 3},
                                                            nullptr, q.view(), nullptr, no_heads<float>())
                    .ok());
        CHECK(same_bits(q.data, q_cpu.data));
        for (index_t& n : live) n += random.between(1, 900);
    }
}

TEST_CASE("plans that the device cannot take are refused") {
    const segment prompt[] = {text(3), image(token_grid{1, 70000, 70000})};
    plan_options options;
    options.limits.max_position = index_t{1} << 40;
    const position_plan plan = *make_plan(layout::mrope{1}, prompt, 2, options);
    std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
    CHECK(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).code == errc::capacity_exceeded);
    CHECK(cuda::pack(plan, memory.data(), 8) ==
          status{errc::extent_mismatch, operand::output, 0, cuda::device_bytes(plan), 8});
    CHECK(cuda::pack(plan, nullptr, cuda::device_bytes(plan)).code == errc::null_data);

    const rotary rope = make_rope({64});
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    side<float> q{std::vector<float>(128), 2, 1, 64, 0};
    const auto refused = [&](const cuda::planned_tokens& source) {
        return host_rotate<float, cuda::detail::planned_rows>(there, source, nullptr, q.view(), nullptr,
                                                              no_heads<float>());
    };
    cuda::device_plan packed = cuda::on_device(plan, memory.data());
    CHECK(refused(cuda::planned(packed, token_index{-1})).code == errc::range_invalid);
    CHECK(refused(cuda::planned(packed, token_index{INT64_MAX})).code == errc::range_invalid);
    packed.axes = 2;
    CHECK(refused(cuda::planned(packed, token_index{0})) == status{errc::axis_count_mismatch, operand::plan, 0, 3, 2});
    CHECK(refused(cuda::planned({}, token_index{0})).code == errc::axis_count_mismatch);
    const cuda::decode_tails short_of_one{nullptr, nullptr, 1, 3};
    CHECK(host_rotate<float, cuda::detail::tail_rows>(there, short_of_one, nullptr, q.view(), nullptr,
                                                      no_heads<float>()) ==
          status{errc::extent_mismatch, operand::positions, 1, 2, 1});
}
