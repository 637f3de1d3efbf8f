// The calls of a region together are the definition: every visible pair once, at the bank of its kind.

#include <algorithm>

#include "mask/seen.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tmrope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

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

TEST_CASE("chunks of a prompt with audio together cover every visible pair once") {
    random_prompts random(13);
    layout::tmrope layouts[2] = {layout::tmrope{2, floored_time_float32(4)},
                                 layout::tmrope{2, real_time_float32(5), layout::audio_order::by_time}};
    index_t pairs = 0;
    for (int round = 0; round < 40; ++round) {
        auto prompt = random.prompt(6);
        for (segment& s : prompt) {
            if (s.kind == segment_kind::video && random.number(0, 2) > 0) s = with_audio(s, random.number(1, 12));
            else if (s.kind == segment_kind::text && random.number(0, 1) > 0) s = audio(s.count);
        }
        const position_plan plan = plan_of(layouts[round % 2], prompt);
        const index_t size = plan.size();
        for (const coordinate_selection which : selections)
            for (const visibility sees : {visibility::causal, visibility::whole_image}) {
                // All keys are there, as when an image's keys are written before its queries come.
                for (index_t begin = 0, end = 0; begin < size; begin = end) {
                    end = std::min(size, begin + random.number(1, 40));
                    const index_t keys = sees == visibility::causal ? end : size;
                    check_region(plan, which,
                                 {{token_index{begin}, token_index{end}}, {token_index{0}, token_index{keys}}}, sees);
                    pairs += (end - begin) * keys;
                }
            }
    }
    CHECK(pairs > 1000000);
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
