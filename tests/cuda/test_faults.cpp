// Public faults of device kernels, each as its small input and the right answer: on the bodies of the kernels, which
// the interpreter and the device are held to.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "polyrope/cuda/detail/source_of.hpp"
#include "polyrope/cuda/supports.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"
#include "support/guarded.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

cuda::device_rotary on_device(const rotary& rope) { return cuda::on_device(rope, cuda::device_data(rope)); }

template <class T>
side<T> ones(index_t tokens, index_t heads, index_t dim) {
    T one;
    if constexpr (std::is_same_v<T, float>) one = 1.0f;
    else one = T::from(1.0f);
    return {std::vector<T>(static_cast<std::size_t>(tokens * heads * dim), one), tokens, heads, dim, 0};
}

/// q alone, in place, at int32 positions [axes, tokens].
template <class T>
status turn_here(const rotary& rope, const std::vector<std::int32_t>& at, const heads_view<T>& q,
                 const cuda::rotate_options& options = {}) {
    const auto tokens = static_cast<index_t>(at.size()) / rope.axes();
    return host_rotate<T, cuda::detail::position_rows>(on_device(rope),
                                                       axis_major<const std::int32_t>(at.data(), rope.axes(), tokens),
                                                       nullptr, q, nullptr, no_heads<T>(), options);
}

}  // namespace

TEST_CASE("fault 9: what lay on the host was handed to a launch", "[fault]") {
    // A plan of the host is another type than one on the device: it is no source, and does not compile.
    using cuda::detail::source_of;
    CHECK(source_of<cuda::planned_tokens>::known);
    CHECK(source_of<cuda::decode_tails>::known);
    CHECK_FALSE(source_of<position_plan>::known);
    CHECK_FALSE(source_of<decltype(cpu::planned(std::declval<const position_plan&>(), token_index{0}))>::known);
    CHECK_FALSE(source_of<const std::int32_t*>::known);
    // Where the driver can tell, an address of the host's is refused before the launch.
    CHECK(std::string(to_string(status{errc::not_device_memory, operand::positions, 0, 0, 0}).c_str()) ==
          "positions: its memory is not the device's");
}

TEST_CASE("fault 43: the largest position, not the number of tokens, decides: no table, no row to miss", "[fault]") {
    const segment prompt[] = {text(10), video(patch_grid{600, 2, 2}, seconds_per_grid{1, 1}), text(1)};
    layout::mrope where{2};
    where.time = floored_product(25);
    const position_plan plan = *make_plan(where, prompt, 3);
    REQUIRE(plan.size() == 611);
    REQUIRE(plan.max_position() == 14986);
    std::vector<index_t> memory(static_cast<std::size_t>(cuda::device_bytes(plan)) / sizeof(index_t));
    REQUIRE(cuda::pack(plan, memory.data(), cuda::device_bytes(plan)).ok());
    const rotary rope = make_rope({});
    side<float> q = ones<float>(612, 1, 64), right = q;
    REQUIRE(host_rotate<float, cuda::detail::planned_rows>(
                on_device(rope), cuda::planned(cuda::on_device(plan, memory.data()), token_index{0}), nullptr, q.view(),
                nullptr, no_heads<float>())
                .ok());
    REQUIRE(cpu::rotate(rope, cpu::planned(plan, token_index{0}), right.view()).ok());
    CHECK(same_bits(q.data, right.data));
}

#if POLYROPE_GUARD_PAGES
TEMPLATE_TEST_CASE("fault 44: the last row of a table, and the last head, were read past their ends", "[fault]", float,
                   bf16, f16) {
    random_bits random(601);
    for (const index_t dim : {2, 6, 16, 30, 64, 72, 80, 128}) {
        for (const pairing paired : pairings_of(dim)) {
            for (const guard where : {guard::behind, guard::before}) {
                rope_shape shape;
                shape.rotary_dim = dim;
                shape.paired = paired;
                const rotary rope = make_rope(shape);
                constexpr index_t tokens = 3, heads = 2;
                guarded<std::int32_t> at(3 * tokens, where);
                at.put({1, 2, 3, 50, 60, 70, 900, 901, 902});
                const auto positions = axis_major<const std::int32_t>(at.data(), 3, tokens);
                guarded<float> table(tokens * dim, where);
                const auto rows = pairs_table(table.data(), tokens, dim, table_rows::tokens);
                REQUIRE(cpu::fill_table(rope, positions, rows).ok());
                guarded<TestType> q(tokens * heads * dim, where), by_row(tokens * heads * dim, where);
                side<TestType> right{random_buffer<TestType>(tokens * heads * dim, random, values::any), tokens, heads,
                                     dim, 0};
                q.put(right.data), by_row.put(right.data);
                REQUIRE(host_rotate<TestType, cuda::detail::position_rows>(on_device(rope), positions, nullptr,
                                                                           compact_heads(q.data(), tokens, heads, dim),
                                                                           nullptr, no_heads<TestType>())
                            .ok());
                REQUIRE(host_rotate<TestType, cuda::detail::token_rows>(
                            on_device(rope), cos_sin_view<const float>(rows), nullptr,
                            compact_heads(by_row.data(), tokens, heads, dim), nullptr, no_heads<TestType>())
                            .ok());
                REQUIRE(cpu::rotate(rope, positions, right.view()).ok());
                CHECK(same_bits(q.all(), right.data));
                CHECK(same_bits(by_row.all(), right.data));
            }
        }
    }
}
#endif

