// Two banks in one pass: the bits of cpu::rotate at either position, text once.

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/cpu/banks.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr coordinate_selection selections[] = {selection::original, selection::without_tv_spatial,
                                               selection::without_vv_spatial, selection::without_both_spatial};

position_plan prompt_plan() {
    const segment prompt[] = {text(5), image(patch_grid{1, 8, 12}),         image(patch_grid{1, 2, 2}),
                              text(3), video(patch_grid{3, 6, 4}, untimed), text(6)};
    return *make_plan(layout::mrope{2}, prompt, 6);
}

template <class T>
std::vector<T> turned(const rotary& rope, const position_plan& plan, index_t first, position_source which,
                      std::vector<T> data, index_t tokens, index_t heads) {
    REQUIRE(
        cpu::rotate(rope, cpu::planned(plan, token_index{first}, which), compact_heads(data.data(), tokens, heads, 80))
            .ok());
    return data;
}

/// Rows of the visual tokens.
template <class T>
std::vector<T> visual_rows(const position_plan& plan, index_t first, const std::vector<T>& data, index_t tokens) {
    const std::size_t row = data.size() / static_cast<std::size_t>(tokens);
    std::vector<T> out;
    for (index_t n = 0; n < tokens; ++n)
        if (plan.kind_of(token_index{first + n}) == modality::visual)
            out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n) * row),
                       data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(n + 1) * row));
    return out;
}

}  // namespace

TEMPLATE_TEST_CASE("both banks hold the bits of a rotation at either position", "", float, bf16) {
    const position_plan plan = prompt_plan();
    random_bits random(5);
    for (int round = 0; round < 24; ++round) {
        rope_shape shape;
        shape.paired = random.chance(50) ? pairing::half_split : pairing::adjacent;
        const rotary rope = make_rope(shape);
        const coordinate_selection which = selections[round % 4];
        const index_t first = random.between(0, plan.size()), tokens = random.between(0, 60);
        const std::vector<TestType> q0 = random_buffer<TestType>(tokens * 4 * 80, random, values::finite),
                                    k0 = random_buffer<TestType>(tokens * 2 * 80, random, values::finite);
        const index_t visual =
            which.is_mixed() ? visual_tokens(plan, {token_index{first}, token_index{first + tokens}}) : 0;
        auto q = q0, k = k0;
        std::vector<TestType> visual_q(static_cast<std::size_t>(visual * 4 * 80)),
            visual_k(static_cast<std::size_t>(visual * 2 * 80));
        const bool with_k = random.chance(70);
        const int nth = static_cast<int>(random.between(1, 5));
        for (int ith = 0; ith < nth; ++ith) {
            cpu::bank_options options;
            options.part = {ith, nth};
            const status s = cpu::rotate_banks(
                rope, plan, token_index{first}, which, compact_heads(q.data(), tokens, 4, 80),
                with_k ? compact_heads(k.data(), tokens, 2, 80) : no_heads<TestType>(),
                compact_heads(visual_q.data(), visual, 4, 80),
                with_k ? compact_heads(visual_k.data(), visual, 2, 80) : no_heads<TestType>(), options);
            INFO(to_string(s).c_str());
            REQUIRE(s.ok());
        }
        const auto same = [](const std::vector<TestType>& a, const std::vector<TestType>& b) {
            return a.size() == b.size() &&
                   (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(TestType)) == 0);
        };
        if (tokens == 0) continue;
        CHECK(same(q, turned(rope, plan, first, which.tv, q0, tokens, 4)));
        if (with_k) CHECK(same(k, turned(rope, plan, first, which.tv, k0, tokens, 2)));
        if (!which.is_mixed()) continue;
        CHECK(same(visual_q, visual_rows(plan, first, turned(rope, plan, first, which.vv, q0, tokens, 4), tokens)));
        if (with_k)
            CHECK(same(visual_k, visual_rows(plan, first, turned(rope, plan, first, which.vv, k0, tokens, 2), tokens)));
    }
}

