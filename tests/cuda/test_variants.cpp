// Every variant on the device: its plan, its frequencies and its decode tail turn to the bits of the CPU.

#include "cpu/kernels.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "support/catch.hpp"
#include "variants.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("every variant turns on the device as on the CPU, from its plan and from its tail") {
    random_bits random(501);
    for (const variants::variant& v : variants::all()) {
        INFO(v.name);
        const auto made = v.plan(variants::interleaved_prompt());
        REQUIRE(made.ok());
        const position_plan& plan = *made;
        const rotary rope = make_rotary(v.table).value();
        const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
        std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
        REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
        const cuda::device_plan packed = cuda::on_device(plan, memory.data());
        // A whole head of each group, and five tokens past the prompt.
        const index_t tokens = plan.size() + 5, heads = 2 * rope.frequencies().groups(), dim = rope.rotary_dim();
        const side<bf16> before{random_buffer<bf16>(tokens * heads * dim, random, values::ordinary), tokens, heads, dim,
                                0};
        for (const position_source which : {position_source::coordinates, position_source::neutral}) {
            side<bf16> here = before, device = before;
            const status on_cpu =
                cpu::rotate(rope, cpu::planned(plan, token_index{0}, which), here.view(), no_heads<bf16>());
            const status on_device = host_rotate<bf16, cuda::detail::planned_rows>(
                there, cuda::planned(packed, token_index{0}, which), nullptr, device.view(), nullptr, no_heads<bf16>());
            CHECK(on_cpu == on_device);
            CHECK(same_bits(here.data, device.data));
        }
        const std::vector<cuda::device_tail> tails(4, cuda::tail_on_device(plan));
        const std::vector<index_t> live = {plan.size(), plan.size() + 1, plan.size() + 1000, plan.size() + 77777};
        side<bf16> here{random_buffer<bf16>(4 * heads * dim, random, values::ordinary), 4, heads, dim, 0},
            device = here;
        for (index_t n = 0; n < 4; ++n)
            REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{live[static_cast<std::size_t>(n)]}),
                                here.view().sub(n, n + 1), no_heads<bf16>())
                        .ok());
        REQUIRE(host_rotate<bf16, cuda::detail::tail_rows>(
                    there, cuda::decode_tails{tails.data(), live.data(), 4, plan.axes()}, nullptr, device.view(),
                    nullptr, no_heads<bf16>())
                    .ok());
        CHECK(same_bits(here.data, device.data));
    }
}
