// What a launch with norm, cache, e4m3 or banks refuses, each with its numbers, before anything is written.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "polyrope/cuda/supports.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// A sound call of four tokens, packed qkv of 2 + 1 + 1 heads of 64, pages of two tokens.
struct sound_call {
    const rotary rope = make_rope({64});
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    std::vector<std::int32_t> positions = std::vector<std::int32_t>(12);
    std::vector<double> room = std::vector<double>(1024);  // keeps what lies in it on boundaries
    bf16* const qkv = reinterpret_cast<bf16*>(room.data() + (reinterpret_cast<std::uintptr_t>(room.data()) / 8) % 2);
    bf16* const cache = qkv + 2048;
    std::vector<bf16> weight = std::vector<bf16>(64);
    std::vector<index_t> slots = {0, 1, 2, 3};
    cuda::fused_heads<bf16> step;
    sound_call() {
        const heads_view<bf16> q{qkv, 4, 2, 64, 256, 64};
        step.q = q.as_const(), step.q_out = q;
        step.k = heads_view<const bf16>{qkv + 128, 4, 1, 64, 256, 64};
        step.v = heads_view<const bf16>{qkv + 192, 4, 1, 64, 256, 64};
        step.cache = cuda::nhd_cache(cache, cache + 512, 4, 2, 1, 64);
        step.places.slots = {slots.data(), 4};
    }
    [[nodiscard]] status run() const {
        const std::vector<double> before = room;
        const status s = host_fused<cuda::detail::position_rows>(there, axis_major(positions.data(), 3, 4), step);
        if (!s.ok()) CHECK(std::memcmp(before.data(), room.data(), room.size() * sizeof(double)) == 0);
        return s;
    }
};

}  // namespace

TEST_CASE("a sound fused call is taken: packed qkv, and keys and values that lie in turn") {
    sound_call call;
    CHECK(call.run().ok());
    // [pages, 2, page_size, heads, head_dim]
    call.step.cache = cuda::nhd_cache(call.cache, call.cache + 128, 4, 2, 1, 64);
    call.step.cache.page_stride = 256;
    CHECK(call.run().ok());
    // [pages, page_size, 2, heads, head_dim]
    call.step.cache = cuda::nhd_cache(call.cache, call.cache + 64, 4, 2, 1, 64);
    call.step.cache.token_stride = 128, call.step.cache.page_stride = 256;
    CHECK(call.run().ok());
    call.step.cache.v = call.cache + 56;
    CHECK(call.run() == status{errc::overlap, operand::cache, 0, 0, 0});
}

TEST_CASE("caches and their places are looked at") {
    const auto refused = [](auto change) {
        sound_call call;
        change(call);
        return call.run();
    };
    CHECK(refused([](sound_call& c) { c.step.cache.page_size = 0; }) ==
          status{errc::parameter_invalid, operand::page_size, 0, 0, 0});
    CHECK(refused([](sound_call& c) { c.step.cache.pages = -1; }) ==
          status{errc::extent_negative, operand::cache, 0, 0, -1});
    CHECK(refused([](sound_call& c) { c.step.cache.pages = index_t{1} << 40; }).code == errc::capacity_exceeded);
    CHECK(refused([](sound_call& c) { c.step.cache.heads = 2; }) ==
          status{errc::extent_mismatch, operand::cache, 2, 1, 2});
    CHECK(refused([](sound_call& c) { c.step.cache.head_dim = 72; }) ==
          status{errc::extent_mismatch, operand::cache, 3, 64, 72});
    CHECK(refused([](sound_call& c) { c.step.cache.token_stride = 32; }) ==
          status{errc::stride_invalid, operand::cache, 0, 64, 32});
    CHECK(refused([](sound_call& c) { c.step.cache.page_stride = 100; }) ==
          status{errc::stride_invalid, operand::cache, 0, 128, 100});
    CHECK(refused([](sound_call& c) { c.step.cache.page_stride = INT64_MAX / 2; }).code == errc::size_overflow);
    CHECK(refused([](sound_call& c) { c.step.cache.v = nullptr; }).code == errc::null_data);
    CHECK(refused([](sound_call& c) { c.step.v = {}; }) == status{errc::extent_mismatch, operand::v, 1, 1, 0});
    CHECK(refused([](sound_call& c) { c.step.v.tokens = 3; }) == status{errc::extent_mismatch, operand::v, 0, 4, 3});
    CHECK(refused([](sound_call& c) { c.step.cache.v = c.step.cache.k; }) ==
          status{errc::overlap, operand::cache, 0, 0, 0});
    CHECK(refused([](sound_call& c) { c.step.cache.k = c.qkv; }) == status{errc::overlap, operand::cache, 0, 0, 0});
    CHECK(refused([](sound_call& c) { c.step.places.slots.count = 3; }) ==
          status{errc::extent_mismatch, operand::slots, 0, 4, 3});
    CHECK(refused([](sound_call& c) { c.step.places.slots = {}; }) ==
          status{errc::null_data, operand::block_table, 0, 0, 4});
    CHECK(refused([](sound_call& c) { c.step.cache = {}; }).code == errc::extent_mismatch);
    CHECK(refused([](sound_call& c) { c.step.cache = {}, c.step.k = {}; }).code == errc::null_data);

    // A block table of 4 requests with 2 pages of 2 tokens.
    std::int32_t table[8] = {0, 1, 2, 3, 0, 1, 2, 3};
    index_t index_of[4] = {0, 1, 2, 3};
    const auto by_table = [&](auto change) {
        return refused([&](sound_call& c) {
            c.step.places = {{}, {table, 4, 2, 2, index_of, nullptr, 4}};
            change(c.step.places.table);
        });
    };
    CHECK(by_table([](cuda::block_table&) {}).ok());
    CHECK(by_table([](cuda::block_table& t) { t.longest = 5; }) ==
          status{errc::extent_mismatch, operand::block_table, 1, 5, 4});
    CHECK(by_table([](cuda::block_table& t) { t.requests = 3; }) ==
          status{errc::extent_mismatch, operand::block_table, 0, 4, 3});
    CHECK(by_table([](cuda::block_table& t) { t.row_stride = 1; }) ==
          status{errc::stride_invalid, operand::block_table, 0, 2, 1});
    CHECK(by_table([](cuda::block_table& t) { t.width = -1; }) ==
          status{errc::extent_negative, operand::block_table, 0, 0, -1});
    CHECK(by_table([](cuda::block_table& t) { t.index_of = nullptr; }).code == errc::null_data);
}

