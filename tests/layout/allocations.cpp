// fill and decode allocate nothing; appending to a plan that is moved from is amortised.

#include "layout/prompts.hpp"
#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/decode.hpp"
#include "support/allocations.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("fill, neutral fill, index lists, batches and decode allocate nothing") {
    const layout::mrope fractional{2, stride(0.5)}, timed{2, floored_product(2)};
    const std::vector<segment> prompt = {text(40), video(patch_grid{7, 8, 10}, seconds_per_grid{2, 3}), text(30),
                                         image(patch_grid{1, 30, 8})};
    for (const position_plan& plan : {plan_of(fractional, prompt), plan_of(timed, prompt)}) {
        const index_t count = plan.size() + 50;
        std::vector<double> real(static_cast<std::size_t>(3 * count));
        std::vector<float> single(real.size());
        std::vector<std::int32_t> whole(real.size());
        std::vector<token_index> list;
        for (index_t n = 0; n < count; ++n) list.push_back(token_index{n * 7 % count});
        std::vector<decode_request> requests(300, {&plan, token_index{plan.size() + 3}});
        requests[7].token = token_index{2};
        batch rows(3);
        REQUIRE(rows.add(plan, {token_index{0}, token_index{count}}).ok());

        const long long before = allocations();
        bool ok = true;
        for (const auto& options : {fill_options{}.truncated(), fill_options{}.truncated().neutral()}) {
            ok = ok && plan.fill(token_index{0}, token_index{count}, axis_major(real.data(), 3, count), options).ok();
            ok =
                ok && plan.fill(token_index{0}, token_index{count}, token_major(single.data(), 3, count), options).ok();
            ok = ok && plan.fill(token_index{0}, token_index{count}, axis_major(whole.data(), 3, count), options).ok();
            ok = ok && plan.fill(list.data(), count, axis_major(whole.data(), 3, count), options).ok();
        }
        ok = ok && rows.fill(axis_major(real.data(), 3, count), {0, 2}).ok();
        ok = ok && decode_positions(requests.data(), 300, axis_major(real.data(), 3, 300)).ok();
        ok = ok && plan.coordinates(token_index{77})[0] >= 0 && plan.neutral(token_index{77}).ok();
        ok = ok && plan.prefix_key(count) == plan.prefix_key(count) && plan.segment_of(token_index{9}) == 0;
        ok = ok &&
             plan.fill(token_index{5}, token_index{2}, axis_major(real.data(), 3, count)).code == errc::range_invalid;
        const long long after = allocations();
        CHECK(ok);
        CHECK(after == before);
    }
}

TEST_CASE("a plan is made with one allocation for each of its arrays, and turns are amortised") {
    std::vector<segment> prompt;
    for (int i = 0; i < 64; ++i) {
        prompt.push_back(text(20));
        prompt.push_back(image(patch_grid{1, 8, 8}));
    }
    long long before = allocations();
    auto plan = make_plan(layout::mrope{2}, prompt.data(), static_cast<index_t>(prompt.size()));
    CHECK(allocations() - before == 2);
    REQUIRE(plan.ok());
    const segment turn[] = {text(3), image(patch_grid{1, 4, 4}), text(2)};
    before = allocations();
    position_plan talk = *std::move(plan);
    for (int i = 0; i < 1000; ++i) {
        auto next = std::move(talk).append(layout::mrope{2}, turn, 3, continue_at::generation_start, 4);
        REQUIRE(next.ok());
        talk = *std::move(next);
    }
    CHECK(talk.size() == 64 * 36 + 1000 * 13);
    CHECK(allocations() - before < 40);
}
