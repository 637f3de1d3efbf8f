// The calls of cuda.cuh on a device, against the CPU: the same bits. Where there is no device the program ends with 77.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/device/launches.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/host_merge.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "polyrope/cpu/banks.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

const cudaDeviceProp found = device::require_device();

constexpr index_t q_heads = 32, k_heads = 8, head_dim = 128;

rotary model_rope(rounding round = rounding::once) {
    rope_shape shape;
    shape.rotary_dim = head_dim;
    return make_rope(shape, {phase::exact, round});
}

struct rope_there {
    device::array<unsigned char> memory;
    cuda::device_rotary rope;
    explicit rope_there(const rotary& from) : memory(static_cast<std::size_t>(cuda::device_bytes(from))) {
        std::vector<unsigned char> bytes(memory.size());
        std::memcpy(bytes.data(), cuda::device_data(from), bytes.size());
        memory.put(bytes);
        rope = cuda::on_device(from, memory.data());
    }
};
struct plan_there {
    device::array<unsigned char> memory;
    cuda::device_plan plan;
    explicit plan_there(const position_plan& from) : memory(static_cast<std::size_t>(cuda::device_bytes(from))) {
        std::vector<unsigned char> bytes(memory.size());
        REQUIRE(cuda::pack(from, bytes.data(), cuda::device_bytes(from)).ok());
        memory.put(bytes);
        plan = cuda::on_device(from, memory.data());
    }
};

/// One operand on both sides.
struct heads {
    std::vector<bf16> here;
    device::array<bf16> there;
    index_t tokens, count;
    heads(index_t rows, index_t of, random_bits& random)
        : here(random_buffer<bf16>(rows * of * head_dim, random, values::finite)),
          there(here),
          tokens(rows),
          count(of) {}
    [[nodiscard]] heads_view<bf16> on_host() { return compact_heads(here.data(), tokens, count, head_dim); }
    [[nodiscard]] heads_view<bf16> on_device() const { return compact_heads(there.data(), tokens, count, head_dim); }
    [[nodiscard]] bool agree() const { return same_bits(there.get(), here); }
};

position_plan prompt_plan(index_t more = 0) {
    const segment prompt[] = {text(5 + more), image(patch_grid{1, 16, 24}), text(3),
                              video(patch_grid{3, 8, 6}, untimed), text(9)};
    return *make_plan(layout::mrope{2}, prompt, 5);
}

std::vector<std::int32_t> any_positions(index_t tokens, random_bits& random) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(3 * tokens));
    for (auto& p : all) p = static_cast<std::int32_t>(random.between(-5000, 2000000));
    return all;
}

}  // namespace

TEST_CASE("positions, plans and tables turn q and k on the device as on the CPU") {
    random_bits random(401);
    device::stream stream;
    const rotary rope = model_rope();
    const rope_there there(rope);
    const position_plan plan = prompt_plan();
    const plan_there packed(plan);
    for (const index_t tokens : {index_t{1}, index_t{33}, index_t{300}, index_t{2048}}) {
        heads q(tokens, q_heads, random), k(tokens, k_heads, random);
        const std::vector<std::int32_t> positions = any_positions(tokens, random);
        const device::array<std::int32_t> at(positions);
        REQUIRE(device::rotate(there.rope, axis_major<const std::int32_t>(at.data(), 3, tokens), q.on_device(),
                               k.on_device(), stream.get())
                    .ok());
        REQUIRE(cpu::rotate(rope, axis_major<const std::int32_t>(positions.data(), 3, tokens), q.on_host(), k.on_host())
                    .ok());
        stream.wait();
        CHECK(q.agree());
        CHECK(k.agree());
        for (const position_source which : {position_source::coordinates, position_source::neutral}) {
            REQUIRE(device::rotate(there.rope, cuda::planned(packed.plan, token_index{3}, which), q.on_device(),
                                   k.on_device(), stream.get())
                        .ok());
            REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{3}, which), q.on_host(), k.on_host()).ok());
            stream.wait();
            CHECK(q.agree());
            CHECK(k.agree());
        }
        std::vector<float> table(static_cast<std::size_t>(tokens * head_dim));
        const auto rows = halves_table(table.data(), tokens, head_dim, table_rows::tokens);
        REQUIRE(cpu::fill_table(rope, axis_major<const std::int32_t>(positions.data(), 3, tokens), rows).ok());
        const device::array<float> table_there(table);
        const auto rows_there = halves_table(table_there.data(), tokens, head_dim, table_rows::tokens);
        REQUIRE(device::rotate(there.rope, cos_sin_view<const float>(rows_there), q.on_device(), k.on_device(),
                               stream.get())
                    .ok());
        REQUIRE(cpu::rotate(rope, rows, q.on_host(), k.on_host()).ok());
        stream.wait();
        CHECK(q.agree());
        CHECK(k.agree());
    }
}