TEST_CASE("fault 45: a table without the rows that are asked for was read all the same", "[fault]") {
    const rotary rope = make_rope({});
    std::vector<float> table(4096 * 64);
    side<float> q = ones<float>(4097, 1, 64);
    const side<float> before = q;
    const auto rows = pairs_table(table.data(), 4096, 64, table_rows::tokens);
    CHECK(host_rotate<float, cuda::detail::token_rows>(on_device(rope), cos_sin_view<const float>(rows), nullptr,
                                                       q.view(), nullptr, no_heads<float>()) ==
          status{errc::extent_mismatch, operand::table, 0, 4097, 4096});
    CHECK(same_bits(q.data, before.data));
}

TEST_CASE("fault 46: the token count was taken from all numbers of the positions", "[fault]") {
    const rotary rope = make_rope({});
    const std::vector<std::int32_t> at(3 * 2, 5);
    std::vector<float> q(2 * 64 + 4 * 64, 1.0f);
    REQUIRE(turn_here(rope, at, compact_heads(q.data(), 2, 1, 64)).ok());
    CHECK(q[0] != 1.0f);
    for (std::size_t i = 2 * 64; i < q.size(); ++i) REQUIRE(q[i] == 1.0f);
    CHECK(turn_here(rope, at, compact_heads(q.data(), 6, 1, 64)).code == errc::extent_mismatch);
}

TEST_CASE("fault 47: k was addressed by the strides of q", "[fault]") {
    const rotary rope = make_rope({});
    random_bits random(602);
    constexpr index_t tokens = 3;
    std::vector<bf16> q = random_buffer<bf16>(tokens * 16384, random, values::ordinary),
                      k = random_buffer<bf16>(tokens * 2624, random, values::ordinary), q_cpu = q, k_cpu = k;
    const auto of = [](std::vector<bf16>& data, index_t heads, index_t token_stride, index_t head_stride) {
        return heads_view<bf16>{data.data(), tokens, heads, 64, token_stride, head_stride};
    };
    const std::vector<std::int32_t> at = {7, 100, 4096, 8, 101, 4097, 9, 102, 4098};
    const auto positions = axis_major<const std::int32_t>(at.data(), 3, tokens);
    REQUIRE(host_rotate<bf16, cuda::detail::position_rows>(on_device(rope), positions, nullptr, of(q, 64, 16384, 256),
                                                           nullptr, of(k, 1, 2624, 64))
                .ok());
    // The CPU's kernel is held to copies of the heads; here every byte between them counts too.
    REQUIRE(cpu::rotate(rope, positions, of(q_cpu, 64, 16384, 256), of(k_cpu, 1, 2624, 64)).ok());
    CHECK(same_bits(q, q_cpu));
    CHECK(same_bits(k, k_cpu));
}

TEMPLATE_TEST_CASE("fault 48: packed qkv had to be copied, or was turned in a copy", "[fault]", float, bf16, f16) {
    rope_shape shape;
    shape.rotary_dim = 8;
    const rotary rope = make_rope(shape);
    random_bits random(603);
    constexpr index_t tokens = 9;
    const std::vector<TestType> before = random_buffer<TestType>(tokens * 32, random, values::ordinary);
    std::vector<TestType> device = before, here = before;
    std::vector<std::int32_t> at;
    for (std::int32_t n = 0; n < 27; ++n) at.push_back(3 * n + 1);
    const auto positions = axis_major<const std::int32_t>(at.data(), 3, tokens);
    const auto q = [](std::vector<TestType>& d) { return packed_heads(d.data(), tokens, 4, 0, 2, 8); };
    const auto k = [](std::vector<TestType>& d) { return packed_heads(d.data(), tokens, 4, 2, 1, 8); };
    REQUIRE(host_rotate<TestType, cuda::detail::position_rows>(on_device(rope), positions, nullptr, q(device), nullptr,
                                                               k(device))
                .ok());
    REQUIRE(cpu::rotate(rope, positions, q(here), k(here)).ok());
    CHECK(same_bits(device, here));
    for (index_t n = 0; n < tokens; ++n)
        for (index_t i = 24; i < 32; ++i)
            REQUIRE(bits_of(device[static_cast<std::size_t>(32 * n + i)]) ==
                    bits_of(before[static_cast<std::size_t>(32 * n + i)]));
}

