// The calls of a region together are the definition: every visible pair once, at the bank of its kind.

#include "layout/prompts.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/mask/attention_calls.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr coordinate_selection selections[] = {selection::original, selection::without_tv_spatial,
                                               selection::without_vv_spatial, selection::without_both_spatial};

/// The run of visual tokens of one segment that holds token n.
token_range image_around(const position_plan& plan, index_t n) {
    index_t begin = n, end = n + 1;
    const auto same = [&](index_t i) {
        return plan.kind_of(token_index{i}) == modality::visual &&
               plan.segment_of(token_index{i}) == plan.segment_of(token_index{n});
    };
    while (begin > 0 && same(begin - 1)) --begin;
    while (same(end)) ++end;
    return {token_index{begin}, token_index{end}};
}

struct pair_use {
    int times = 0;
    position_source bank = position_source::coordinates;
};

/// Runs the calls as an engine would, over index lists, and notes which pairs they meet.
std::vector<pair_use> meet(const position_plan& plan, attention_calls calls, attention_region region, int& count) {
    const index_t keys = region.keys.size();
    const auto list = [&](token_range range, token_order order) {
        std::vector<index_t> out(static_cast<std::size_t>(order_size(plan, range, order)));
        REQUIRE(order_indices(plan, range, order, out.data(), static_cast<index_t>(out.size())).ok());
        return out;
    };
    std::vector<pair_use> met(static_cast<std::size_t>(region.queries.size() * keys));
    for (attention_call c; calls.next(c); ++count) {
        const auto q = list(region.queries, c.query_order), k = list(region.keys, c.key_order);
        REQUIRE(0 <= c.query_begin);
        REQUIRE(c.query_begin < c.query_end);
        REQUIRE(c.query_end <= static_cast<index_t>(q.size()));
        REQUIRE(0 <= c.key_begin);
        REQUIRE(c.key_begin < c.key_end);
        REQUIRE(c.key_end <= static_cast<index_t>(k.size()));
        for (index_t i = c.query_begin; i < c.query_end; ++i) {
            const index_t end = c.causal ? c.key_end - (c.query_end - 1 - i) : c.key_end;
            for (index_t j = c.key_begin; j < end; ++j) {
                const index_t row = q[static_cast<std::size_t>(i)], column = k[static_cast<std::size_t>(j)];
                pair_use& use = met[static_cast<std::size_t>(row * keys + column)];
                ++use.times;
                use.bank = c.bank;
            }
        }
    }
    return met;
}

void check_region(const position_plan& plan, coordinate_selection which, attention_region region, visibility sees) {
    const auto calls = attention_calls::make(plan, which, region, sees);
    INFO(to_string(calls.error()).c_str());
    REQUIRE(calls.ok());
    int count = 0;
    const auto met = meet(plan, *calls, region, count);
    const index_t q0 = region.queries.begin.value, k0 = region.keys.begin.value, keys = region.keys.size();
    bool right = true;
    for (index_t n = q0; n < region.queries.end.value; ++n) {
        const modality query = plan.kind_of(token_index{n});
        const token_range image = query == modality::visual ? image_around(plan, n) : token_range{};
        for (index_t j = k0; j < region.keys.end.value; ++j) {
            const pair_use& use = met[static_cast<std::size_t>((n - q0) * keys + j - k0)];
            const modality key = plan.kind_of(token_index{j});
            const bool inside = sees == visibility::whole_image && j >= image.begin.value && j < image.end.value;
            const int expected = j <= n || inside ? 1 : 0;
            right = right && use.times == expected;
            const bool has_two = query == modality::visual || key == modality::visual;
            if (expected == 1 && has_two) right = right && use.bank == source_for(which, query, key);
        }
    }
    CHECK(right);
    index_t query_runs = 0;
    kind_runs runs(plan, region.queries, sees == visibility::causal ? run_border::kind : run_border::segment);
    for (kind_run run; runs.next(run);) ++query_runs;
    CHECK(count <= (sees == visibility::causal ? query_runs + 1 : 2 * query_runs));
    if (!which.is_mixed() && sees == visibility::causal) CHECK(count == (region.queries.size() > 0 ? 1 : 0));
}

}  // namespace

TEST_CASE("the calls cover every visible pair once, with the bank of its kind") {
    random_prompts random(11);
    layout::mrope layouts[3] = {layout::mrope{2}, layout::mrope{2}, layout::mrope{2}};
    layouts[1].spatial_reset = true;
    layouts[2].video = layout::video_form::frame_by_frame;
    int regions = 0;
    for (int round = 0; round < 60; ++round) {
        const auto& layout = layouts[round % 3];
        const auto prompt = random.prompt(6, layout.video == layout::video_form::frame_by_frame);
        const position_plan plan = plan_of(layout, prompt);
        for (int i = 0; i < 4; ++i) {
            const index_t most = plan.size() + 3;  // also past the prompt
            const index_t q_begin = random.number(0, most), q_end = random.number(q_begin, most);
            const index_t k_begin = random.number(0, q_begin), k_end = random.number(q_end, most + 2);
            const attention_region region{{token_index{q_begin}, token_index{q_end}},
                                          {token_index{k_begin}, token_index{k_end}}};
            for (const coordinate_selection which : selections)
                for (const visibility sees : {visibility::causal, visibility::whole_image})
                    check_region(plan, which, region, sees);
            ++regions;
        }
        const attention_region whole{{token_index{0}, token_index{plan.size()}},
                                     {token_index{0}, token_index{plan.size()}}};
        for (const coordinate_selection which : selections) check_region(plan, which, whole, visibility::causal);
    }
    CHECK(regions == 240);
}

