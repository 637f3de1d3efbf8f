// What an engine does: the calls of a region, each an ordinary attention over gathered rows, merged by their log-sum-exp.
// The result is the definition's.

#include "attention/ordinary.hpp"
#include "polyrope/attention/merge_states.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

std::vector<index_t> part(const std::vector<index_t>& all, index_t begin, index_t end) {
    return {all.begin() + begin, all.begin() + end};
}

void check_region(const position_plan& plan, coordinate_selection which, const attention_region& region,
                  visibility sees, random_bits& random) {
    const index_t queries = region.queries.size(), keys = region.keys.size();
    const rotary rope = small_rotary(12);
    const heads q = random_heads(random, queries, 4, 12), k = random_heads(random, keys, 2, 12),
                v = random_heads(random, keys, 2, 5);
    const banks in = make_banks(rope, plan, which, region, q, k, v);
    // Rows of every token in both banks, so that a call of any order and bank can gather its own.
    const auto bank_of = [&](const heads& all, token_range tokens, position_source bank) {
        return turned(rope, plan, tokens, bank, all);
    };
    answer total{std::vector<double>(static_cast<std::size_t>(queries * 4 * 5)),
                 std::vector<double>(static_cast<std::size_t>(queries * 4), -std::numeric_limits<double>::infinity())};
    auto calls = *attention_calls::make(plan, which, region, sees);
    for (attention_call c; calls.next(c);) {
        const auto q_rows = part(order_of(plan, region.queries, c.query_order), c.query_begin, c.query_end),
                   k_rows = part(order_of(plan, region.keys, c.key_order), c.key_begin, c.key_end);
        const answer some = ordinary(bank_of(q, region.queries, c.bank).rows(q_rows),
                                     bank_of(k, region.keys, c.bank).rows(k_rows), v.rows(k_rows), c.causal);
        const auto rows = static_cast<index_t>(q_rows.size());
        REQUIRE(merge_states<double>({compact_heads(total.out.data(), queries, 4, 5), total.log_sum_exp.data()},
                                     {compact_heads(some.out.data(), rows, 4, 5), some.log_sum_exp.data()},
                                     q_rows.data())
                    .ok());
    }
    attention_options options;
    options.sees = sees;
    const auto definition = attention::reference<double>::make(plan, which, region, in.operands(), options);
    INFO(to_string(definition.error()).c_str());
    REQUIRE(definition.ok());
    double worst = 0.0;
    for (index_t n = 0; n < queries; ++n)
        for (index_t m = 0; m < 4; ++m) {
            double right[5];
            const double lse = definition->attend(n, m, right);
            worst = std::max(worst, std::fabs(lse - total.log_sum_exp[static_cast<std::size_t>(n * 4 + m)]));
            for (index_t c = 0; c < 5; ++c)
                worst = std::max(worst, std::fabs(right[c] - total.out[static_cast<std::size_t>((n * 4 + m) * 5 + c)]));
        }
    CHECK(worst <= 1e-12);
}

}  // namespace

TEST_CASE("ordinary attention calls, merged, are the definition") {
    random_prompts prompts(21);
    random_bits random(22);
    layout::mrope layouts[2] = {layout::mrope{2}, layout::mrope{2}};
    layouts[1].video = layout::video_form::frame_by_frame;
    layouts[1].spatial_reset = true;
    for (int round = 0; round < 24; ++round) {
        const auto& layout = layouts[round % 2];
        const position_plan plan = plan_of(layout, prompts.prompt(4, round % 2 == 1));
        const index_t size = std::min<index_t>(plan.size() + 2, 120);
        const index_t q_begin = random.between(0, size), q_end = random.between(q_begin, size);
        const attention_region region{
            {token_index{q_begin}, token_index{q_end}},
            {token_index{random.between(0, q_begin)}, token_index{q_end + random.between(0, 2)}}};
        for (const coordinate_selection which : selections)
            check_region(plan, which, region, round % 3 == 0 ? visibility::whole_image : visibility::causal, random);
    }
}

TEST_CASE("operands that do not fit a region are refused") {
    const position_plan plan = plan_a();  // 15 tokens, 6 of them visual
    random_bits random(24);
    const token_range all{token_index{0}, token_index{15}};
    const heads q = random_heads(random, 15, 4, 12), k = random_heads(random, 15, 2, 12),
                v = random_heads(random, 15, 2, 5), few = random_heads(random, 5, 4, 12),
                bank = random_heads(random, 6, 4, 12), key_bank = random_heads(random, 6, 2, 12);
    const auto error = [&](const attention_operands<double>& in, attention_options options = {}) {
        return attention::reference<double>::make(plan, selection::without_tv_spatial, {all, all}, in, options).error();
    };
    const attention_operands<double> good{q.view(), k.view(), v.view(), bank.view(), key_bank.view()};
    CHECK(error(good).ok());
    auto bad = good;
    bad.visual_q = few.view();
    CHECK(error(bad) == status{errc::extent_mismatch, operand::visual_q, 0, 6, 5});
    bad = good;
    bad.visual_k = bank.view();
    CHECK(error(bad) == status{errc::extent_mismatch, operand::visual_k, 1, 2, 4});
    bad = good;
    bad.k = random_heads(random, 15, 3, 12).view();
    bad.k.data = k.data.data();
    CHECK(error(bad) == status{errc::heads_not_divisible, operand::k, 1, 4, 3});
    CHECK(sentence_of(error(bad)) == "k: 3 heads do not divide 4 query heads");
    bad = good;
    bad.v = few.view();
    CHECK(error(bad).code == errc::extent_mismatch);
    bad = good;
    bad.q.data = nullptr;
    CHECK(error(bad).code == errc::null_data);
    attention_options odd;
    odd.scale = -1.0;
    CHECK(error(good, odd).code == errc::value_invalid);
}
