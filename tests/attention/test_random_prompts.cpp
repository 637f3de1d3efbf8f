// Streaming attention of random interleaved prompts against the definition in double: every selection, mask, element
// type and grouping, chunks with all keys before them and more behind, decode steps.

#include "attention/streaming_case.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// A chunk of queries, all keys up to it, and at times keys behind it.
attention_region random_region(random_bits& random, index_t size) {
    const index_t begin = random.chance(40) ? 0 : random.between(0, size - 1);
    const index_t end = random.chance(40) ? size : random.between(begin + 1, size);
    return {tokens_from(begin, end), tokens_from(0, random.chance(50) ? end : random.between(end, size + 3))};
}

constexpr shape model_32_8{32, 8, 24, 24}, model_16_2{16, 2, 40, 16};

}  // namespace

TEMPLATE_TEST_CASE("streaming attention of random prompts is the definition's", "", float, bf16, f16) {
    random_bits random(61);
    const shape shapes[] = {{32, 8, 12, 8}, {16, 2, 24, 20}, {4, 4, 64, 65}, {3, 1, 128, 128}, {9, 1, 6, 1}};
    for (int round = 0; round < 16; ++round) {
        const position_plan plan = interleaved_plan(random, random.between(60, 700), round / 2);
        attention_options options;
        options.sees = random.chance(50) ? visibility::whole_image : visibility::causal;
        if (random.chance(30)) options.scale = static_cast<double>(random.between(1, 40)) / 64.0;
        if (random.chance(30)) options.soft_cap = static_cast<double>(random.between(2, 120)) / 4.0;
        const attention_region region = random_region(random, plan.size());
        INFO("round " << round << ", " << region.queries.size() << " queries, " << region.keys.size() << " keys");
        check_streaming<TestType>(plan, selections[round % 4], region, random.one_of(shapes), options, random,
                                  1 + region.queries.size() / 12);
    }
}

TEST_CASE("streaming attention holds its bounds over four thousand tokens of 32 and 16 query heads") {
    random_bits random(43);
    for (int round = 0; round < 4; ++round) {
        const coordinate_selection which = selections[round];
        const position_plan plan = interleaved_plan(random, 4000, round);
        const index_t size = plan.size();
        REQUIRE(size >= 4000);
        const shape of_one = round % 2 == 0 ? model_32_8 : model_16_2,
                    of_other = round % 2 == 0 ? model_16_2 : model_32_8;
        attention_options images;
        images.sees = visibility::whole_image;
        const attention_region all{tokens_from(0, size), tokens_from(0, size)};
        const index_t begin = random.between(2500, 3500);
        const attention_region chunk{tokens_from(begin, begin + 200), tokens_from(0, size)};
        const auto in = random_banks<float>(plan, which, all, of_one, random);
        const auto truth = *attention::reference<double>::make(plan, which, all, in.wide.operands());
        check_streamed(stream(plan, which, all, in.operands()), truth, in.wide.v, 271);
        check_streaming<float>(plan, which, chunk, of_other, images, random, 19);
        check_streaming<bf16>(plan, which, chunk, of_one, {}, random, 19);
        check_streaming<f16>(plan, which, chunk, of_other, {}, random, 23);
    }
}

TEMPLATE_TEST_CASE("one query decodes over four thousand keys", "", float, bf16, f16) {
    random_bits random(67);
    const position_plan plan = interleaved_plan(random, 4000, 0);
    for (const coordinate_selection which : selections)
        for (const shape& model : {shape{32, 8, 128, 128}, shape{16, 2, 64, 64}}) {
            // Behind the prompt, and where a visual token is decoded.
            const index_t text_at = plan.size() + random.between(0, 3), visual_at = plan.tokens_of(1).end.value - 1;
            REQUIRE(plan.kind_of(token_index{visual_at}) == modality::visual);
            for (const index_t n : {text_at, visual_at})
                check_streaming<TestType>(plan, which, {tokens_from(n, n + 1), tokens_from(0, n + 1)}, model, {},
                                          random);
        }
}