TEST_CASE("a call of two banks that is wrong writes nothing") {
    const position_plan plan = prompt_plan();
    const rotary rope = make_rope({});
    const index_t tokens = plan.size(), visual = visual_tokens(plan, {token_index{0}, token_index{tokens}});
    REQUIRE(visual == 24 + 1 + 18);
    std::vector<float> q(static_cast<std::size_t>(tokens * 80), 1.0f),
        bank(static_cast<std::size_t>(tokens * 80), 2.0f);
    const auto untouched = [&] {
        for (const float x : q)
            if (x != 1.0f) return false;
        for (const float x : bank)
            if (x != 2.0f) return false;
        return true;
    };
    const auto call = [&](heads_view<float> q_view, heads_view<float> second, const position_plan& where,
                          cpu::bank_options options = {}) {
        const status s = cpu::rotate_banks(rope, where, token_index{0}, selection::without_tv_spatial, q_view,
                                           no_heads<float>(), second, no_heads<float>(), options);
        CHECK(untouched());
        return s;
    };
    const auto all = compact_heads(q.data(), tokens, 1, 80);
    CHECK(call(all, compact_heads(bank.data(), visual - 1, 1, 80), plan) ==
          status{errc::extent_mismatch, operand::q_out, 0, visual, visual - 1});
    CHECK(call(all, compact_heads(bank.data(), visual, 1, 79), plan).code == errc::extent_mismatch);
    CHECK(call(all, no_heads<float>(), plan).code == errc::extent_mismatch);
    CHECK(call(all, compact_heads(q.data() + 80, visual, 1, 80), plan) ==
          status{errc::overlap, operand::q_out, 0, 0, 0});
    CHECK(call(all, compact_heads<float>(nullptr, visual, 1, 80), plan).code == errc::null_data);
    cpu::bank_options part;
    part.part = {2, 2};
    CHECK(call(all, compact_heads(bank.data(), visual, 1, 80), plan, part).code == errc::partition_invalid);
    const segment flat[] = {text(tokens - 4), image(token_grid{1, 2, 2})};
    CHECK(call(all, compact_heads(bank.data(), 4, 1, 80), *make_plan(layout::sequential{1, 3}, flat, 2)).code ==
          errc::no_neutral_point);
    CHECK(cpu::rotate_banks(rope, plan, token_index{0}, selection::original, all, no_heads<float>(),
                            compact_heads(bank.data(), visual, 1, 80), no_heads<float>())
              .code == errc::extent_mismatch);
    CHECK(untouched());
}

TEST_CASE("keys that were kept in one bank are turned on to the other") {
    // A prefix that kept the text-vision bank alone serves a continuation with an image.
    const position_plan plan = prompt_plan();
    const rotary rope = make_rope({});
    const index_t tokens = plan.size();
    random_bits random(6);
    const auto from = cpu::planned(plan, token_index{0}, position_source::neutral),
               to = cpu::planned(plan, token_index{0}, position_source::coordinates);
    const std::vector<float> k0 = random_buffer<float>(tokens * 2 * 80, random, values::ordinary);
    auto kept = turned(rope, plan, 0, position_source::neutral, k0, tokens, 2);
    REQUIRE(cpu::rerotate(rope, from, to, compact_heads(kept.data(), tokens, 2, 80)).ok());
    const auto fresh = turned(rope, plan, 0, position_source::coordinates, k0, tokens, 2);
    double worst = 0.0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        worst = std::max(worst, std::fabs(static_cast<double>(kept[i]) - static_cast<double>(fresh[i])));
    CHECK(worst <= 8 * 4e-7);  // values below 8

    std::vector<bf16> half;
    for (const float x : k0) half.push_back(bf16::from(x));
    auto kept_half = turned(rope, plan, 0, position_source::neutral, half, tokens, 2);
    REQUIRE(cpu::rerotate(rope, from, to, compact_heads(kept_half.data(), tokens, 2, 80)).ok());
    const auto fresh_half = turned(rope, plan, 0, position_source::coordinates, half, tokens, 2);
    worst = 0.0;
    for (std::size_t i = 0; i < kept_half.size(); ++i)
        worst = std::max(
            worst, std::fabs(static_cast<double>(kept_half[i].value()) - static_cast<double>(fresh_half[i].value())));
    // One more rounding to 8 bits of each of two channels below 16, and one of the result.
    CHECK(worst <= 16 * 0x1p-8);
    CHECK(worst > 0.0);
}
