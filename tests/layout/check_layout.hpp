#pragma once
// What must hold of every layout, whatever it does: the ways to ask agree, the ways to build agree, the plan's numbers
// speak of its coordinates.

#include <algorithm>

#include "layout/prompts.hpp"
#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/serialise.hpp"

namespace polyrope::test {

/// Chunks, single tokens, any order and a shared batch all give the numbers of one call.
inline void check_ways_to_ask(const position_plan& plan, random_prompts& random) {
    const index_t axes = plan.axes(), count = plan.size() + 20;
    const auto numbers_of = [axes](index_t columns) { return static_cast<std::size_t>(axes * columns); };
    numbers whole(numbers_of(count)), other(whole.size());
    REQUIRE(plan.fill(token_index{0}, token_index{count}, axis_major(whole.data(), axes, count)).ok());
    for (index_t n = 0, end = 0; n < count; n = end) {
        end = random.number(n, count);
        REQUIRE(plan.fill(token_index{n}, token_index{end}, axis_major(other.data(), axes, count).sub(n, end)).ok());
    }
    CHECK(other == whole);

    std::vector<token_index> order;
    for (index_t n = 0; n < count; ++n) order.push_back(token_index{n});
    std::shuffle(order.begin(), order.end(), random.engine());
    REQUIRE(plan.fill(order.data(), count, axis_major(other.data(), axes, count)).ok());
    bool same = true;
    double largest = -1.0;
    for (index_t i = 0; i < count; ++i) {
        const index_t n = order[static_cast<std::size_t>(i)].value;
        const coordinate c = plan.coordinates(token_index{n});
        for (int a = 0; a < plan.axes(); ++a) {
            const double right = whole[static_cast<std::size_t>(a * count + n)];
            same = same && c[a] == right && other[static_cast<std::size_t>(a * count + i)] == right;
            if (n < plan.prompt_tokens()) largest = std::max(largest, right);
        }
    }
    CHECK(same);
    CHECK(plan.max_position() == largest);

    batch rows(plan.axes());
    REQUIRE(rows.add(plan, {token_index{0}, token_index{count}}).ok());
    REQUIRE(rows.add(plan, {token_index{2}, token_index{9}}).ok());
    numbers shared(numbers_of(rows.tokens()));
    const int workers = static_cast<int>(random.number(1, 5));
    for (int ith = 0; ith < workers; ++ith)
        REQUIRE(rows.fill(axis_major(shared.data(), axes, rows.tokens()), {ith, workers}).ok());
    same = true;
    for (index_t a = 0; a < axes; ++a)
        for (index_t n = 0; n < rows.tokens(); ++n)
            same = same && shared[static_cast<std::size_t>(a * rows.tokens() + n)] ==
                               whole[static_cast<std::size_t>(a * count + (n < count ? n : n - count + 2))];
    CHECK(same);
}

/// Generated text goes on where the plan says, one text step per token on every axis that moves.
inline void check_decode(const position_plan& plan) {
    const token_index first{plan.size()}, second{plan.size() + 1}, later{plan.size() + 1000};
    const coordinate x = plan.coordinates(first), y = plan.coordinates(second), z = plan.coordinates(later);
    if (plan.planned_tokens() == 0) CHECK(x[0] == plan.generation_start());
    CHECK(plan.kind_of(first) == modality::text);
    for (int a = 0; a < plan.axes(); ++a) CHECK(z[a] - x[a] == Approx(1000 * (y[a] - x[a])).margin(1e-9));
}

/// Everything that holds of a layout, over random prompts.
template <class Layout>
void check_layout(const Layout& layout, unsigned seed, bool gaps = false, int rounds = 12, bool videos = true) {
    random_prompts random(seed, videos);
    for (int round = 0; round < rounds; ++round) {
        const auto first = random.prompt(5, gaps), second = random.prompt(4, gaps);
        const position_plan start = plan_of(layout, first);
        check_ways_to_ask(start, random);
        check_decode(start);

        const index_t generated = random.number(0, 5);
        std::vector<segment> all = first;
        if (generated > 0) all.push_back(text(generated));
        all.insert(all.end(), second.begin(), second.end());
        const auto more = static_cast<index_t>(second.size());
        const auto anew = start.append(layout, second.data(), more, continue_at::next_position, generated);
        REQUIRE(anew.ok());
        const position_plan at_once = plan_of(layout, all);
        CHECK(*anew == at_once);
        const auto decoded = start.append(layout, second.data(), more, continue_at::generation_start, generated);
        REQUIRE(decoded.ok());
        bool same = true;
        for (index_t n = 0; n < start.size() + generated; ++n)
            same = same && decoded->coordinates(token_index{n}) == start.coordinates(token_index{n});
        CHECK(same);
        if (start.generation_start() == start.next_position()) CHECK(*decoded == at_once);

        const auto bytes = serialise(start);
        const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
        REQUIRE(back.ok());
        CHECK(*back == start);

        const index_t length = random.number(0, start.size());
        const auto clipped = clip(start, length);
        REQUIRE(clipped.ok());
        for (index_t n = 0; n < length; ++n)
            same = same && clipped->coordinates(token_index{n}) == start.coordinates(token_index{n});
        CHECK(same);
    }
}

}  // namespace polyrope::test