TEST_CASE("fault 51: a fused kernel turned every pair by the first axis", "[fault]") {
    const rotary rope = make_rotary(make_frequency_table(allocation::interleaved{thw{11, 11, 10}},
                                                         spectrum::geometric{1e7}, 64, pairing::half_split)
                                        .value())
                            .value();
    const std::vector<float> weight(64, 1.0f);
    const auto fused = [&](const std::vector<std::int32_t>& at, bool norm) {
        side<float> q = ones<float>(1, 1, 64);
        cuda::fused_heads<float> step;
        step.q = q.view().as_const(), step.q_out = q.view();
        if (norm) step.norm = {weight.data(), nullptr, 0.0f, cuda::norm_weight::plain};
        REQUIRE(host_fused<cuda::detail::position_rows>(on_device(rope),
                                                        axis_major<const std::int32_t>(at.data(), 3, 1), step)
                    .ok());
        return q.data;
    };
    side<float> right = ones<float>(1, 1, 64);
    const std::vector<std::int32_t> apart = {5, 7, 9}, equal = {5, 5, 5};
    REQUIRE(cpu::rotate(rope, axis_major<const std::int32_t>(apart.data(), 3, 1), right.view()).ok());
    // The norm of ones is ones.
    for (const bool norm : {false, true}) {
        const std::vector<float> a = fused(apart, norm), b = fused(equal, norm);
        CHECK(a == right.data);
        for (index_t l = 0; l < 32; ++l) {
            INFO("pair " << l);
            CHECK((a[static_cast<std::size_t>(l)] == b[static_cast<std::size_t>(l)]) == (l % 3 == 0));
        }
    }
}

TEST_CASE("fault 52: a combination that is not compiled in ran all the same", "[fault]") {
    // One pair a thread is not shipped with a cache: supports() and the call say so, and nothing is written.
    cuda::kernel_request request;
    request.type = element::float32;
    request.writes = true;
    CHECK(cuda::supports(request));
    request.wide = false;
    CHECK_FALSE(cuda::supports(request));
    const rotary rope = make_rope({30});
    side<float> q = ones<float>(1, 1, 30), k = ones<float>(1, 1, 30);
    const side<float> before = q;
    std::vector<float> cache(30, -1.0f);
    const index_t slots[] = {0};
    const std::vector<std::int32_t> at(3, 5);
    cuda::fused_heads<float> step;
    step.q = q.view().as_const(), step.q_out = q.view(), step.k = k.view().as_const();
    step.cache = cuda::nhd_cache(cache.data(), static_cast<float*>(nullptr), 1, 1, 1, 30);
    step.places.slots = {slots, 1};
    const status s =
        host_fused<cuda::detail::position_rows>(on_device(rope), axis_major<const std::int32_t>(at.data(), 3, 1), step);
    CHECK(s.code == errc::alignment_invalid);
    CHECK(same_bits(q.data, before.data));
    CHECK(cache == std::vector<float>(30, -1.0f));
}

TEST_CASE("fault 53: modes overlapped as bits, and one was taken for another", "[fault]") {
    std::vector<std::vector<float>> results;
    for (const pairing paired : {pairing::half_split, pairing::adjacent, pairing::blocks(16)}) {
        rope_shape shape;
        shape.paired = paired;
        const rotary rope = make_rope(shape);
        random_bits random(604);
        side<float> q{random_buffer<float>(64, random, values::ordinary), 1, 1, 64, 0}, right = q;
        const std::vector<std::int32_t> at = {5, 7, 9};
        REQUIRE(turn_here(rope, at, q.view()).ok());
        REQUIRE(cpu::rotate(rope, axis_major<const std::int32_t>(at.data(), 3, 1), right.view()).ok());
        CHECK(same_bits(q.data, right.data));
        results.push_back(q.data);
    }
    CHECK(results[0] != results[1]);
    CHECK(results[1] != results[2]);
    CHECK(results[0] != results[2]);
}