TEST_CASE("a captured decode step stays valid while its requests grow") {
    random_bits random(402);
    device::stream stream;
    const rotary rope = model_rope();
    const rope_there there(rope);
    std::vector<position_plan> plans;
    std::vector<cuda::device_tail> tails;
    std::vector<index_t> live;
    for (index_t i = 0; i < 16; ++i) {
        plans.push_back(prompt_plan(i));
        tails.push_back(cuda::tail_on_device(plans.back()));
        live.push_back(plans.back().size());
    }
    // The last two places are empty: their slots say so.
    std::vector<index_t> slots;
    for (index_t i = 0; i < 16; ++i) slots.push_back(i < 14 ? i : -1);
    const device::array<cuda::device_tail> tails_there(tails);
    device::array<index_t> live_there(live);
    const device::array<index_t> slots_there(slots);
    heads q(16, q_heads, random), k(16, k_heads, random);
    cuda::rotate_options options;
    options.slots = {slots_there.data(), 16};
    const device::graph step(stream, [&](cudaStream_t on) {
        REQUIRE(device::rotate(there.rope, cuda::decode_tails{tails_there.data(), live_there.data(), 16, 3},
                               q.on_device(), k.on_device(), on, options)
                    .ok());
    });
    for (int n = 0; n < 8; ++n) {
        step.replay(stream);
        stream.wait();
        for (index_t i = 0; i < 14; ++i)
            REQUIRE(cpu::rotate(rope,
                                cpu::planned(plans[static_cast<std::size_t>(i)],
                                             token_index{live[static_cast<std::size_t>(i)]}),
                                q.on_host().sub(i, i + 1), k.on_host().sub(i, i + 1))
                        .ok());
        CHECK(q.agree());
        CHECK(k.agree());
        for (index_t& l : live) l += random.between(1, 1000);
        live_there.put(live);
    }
}

TEST_CASE("norm, cache and e4m3 around the rotation give the host's bits, launched early too") {
    random_bits random(403);
    device::stream stream;
    for (const rounding round : {rounding::once, rounding::table_cast_each}) {
        const rotary rope = model_rope(round);
        const rope_there there(rope);
        const index_t tokens = 77, pages = 8, size = 16;
        heads q(tokens, q_heads, random), k(tokens, k_heads, random), v(tokens, k_heads, random);
        const std::vector<std::int32_t> positions = any_positions(tokens, random);
        const device::array<std::int32_t> at(positions);
        const std::vector<bf16> weight = random_buffer<bf16>(head_dim, random, values::ordinary);
        const device::array<bf16> weight_there(weight);
        std::vector<index_t> slots;
        for (index_t n = 0; n < tokens; ++n) slots.push_back(n % 9 == 4 ? -1 : pages * size - 1 - n);
        const device::array<index_t> slots_there(slots);
        std::vector<e4m3> k_pages(static_cast<std::size_t>(pages * size * k_heads * head_dim)), v_pages = k_pages;
        const device::array<e4m3> k_there(k_pages), v_there(v_pages);
        const auto step_of = [&](bool here) {
            cuda::fused_heads<bf16, bf16, e4m3> step;
            const heads_view<bf16> q_at = here ? q.on_host() : q.on_device();
            step.q = q_at.as_const(), step.q_out = q_at;
            step.k = (here ? k.on_host() : k.on_device()).as_const();
            step.v = (here ? v.on_host() : v.on_device()).as_const();
            const bf16* const w = here ? weight.data() : weight_there.data();
            step.norm = {w, w, 1e-6f, cuda::norm_weight::plus_one};
            step.cache = cuda::hnd_cache(here ? k_pages.data() : k_there.data(), here ? v_pages.data() : v_there.data(),
                                         pages, size, k_heads, head_dim);
            step.places.slots = {here ? slots.data() : slots_there.data(), tokens};
            step.k_scale.multiplier = 8.0f;
            return step;
        };
        cuda::rotate_options early;
        early.launch_early = true;
        for (int n = 0; n < 3; ++n)
            REQUIRE(device::rotate_fused(there.rope, axis_major<const std::int32_t>(at.data(), 3, tokens),
                                         step_of(false), stream.get(), early)
                        .ok());
        stream.wait();
        for (int n = 0; n < 3; ++n)
            REQUIRE(host_fused<cuda::detail::position_rows>(cuda::on_device(rope, cuda::device_data(rope)),
                                                            axis_major<const std::int32_t>(positions.data(), 3, tokens),
                                                            step_of(true))
                        .ok());
        CHECK(q.agree());
        const auto same_codes = [](const std::vector<e4m3>& a, const std::vector<e4m3>& b) {
            return std::memcmp(a.data(), b.data(), a.size()) == 0;
        };
        CHECK(same_codes(k_there.get(), k_pages));
        CHECK(same_codes(v_there.get(), v_pages));
    }
}

