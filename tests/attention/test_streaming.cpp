// The streaming kernel against the definition in double: every selection, mask, chunk and grouping.

#include "attention/streaming_case.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("streaming attention is the definition's, for every selection, mask, chunk and grouping") {
    random_bits random(41);
    const position_plan plan =
        plan_of(layout::mrope{2}, {text(5), image(patch_grid{1, 16, 20}), image(patch_grid{1, 4, 4}), text(70),
                                   video(patch_grid{3, 8, 8}, untimed), text(9)});
    const index_t size = plan.size();
    for (const coordinate_selection which : selections)
        for (const visibility sees : {visibility::causal, visibility::whole_image}) {
            attention_options options;
            options.sees = sees;
            check_streaming<float>(plan, which, {tokens_from(0, size), tokens_from(0, size)}, {4, 1, 32, 24}, options,
                                   random, 3);
            check_streaming<bf16>(plan, which, {tokens_from(0, size), tokens_from(0, size)}, {2, 2, 32, 24}, options,
                                  random, 5);
            for (const index_t cut : {index_t{3}, index_t{40}, index_t{120}, size - 1})
                check_streaming<float>(plan, which, {tokens_from(cut, size), tokens_from(0, size)}, {4, 2, 24, 70},
                                       options, random, 5);
            options.soft_cap = 5.0;
            options.scale = 0.2;
            check_streaming<float>(plan, which, {tokens_from(20, 90), tokens_from(0, 100)}, {10, 1, 12, 5}, options,
                                   random);
            check_streaming<float>(plan, which, {tokens_from(size + 3, size + 4), tokens_from(0, size + 4)},
                                   {16, 2, 128, 128}, options, random);
        }
}

TEST_CASE("every level of streaming attention gives the same bits") {
    random_bits random(47);
    const position_plan plan = plan_of(layout::mrope{2}, {text(31), image(patch_grid{1, 12, 20}), text(40)});
    const token_range all{token_index{0}, token_index{plan.size()}};
    const index_t size = plan.size();
    heads x = random_heads(random, size, 2, 40);
    const auto data = rounded<float>(x);
    const auto view = view_of(data, x);
    std::vector<float> right(data.size()), out(data.size());
    attention::streaming_options how;
    how.use = cpu::level::base;
    REQUIRE(attention::streaming<float>(plan, selection::original, {all, all}, {view, view, view, {}, {}},
                                        {compact_heads(right.data(), size, 2, 40)}, how)
                .ok());
    for (const cpu::level use : {cpu::level::avx2, cpu::level::avx512, cpu::level::neon}) {
        how.use = use;
        const status s = attention::streaming<float>(plan, selection::original, {all, all}, {view, view, view, {}, {}},
                                                     {compact_heads(out.data(), size, 2, 40)}, how);
        CHECK(s.ok() == cpu::supports(use));
        if (s.ok()) CHECK(std::memcmp(out.data(), right.data(), out.size() * sizeof(float)) == 0);
    }
}