TEST_CASE("numbers of a norm and of a scale are looked at") {
    for (const float epsilon : {-1.0f, NAN, INFINITY}) {
        sound_call call;
        call.step.norm = {call.weight.data(), nullptr, epsilon, cuda::norm_weight::plain};
        CHECK(call.run().code == errc::parameter_invalid);
        CHECK(call.run().what == operand::norm_epsilon);
    }
    for (const float scale : {0.0f, -1.0f, NAN, INFINITY}) {
        sound_call call;
        call.step.k_scale.multiplier = scale;
        CHECK(call.run().code == errc::parameter_invalid);
        CHECK(call.run().what == operand::e4m3_scale);
    }
}

TEST_CASE("rows that a cache's wide accesses cannot take are named") {
    sound_call call;
    call.step.cache.k += 4, call.step.cache.v += 4;
    const status s = call.run();
    CHECK(s == status{errc::alignment_invalid, operand::k, 0, 16, 0});
    CHECK(std::string(to_string(s).c_str()) == "k: its rows must start on 16-byte boundaries for this combination");
}

TEST_CASE("a launch that has nothing to do is ok, and one past the grid is refused") {
    sound_call call;
    call.step.q.tokens = call.step.q_out.tokens = call.step.k.tokens = call.step.v.tokens = 0;
    call.step.places.slots.count = 0;
    CHECK(host_fused<cuda::detail::position_rows>(
              call.there, axis_major<const std::int32_t>(call.positions.data(), 3, 0), call.step)
              .ok());

    using namespace cuda::detail;
    rotate_task task;
    task.q().heads = 1, task.q().head_dim = 64, task.pairs = task.block_pairs = 32, task.copies_rest = 1;
    set_heads_each(task, 1);
    launch_shape shape;
    task.tokens = index_t{1} << 33;
    CHECK(shape_launch(shape, task, parts::plain, 8).ok());
    CHECK(shape.token_blocks * shape.tokens >= task.tokens);
    task.tokens = index_t{1} << 40;
    CHECK(shape_launch(shape, task, parts::plain, 8).code == errc::capacity_exceeded);
    task.tokens = 1, task.q().heads = INT32_MAX / 8;
    set_heads_each(task, 1);
    CHECK(shape_launch(shape, task, parts::plain, 8).code == errc::capacity_exceeded);
}

TEMPLATE_TEST_CASE("supports() says what launches do", "", float, bf16, f16) {
    const rotary ropes[] = {make_rope({64}), [] {
                                rope_shape shape;
                                shape.paired = pairing::adjacent;
                                return make_rope(shape);
                            }()};
    const segment prompt[] = {image(patch_grid{1, 4, 4})};
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 1);
    std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
    REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
    const cuda::device_plan packed = cuda::on_device(plan, memory.data());
    alignas(16) TestType q[4 * 72], q2[4 * 72], cache[8 * 72], weight[72];
    for (auto* const all : {q, q2, weight})
        for (int i = 0; i < 72; ++i) all[i] = TestType{};
    int shipped = 0;
    for (int asked = 0; asked < 32; ++asked) {
        cuda::kernel_request request;
        request.type = element_traits<TestType>::kind;
        const rotary& rope = ropes[asked & 1];
        request.paired = rope.paired();
        request.norm = (asked & 2) != 0, request.writes = (asked & 4) != 0, request.banks = (asked & 8) != 0;
        request.wide = (asked & 16) == 0;
        if (request.writes && request.banks) {
            CHECK(!cuda::supports(request));
            continue;
        }
        const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
        TestType* const at = q + (request.wide ? 0 : 1);
        const heads_view<TestType> heads = compact_heads(at, 4, 1, 64);
        const cuda::head_norm<TestType> norm{request.norm ? weight : nullptr, nullptr};
        status s;
        if (request.banks) {
            s = host_banks(there, plan, packed, token_index{0}, selection::without_tv_spatial, heads,
                           no_heads<TestType>(), compact_heads(q2, 4, 1, 64), no_heads<TestType>(), norm);
        } else {
            cuda::fused_heads<TestType> step;
            step.q = heads.as_const(), step.q_out = heads, step.norm = norm;
            const index_t slots[4] = {0, 1, 2, 3};
            if (request.writes) {
                step.k = compact_heads(q2, 4, 1, 64).as_const();
                step.cache = cuda::nhd_cache(cache, static_cast<TestType*>(nullptr), 8, 1, 1, 64);
                step.places.slots = {slots, 4};
            }
            s = host_fused<cuda::detail::planned_rows>(there, cuda::planned(packed, token_index{0}), step);
        }
        INFO(asked << ": " << to_string(s).c_str());
        CHECK(s.ok() == cuda::supports(request));
        shipped += s.ok() ? 1 : 0;
    }
    CHECK(shipped == 16);
}