TEST_CASE("both banks of the masking layer, in one launch") {
    random_bits random(404);
    device::stream stream;
    const rotary rope = model_rope();
    const rope_there there(rope);
    const position_plan plan = prompt_plan();
    const plan_there packed(plan);
    const index_t tokens = plan.size(), visual = visual_tokens(plan, {token_index{0}, token_index{tokens}});
    heads q(tokens, q_heads, random), k(tokens, k_heads, random), q2(visual, q_heads, random),
        k2(visual, k_heads, random);
    REQUIRE(device::rotate_banks(there.rope, plan, packed.plan, token_index{0}, selection::without_tv_spatial,
                                 q.on_device(), k.on_device(), q2.on_device(), k2.on_device(), stream.get())
                .ok());
    REQUIRE(cpu::rotate_banks(rope, plan, token_index{0}, selection::without_tv_spatial, q.on_host(), k.on_host(),
                              q2.on_host(), k2.on_host())
                .ok());
    stream.wait();
    for (const heads* each : {&q, &k, &q2, &k2}) CHECK(each->agree());
}

TEST_CASE("answers over different keys become one") {
    random_bits random(406);
    device::stream stream;
    const index_t all = 300, some = 120;
    heads into(all, q_heads, random), from(some, q_heads, random);
    const auto numbers = [&](index_t rows) {
        std::vector<float> made(static_cast<std::size_t>(rows * q_heads));
        for (float& x : made)
            x = random.chance(10) ? -INFINITY : static_cast<float>(random.between(-900, 900)) / 100.0f;
        return made;
    };
    std::vector<float> into_numbers = numbers(all);
    const std::vector<float> from_numbers = numbers(some);
    std::vector<index_t> rows;
    for (index_t i = 0; i < some; ++i) rows.push_back(i == 7 ? -1 : 2 * i);
    const device::array<float> into_there(into_numbers), from_there(from_numbers);
    const device::array<index_t> rows_there(rows);
    REQUIRE(device::merge_states({into.on_device(), into_there.data()}, {from.on_device(), from_there.data()},
                                 rows_there.data(), stream.get())
                .ok());
    REQUIRE(host_merge<bf16>({into.on_host(), into_numbers.data()}, {from.on_host().as_const(), from_numbers.data()},
                             rows.data())
                .ok());
    stream.wait();
    CHECK(into.agree());
    CHECK(same_bits(into_there.get(), into_numbers));
}

TEST_CASE("memory of the host is refused where the device cannot read it, and no tokens are no launch") {
    device::stream stream;
    const rotary rope = model_rope();
    const rope_there there(rope);
    random_bits random(405);
    heads q(2, 1, random);
    const device::array<std::int32_t> at(std::vector<std::int32_t>(6));
    const auto positions = axis_major<const std::int32_t>(at.data(), 3, 2);
    int reads_all = 0;
    device::check(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, 0), "an attribute");
    if (reads_all == 0)
        CHECK(device::rotate(there.rope, positions, q.on_host(), no_heads<bf16>(), stream.get()) ==
              status{errc::not_device_memory, operand::q, 0, 0, 0});
    CHECK(device::rotate(there.rope, axis_major<const std::int32_t>(nullptr, 3, 0),
                         compact_heads(static_cast<bf16*>(nullptr), 0, 1, head_dim), no_heads<bf16>(), stream.get())
              .ok());
    stream.wait();
    CHECK(found.major > 0);
}