TEST_CASE("1,000 frames with text between are 2,000 calls and one") {
    layout::mrope layout{1};
    layout.video = layout::video_form::frame_by_frame;
    const position_plan plan =
        plan_of(layout, {text(4), with_gap(video(token_grid{1000, 16, 16}, untimed), 3), text(7)});
    const attention_region all{{token_index{0}, token_index{plan.size()}}, {token_index{0}, token_index{plan.size()}}};
    auto calls = *attention_calls::make(plan, selection::without_tv_spatial, all);
    index_t count = 0, rows = 0;
    attention_call last;
    for (attention_call c; calls.next(c); ++count) rows += c.query_end - c.query_begin, last = c;
    CHECK(count == 2001 + 1);
    CHECK(rows == plan.size() + 256000);
    CHECK(last.query_order == token_order::visual);
    CHECK(last.key_order == token_order::visual);
    CHECK(last.causal);
    CHECK(last.bank == position_source::coordinates);
    CHECK(last.key_end == 256000);
}

TEST_CASE("a text query decodes in one call over all keys") {
    const position_plan plan = plan_a();
    for (const coordinate_selection which : selections) {
        auto calls = *attention_calls::make(plan, which,
                                            {{token_index{15}, token_index{16}}, {token_index{0}, token_index{16}}});
        attention_call c;
        REQUIRE(calls.next(c));
        CHECK(c.key_order == token_order::all);
        CHECK(c.key_end == 16);
        CHECK(c.bank == which.tv);
        CHECK(!calls.next(c));
    }
}

TEST_CASE("packed requests are walked one by one, each with its own index lists") {
    // Two requests side by side: rows of the second start where the first ends, in every order.
    const position_plan plans[2] = {plan_a(), plan_of(layout::mrope{2}, {image(patch_grid{1, 4, 4}), text(3)})};
    index_t tokens = 0, visual = 0;
    std::vector<int> q_rows(22, 0), visual_rows(10, 0);
    for (const position_plan& plan : plans) {
        const token_range all{token_index{0}, token_index{plan.size()}};
        auto calls = *attention_calls::make(plan, selection::without_tv_spatial, {all, all});
        for (attention_call c; calls.next(c);)
            for (index_t i = c.query_begin; i < c.query_end; ++i)
                ++(c.query_order == token_order::all ? q_rows[static_cast<std::size_t>(tokens + i)]
                                                     : visual_rows[static_cast<std::size_t>(visual + i)]);
        tokens += plan.size();
        visual += visual_tokens(plan, all);
    }
    CHECK(tokens == 22);
    CHECK(visual == 10);
    for (const int n : visual_rows) CHECK(n == 1);
    // The second prompt begins with its image: no text stands before it, so its rows come in the visual call alone.
    CHECK(q_rows == std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("regions that are none are refused") {
    const position_plan plan = plan_a();
    const auto error = [&](index_t q0, index_t q1, index_t k0, index_t k1) {
        return attention_calls::make(plan, selection::without_tv_spatial,
                                     {{token_index{q0}, token_index{q1}}, {token_index{k0}, token_index{k1}}})
            .error();
    };
    CHECK(error(0, 15, 0, 15).ok());
    CHECK(error(5, 5, 0, 5).ok());
    CHECK(error(5, 4, 0, 15) == status{errc::range_invalid, operand::q, 0, 5, 4});
    CHECK(error(-1, 4, 0, 15).code == errc::range_invalid);
    CHECK(error(2, 4, 3, 15) == status{errc::range_invalid, operand::k, 0, 3, 15});
    CHECK(error(2, 4, 8, 6).code == errc::range_invalid);
    CHECK(error(0, 15, 0, 14) == status{errc::keys_end_early, operand::k, 0, 15, 14});
    CHECK(sentence_of(error(0, 15, 0, 14)) == "k: keys end at token 14, before the last query sees itself at 15");
    const position_plan flat = plan_of(layout::sequential{2, 1}, {text(1), image(patch_grid{1, 2, 4})});
    const attention_region all{{token_index{0}, token_index{3}}, {token_index{0}, token_index{3}}};
    CHECK(attention_calls::make(flat, selection::original, all).ok());
    CHECK(attention_calls::make(flat, selection::without_tv_spatial, all).error() ==
          status{errc::no_neutral_point, operand::segment, 1, 0, 0});
}

TEST_CASE("a plan without visual tokens is one call") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(9)});
    const token_range all{token_index{0}, token_index{9}};
    for (const coordinate_selection which : selections) {
        auto calls = *attention_calls::make(plan, which, {all, all});
        attention_call c;
        REQUIRE(calls.next(c));
        CHECK(c.query_end == 9);
        CHECK(!calls.next(c));
    }
}
