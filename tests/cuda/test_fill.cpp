// The fill's body, run on the host, against position_plan::fill: the same bits for ranges, lists, ragged batches and
// decoding, in every type and order.

#include "cuda/drawn_plan.hpp"
#include "cuda/host_run.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Positions [axes, tokens] in one of the orders, with room between them that nobody touches.
template <class P>
struct positions_side {
    std::vector<P> data;
    index_t axes, tokens;
    bool by_axis;
    index_t gap;
    positions_side(index_t of_axes, index_t of_tokens, random_bits& random)
        : axes(of_axes), tokens(of_tokens), by_axis(random.chance(50)), gap(random.between(0, 2)) {
        data.assign(static_cast<std::size_t>((axes + gap) * (tokens + gap)), static_cast<P>(-77));
    }
    [[nodiscard]] positions_view<P> view() {
        return by_axis ? positions_view<P>{data.data(), axes, tokens, tokens + gap, 1}
                       : positions_view<P>{data.data(), axes, tokens, 1, axes + gap};
    }
};

index_t drawn_index(const position_plan& plan, random_bits& random) { return random.between(0, plan.size() + 3000); }

fill_options options_of(position_source which) {
    fill_options options = fill_options{}.truncated();
    options.source = which;
    return options;
}

}  // namespace

TEMPLATE_TEST_CASE("the device fills ranges and lists with the bits of the plan", "", std::int32_t, std::int64_t,
                   float) {
    random_bits random(101);
    index_t fractional = 0;
    for (int round = 0; round < 200; ++round) {
        const packed_plan packed(drawn_plan(random));
        const position_plan& plan = packed.plan;
        const index_t tokens = random.chance(20) ? random.between(250, 600) : random.between(0, 60);
        const auto which = random.chance(40) ? position_source::neutral : position_source::coordinates;
        positions_side<TestType> right(plan.axes(), tokens, random), ours = right;
        const token_index first{random.chance(80) ? random.between(0, plan.size()) : drawn_index(plan, random)};
        const auto source = cuda::planned(packed.there(), first, which);
        REQUIRE(plan.fill(first, token_index{first.value + tokens}, right.view(), options_of(which)).ok());
        REQUIRE(host_fill(source, ours.view(), fraction::truncated).ok());
        CHECK(ours.data == right.data);
        if (std::is_integral_v<TestType> && !plan.is_integral()) {
            ++fractional;
            CHECK(host_fill(source, ours.view()).code == errc::coordinate_not_integral);
        } else {
            CHECK(host_fill(source, ours.view()).ok());
        }

        std::vector<token_index> list;
        std::vector<index_t> there;
        for (index_t i = 0; i < tokens; ++i) {
            list.push_back(token_index{random.chance(80) ? random.between(0, plan.size()) : drawn_index(plan, random)});
            there.push_back(list.back().value);
        }
        REQUIRE(plan.fill(list.data(), tokens, right.view(), options_of(which)).ok());
        REQUIRE(host_fill(cuda::planned(packed.there(), there.data(), tokens, which), ours.view(), fraction::truncated)
                    .ok());
        CHECK(ours.data == right.data);
    }
    CHECK((fractional > 20 || !std::is_integral_v<TestType>));
}

TEMPLATE_TEST_CASE("and ragged batches of requests, where tokens of no request are left alone", "", std::int32_t,
                   std::int64_t, float) {
    random_bits random(102);
    for (int round = 0; round < 60; ++round) {
        const index_t requests = random.between(1, 7);
        std::vector<packed_plan> packed;
        std::vector<cuda::device_plan> plans;
        std::vector<index_t> token_firsts = {0}, index_firsts, indices;
        for (index_t r = 0; r < requests; ++r) {
            packed.emplace_back(drawn_plan(random));
            plans.push_back(packed.back().there());
            index_firsts.push_back(random.between(0, packed.back().plan.size() + 2));
            token_firsts.push_back(token_firsts.back() + (random.chance(25) ? 0 : random.between(1, 30)));
            for (index_t n = token_firsts[static_cast<std::size_t>(r)]; n < token_firsts.back(); ++n)
                indices.push_back(random.chance(20) ? -1 - random.between(0, 1)
                                                    : drawn_index(packed.back().plan, random));
        }
        const index_t tokens = token_firsts.back() + random.between(0, 5);
        indices.resize(static_cast<std::size_t>(tokens), 3);
        const auto which = random.chance(40) ? position_source::neutral : position_source::coordinates;
        cuda::planned_batch source{plans.data(), token_firsts.data(), index_firsts.data(),
                                   *cuda::facts_of(plans.data(), requests), which};
        positions_side<TestType> right(3, tokens, random), ours = right, blank = right;
        const auto each = [&](auto write) {
            for (index_t r = 0; r < requests; ++r) {
                const auto at = static_cast<std::size_t>(r);
                write(packed[at].plan, at, token_firsts[at], token_firsts[at + 1]);
            }
        };
        each([&](const position_plan& plan, std::size_t r, index_t begin, index_t end) {
            const token_index first{index_firsts[r]};
            REQUIRE(plan.fill(first, token_index{first.value + end - begin}, right.view().sub(begin, end),
                              options_of(which))
                        .ok());
        });
        REQUIRE(host_fill(source, ours.view(), fraction::truncated).ok());
        CHECK(ours.data == right.data);

        source.indices = indices.data();
        source.count = tokens;
        source.index_firsts = nullptr;
        right = ours = blank;
        each([&](const position_plan& plan, std::size_t, index_t begin, index_t end) {
            for (index_t n = begin; n < end; ++n) {
                const token_index at{indices[static_cast<std::size_t>(n)]};
                if (at.value >= 0) REQUIRE(plan.fill(&at, 1, right.view().sub(n, n + 1), options_of(which)).ok());
            }
        });
        REQUIRE(host_fill(source, ours.view(), fraction::truncated).ok());
        CHECK(ours.data == right.data);
    }
}

