// Banks, calls and streaming attention allocate nothing, whatever the length.

#include "attention/engine.hpp"
#include "polyrope/attention/merge_states.hpp"
#include "polyrope/mask/cache_requirement.hpp"
#include "support/allocations.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEMPLATE_TEST_CASE("nothing is allocated on the way from a plan to attention", "", float, bf16, f16) {
    random_bits random(137);
    const rotary rope = small_rotary(24);
    for (const index_t tokens : {50, 900})
        for (const coordinate_selection which : selections)
            for (const visibility sees : {visibility::causal, visibility::whole_image}) {
                const position_plan plan = interleaved_plan(random, tokens, 2);
                const index_t size = plan.size();
                const token_range all = tokens_from(0, size);
                auto in =
                    engine_tensors_of<TestType>(rope, plan, 0, which, random_heads(random, size, 4, 24),
                                                random_heads(random, size, 2, 24), random_heads(random, size, 2, 8));
                const index_t visual = which.is_mixed() ? visual_tokens(plan, all) : 0;
                streamed found = stream(plan, which, {all, all}, in.operands());
                const streamed more = found;
                std::vector<index_t> rows(static_cast<std::size_t>(size));
                bool ok = false;
                CHECK(allocations_of(
                          [&] {
                              return cpu::rotate_banks(rope, plan, token_index{0}, which,
                                                       compact_heads(in.q.data(), size, 4, 24),
                                                       compact_heads(in.k.data(), size, 2, 24),
                                                       compact_heads(in.visual_q.data(), visual, 4, 24),
                                                       compact_heads(in.visual_k.data(), visual, 2, 24));
                          },
                          ok) == 0);
                CHECK(ok);
                const attention_operands<TestType> operands = in.operands();
                attention::streaming_options how;
                how.attend.sees = sees;
                how.attend.soft_cap = 3.0;
                const attention_output to = found.view();
                CHECK(allocations_of(
                          [&] {
                              return attention::streaming(plan, which, {all, all}, operands, to, how);
                          },
                          ok) == 0);
                CHECK(ok);
                CHECK(allocations_of(
                          [&] {
                              auto calls = *attention_calls::make(plan, which, {all, all}, sees);
                              index_t count = 0;
                              for (attention_call c; calls.next(c);) ++count;
                              const index_t texts = order_size(plan, all, token_order::text);
                              const status s = order_indices(plan, all, token_order::text, rows.data(), texts);
                              return count > 0 && cache_requirement(plan, which, all).banks() > 0
                                         ? s
                                         : status{errc::unsupported};
                          },
                          ok) == 0);
                CHECK(ok);
                CHECK(allocations_of(
                          [&] {
                              return merge_states<float>(
                                  {to.out, to.log_sum_exp},
                                  {compact_heads(more.out.data(), size, 4, 8), more.log_sum_exp.data()});
                          },
                          ok) == 0);
                CHECK(ok);
                CHECK(allocations_of(
                          [&] {
                              const status s =
                                  attention::streaming(plan, which, {all, tokens_from(0, size - 1)}, operands, to, how);
                              return to_string(s).length > 0 ? s : status{};
                          },
                          ok) == 0);
                CHECK_FALSE(ok);
            }
}