TEST_CASE("fault 54: layers that turn q alone could not use the kernel", "[fault]") {
    const rotary rope = make_rope({});
    const std::vector<std::int32_t> at = {1, 2, 3};
    const auto positions = axis_major<const std::int32_t>(at.data(), 3, 1);
    side<float> q = ones<float>(1, 1, 64), k = q, alone = q, other = q;
    REQUIRE(host_rotate<float, cuda::detail::position_rows>(on_device(rope), positions, nullptr, q.view(), nullptr,
                                                            k.view())
                .ok());
    REQUIRE(turn_here(rope, at, alone.view()).ok());
    CHECK(alone.data == q.data);
    REQUIRE(host_rotate<float, cuda::detail::position_rows>(on_device(rope), positions, nullptr, no_heads<float>(),
                                                            nullptr, other.view())
                .ok());
    CHECK(other.data == k.data);
}

TEST_CASE("fault 58: all rows of a batch used the angles of the first", "[fault]") {
    rope_shape shape;
    shape.axes = 1;
    const rotary rope = make_rope(shape);
    side<float> rows = ones<float>(10, 1, 64), two = ones<float>(1, 1, 64);
    REQUIRE(turn_here(rope, {0, 1, 2, 3, 4, /**/ 1, 1, 0, 1, 2}, rows.view()).ok());
    REQUIRE(turn_here(rope, {2}, two.view()).ok());
    CHECK(std::vector<float>(rows.data.end() - 64, rows.data.end()) == two.data);
}

TEST_CASE("fault 60: a second call used the angles of the first", "[fault]") {
    const rotary rope = make_rope({});
    side<float> q = ones<float>(1, 1, 64), again = q, fresh = q;
    std::vector<std::int32_t> at = {3, 3, 3};
    REQUIRE(turn_here(rope, at, q.view()).ok());
    at.assign(3, 4);
    REQUIRE(turn_here(rope, at, again.view()).ok());
    REQUIRE(turn_here(rope, {4, 4, 4}, fresh.view()).ok());
    CHECK(again.data == fresh.data);
    CHECK(again.data != q.data);
}

TEST_CASE("fault 61: calls of another length were served by what the first one specialised", "[fault]") {
    const rotary rope = make_rope({});
    const cuda::device_rotary there = on_device(rope);
    random_bits random(605);
    for (const index_t tokens : {index_t{1}, index_t{3}, index_t{7}, index_t{1}}) {
        std::vector<std::int32_t> by_axis, by_token;
        for (std::int32_t a = 0; a < 3; ++a)
            for (std::int32_t n = 0; n < tokens; ++n) by_axis.push_back(10 * a + n);
        for (std::int32_t n = 0; n < tokens; ++n)
            for (std::int32_t a = 0; a < 3; ++a) by_token.push_back(10 * a + n);
        side<float> one{random_buffer<float>(tokens * 64, random, values::ordinary), tokens, 1, 64, 0}, other = one,
                                                                                                        right = one;
        const auto turn_by = [&](const positions_view<const std::int32_t>& at, side<float>& q) {
            REQUIRE(host_rotate<float, cuda::detail::position_rows>(there, at, nullptr, q.view(), nullptr,
                                                                    no_heads<float>())
                        .ok());
        };
        turn_by(axis_major<const std::int32_t>(by_axis.data(), 3, tokens), one);
        turn_by(token_major<const std::int32_t>(by_token.data(), 3, tokens), other);
        REQUIRE(cpu::rotate(rope, axis_major<const std::int32_t>(by_axis.data(), 3, tokens), right.view()).ok());
        CHECK(same_bits(one.data, right.data));
        CHECK(same_bits(other.data, right.data));
    }
}

TEST_CASE("fault 62: padded rows read positions that nobody set, or wrote rows that live", "[fault]") {
    // Three live rows padded to eight, as a captured graph holds them; what lives is on the device.
    const rotary rope = make_rope({});
    random_bits random(606);
    side<bf16> q{random_buffer<bf16>(8 * 2 * 64, random, values::any), 8, 2, 64, 0}, right = q;
    std::vector<std::int32_t> at(3 * 8, 0x7fffffff);
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t n = 0; n < 3; ++n) at[8 * a + n] = static_cast<std::int32_t>(100 * a + n);
    const std::vector<index_t> slots = {2, 0, 1, -1, -1, -1, -1, -1};
    cuda::rotate_options options;
    options.slots = {slots.data(), 8};
    REQUIRE(turn_here(rope, at, q.view(), options).ok());
    for (index_t n = 0; n < 3; ++n) {
        const std::vector<std::int32_t> own = {at[static_cast<std::size_t>(n)], at[static_cast<std::size_t>(8 + n)],
                                               at[static_cast<std::size_t>(16 + n)]};
        const index_t slot = slots[static_cast<std::size_t>(n)];
        REQUIRE(
            cpu::rotate(rope, axis_major<const std::int32_t>(own.data(), 3, 1), right.view().sub(slot, slot + 1)).ok());
    }
    CHECK(same_bits(q.data, right.data));
}