TEST_CASE("and what decodes: one graph serves requests that grow, leave and join") {
    random_bits random(103);
    std::vector<position_plan> plans;
    std::vector<cuda::device_tail> tails;
    for (int i = 0; i < 8; ++i)
        plans.push_back(drawn_plan(random)), tails.push_back(cuda::tail_on_device(plans.back()));
    std::vector<index_t> live(8, -1);
    std::vector<float> ours(24), right(24);
    // Bound once, as a graph is captured once; only memory of the device changes from step to step.
    cuda::detail::fill_task task;
    REQUIRE(cuda::detail::bind_fill(task, cuda::decode_tails{tails.data(), live.data(), 8, 3},
                                    token_major(ours.data(), 3, 8), fraction::refused)
                .ok());
    for (int step = 0; step < 40; ++step) {
        for (std::size_t n = 0; n < 8; ++n) {
            if (random.chance(20)) live[n] = live[n] < 0 ? plans[n].size() : -1;
            else if (live[n] >= 0) live[n] += random.between(1, 500);
            if (live[n] < 0 && random.chance(30)) {
                plans[n] = drawn_plan(random);
                tails[n] = cuda::tail_on_device(plans[n]);
            }
        }
        for (index_t n = 0; n < 8; ++n) {
            cuda::detail::fill_token(task, n);
            const auto at = static_cast<std::size_t>(n);
            if (live[at] < 0) continue;
            const token_index token{live[at]};
            REQUIRE(plans[at].fill(&token, 1, token_major(right.data(), 3, 8).sub(n, n + 1)).ok());
        }
        CHECK(ours == right);
    }
}

TEST_CASE("a fill reaches columns past 2^31") {
    random_bits random(104);
    const packed_plan packed(drawn_plan(random));
    const index_t far = (index_t{1} << 31) + 7;
    std::vector<std::int64_t> right(12), ours(12);
    REQUIRE(
        packed.plan
            .fill(token_index{far}, token_index{far + 4}, token_major(right.data(), 3, 4), fill_options{}.truncated())
            .ok());
    cuda::detail::fill_task task;
    REQUIRE(cuda::detail::bind_plans(task.plans, cuda::planned(packed.there(), token_index{0}), far + 4, 9e15).ok());
    task.out = reinterpret_cast<std::int64_t*>(reinterpret_cast<std::uintptr_t>(ours.data()) -
                                               static_cast<std::uintptr_t>(far) * 3 * sizeof(std::int64_t));
    task.axis_stride = 1;
    task.token_stride = 3;
    task.tokens = far + 4;
    task.axes = 3;
    task.type = cuda::detail::position_element::int64;
    for (index_t n = far; n < far + 4; ++n) cuda::detail::fill_token(task, n);
    CHECK(ours == right);
    cuda::detail::fill_shape shape;
    REQUIRE(cuda::detail::shape_fill(shape, task).ok());
    CHECK(shape.blocks == (far + 4 + 255) / 256);
    task.tokens = index_max;
    CHECK(cuda::detail::shape_fill(shape, task) ==
          status{errc::capacity_exceeded, operand::token, 0, index_t{INT32_MAX} * 256, index_max});
}

