// Both coordinates of visual tokens in one launch: the bits of cpu::rotate_banks.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "polyrope/cpu/banks.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEMPLATE_TEST_CASE("the device's banks hold the bits of the CPU's", "", float, bf16, f16) {
    const coordinate_selection selections[] = {selection::original, selection::without_tv_spatial,
                                               selection::without_vv_spatial, selection::without_both_spatial};
    const segment prompt[] = {text(5), image(patch_grid{1, 8, 12}),         image(patch_grid{1, 2, 2}),
                              text(3), video(patch_grid{3, 6, 4}, untimed), text(6)};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 6);
    std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
    REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
    random_bits random(291);
    for (int round = 0; round < 60; ++round) {
        rope_shape shape;
        shape.paired = random.chance(50) ? pairing::half_split : pairing::adjacent;
        const rotary rope = make_rope(
            shape, {random.chance(70) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
        const coordinate_selection which = selections[round % 4];
        const index_t first = random.between(0, plan.size()), tokens = random.between(0, 60);
        const index_t visual =
            which.is_mixed() ? visual_tokens(plan, {token_index{first}, token_index{first + tokens}}) : 0;
        const auto heads = [&](index_t rows, index_t count) {
            return side<TestType>{random_buffer<TestType>(rows * count * 80, random, values::finite), rows, count, 80,
                                  0};
        };
        side<TestType> q = heads(tokens, 4), k = heads(tokens, 2), q2 = heads(visual, 4), k2 = heads(visual, 2);
        side<TestType> q_cpu = q, k_cpu = k, q2_cpu = q2, k2_cpu = k2;
        REQUIRE(cpu::rotate_banks(rope, plan, token_index{first}, which, q_cpu.view(), k_cpu.view(), q2_cpu.view(),
                                  k2_cpu.view())
                    .ok());
        const status s =
            host_banks(cuda::on_device(rope, cuda::device_data(rope)), plan, cuda::on_device(plan, memory.data()),
                       token_index{first}, which, q.view(), k.view(), q2.view(), k2.view());
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        CHECK(same_bits(q.data, q_cpu.data));
        CHECK(same_bits(k.data, k_cpu.data));
        CHECK(same_bits(q2.data, q2_cpu.data));
        CHECK(same_bits(k2.data, k2_cpu.data));
    }
}

TEST_CASE("a norm stands in front of both banks") {
    const segment prompt[] = {text(2), image(patch_grid{1, 4, 6}), text(2)};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 3);
    std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
    REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
    const rotary rope = make_rope({64});
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    const cuda::device_plan packed = cuda::on_device(plan, memory.data());
    random_bits random(292);
    const index_t tokens = plan.size(), visual = 6;
    side<float> q{random_buffer<float>(tokens * 2 * 64, random, values::ordinary), tokens, 2, 64, 0};
    std::vector<float> weight = random_buffer<float>(64, random, values::ordinary);
    // The norm alone: text at the origin, in a launch of its own.
    side<float> normed = q;
    const std::vector<std::int32_t> origin(static_cast<std::size_t>(3 * tokens));
    cuda::fused_heads<float> step;
    step.q = q.view().as_const(), step.q_out = normed.view();
    step.norm.q = weight.data();
    REQUIRE(host_fused<cuda::detail::position_rows>(there, axis_major(origin.data(), 3, tokens), step).ok());
    side<float> q2{std::vector<float>(static_cast<std::size_t>(visual * 2 * 64)), visual, 2, 64, 0}, q2_cpu = q2;
    side<float> q_cpu = normed;
    REQUIRE(cpu::rotate_banks(rope, plan, token_index{0}, selection::without_tv_spatial, q_cpu.view(),
                              no_heads<float>(), q2_cpu.view(), no_heads<float>())
                .ok());
    cuda::head_norm<float> norm;
    norm.q = weight.data();
    REQUIRE(host_banks(there, plan, packed, token_index{0}, selection::without_tv_spatial, q.view(), no_heads<float>(),
                       q2.view(), no_heads<float>(), norm)
                .ok());
    CHECK(same_bits(q.data, q_cpu.data));
    CHECK(same_bits(q2.data, q2_cpu.data));
}
