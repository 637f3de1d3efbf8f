// What an engine does: the calls of a region, each an ordinary attention over gathered rows, merged by their
// log-sum-exp. The result is the definition's.

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