TEST_CASE("what a fill cannot write is refused before a launch") {
    const segment prompt[] = {text(3), image(patch_grid{1, 4, 4}), text(2)};
    layout::mrope fractional{2};
    fractional.text_step = 0.5;
    const packed_plan whole(*make_plan(layout::mrope{2}, prompt, 3)), halves(*make_plan(fractional, prompt, 3));
    const auto from = [](const packed_plan& of, index_t first) {
        return cuda::planned(of.there(), token_index{first});
    };
    std::int32_t out[12];
    float real[12];
    const auto at = axis_major(out, 3, 4);
    CHECK(host_fill(from(whole, 0), axis_major<std::int32_t>(nullptr, 3, 0)).ok());
    CHECK(host_fill(from(whole, 0), axis_major<std::int32_t>(nullptr, 3, 4)).code == errc::null_data);
    CHECK(host_fill(from(whole, 0), axis_major(out, 3, -1)).code != errc::ok);
    CHECK(host_fill(from(whole, 0), axis_major(out, 2, 4)) ==
          status{errc::extent_mismatch, operand::positions, 0, 3, 2});
    CHECK(host_fill(from(whole, 0), positions_view<std::int32_t>{out, 3, 4, 1, 1}).code == errc::stride_invalid);
    CHECK(host_fill(from(whole, -1), at).code == errc::range_invalid);
    CHECK(host_fill(from(whole, INT64_MAX - 2), at).code == errc::range_invalid);
    CHECK(host_fill(from(halves, 0), at) ==
          halves.plan.fill(token_index{0}, token_index{4}, at));  // a sentence that names the segment
    CHECK(host_fill(from(halves, 0), axis_major(real, 3, 4)).ok());
    CHECK(host_fill(from(whole, INT32_MAX - 2), at).ok());
    const token_index far{index_t{INT32_MAX} + 9};
    const auto last = static_cast<index_t>(whole.plan.coordinates(token_index{far.value + 3})[0]);
    CHECK(host_fill(from(whole, far.value), at) ==
          status{errc::position_out_of_range, operand::plan, far.value + 3, INT32_MAX, last});
    CHECK(host_fill(from(whole, far.value), axis_major(real, 3, 4)).ok());

    const index_t list[] = {0, 1, 2};
    CHECK(host_fill(cuda::planned(whole.there(), list, 3), at) ==
          status{errc::extent_mismatch, operand::token, 0, 4, 3});
    CHECK(host_fill(cuda::planned(whole.there(), nullptr, 4), at).code == errc::null_data);

    const cuda::device_plan plans[] = {whole.there(), halves.there()};
    const index_t firsts[] = {0, 2, 4}, starts[] = {0, 0};
    cuda::planned_batch batch{plans, firsts, starts, *cuda::facts_of(plans, 2)};
    CHECK(host_fill(batch, at) == status{errc::coordinate_not_integral, operand::request, 1, 0, 0});
    CHECK(host_fill(batch, axis_major(real, 3, 4)).ok());
    batch.index_firsts = nullptr;
    CHECK(host_fill(batch, axis_major(real, 3, 4)).code == errc::null_data);
    CHECK(host_fill(cuda::planned_batch{}, axis_major(real, 0, 4)).code == errc::null_data);
    cuda::device_plan other[] = {plans[0], plans[1]};
    other[1].axes = 2;
    CHECK(cuda::facts_of(other, 2).error() == status{errc::extent_mismatch, operand::plan, 1, 3, 2});
    CHECK(cuda::facts_of(other, -1).error().code == errc::negative_count);
    CHECK(cuda::facts_of(nullptr, 1).error().code == errc::null_data);
    other[0].reach = 3e9, other[1].axes = 3, other[1].without_neutral = 4;
    batch.index_firsts = starts;
    batch.facts = *cuda::facts_of(other, 2);
    CHECK(host_fill(batch, at) == status{errc::position_out_of_range, operand::request, 0, INT32_MAX, 3000000000});
    batch.which = position_source::neutral;
    CHECK(host_fill(batch, axis_major(real, 3, 4)) == status{errc::no_neutral_point, operand::request, 1, 0, 0});

    const cuda::device_tail tails[] = {cuda::tail_on_device(whole.plan), cuda::tail_on_device(halves.plan)};
    CHECK(cuda::are_whole(tails, 1));
    CHECK(!cuda::are_whole(tails, 2));
    const index_t live[] = {9, 9};
    cuda::decode_tails decode{tails, live, 2, 3};
    CHECK(host_fill(decode, axis_major(out, 3, 2)).code == errc::coordinate_not_integral);
    CHECK(host_fill(decode, axis_major(out, 3, 2), fraction::truncated).ok());
    decode.count = 1, decode.whole = true;
    CHECK(host_fill(decode, axis_major(out, 3, 1)).ok());
    CHECK(host_fill(decode, axis_major(out, 3, 2)) == status{errc::extent_mismatch, operand::positions, 1, 2, 1});
}
