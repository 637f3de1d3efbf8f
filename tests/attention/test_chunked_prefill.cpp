// A prompt prefilled in chunks is the prompt prefilled at once, bit for bit: what a query gets depends on the keys that
// it sees and on where the key range begins, not on the queries that share its call or on keys behind it.

#include "attention/streaming_case.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Ends of the chunks of [0, size), the last at size.
std::vector<index_t> random_ends(random_bits& random, index_t size) {
    const index_t most = random.one_of({index_t{1}, index_t{7}, index_t{64}, index_t{100}, size});
    std::vector<index_t> ends;
    for (index_t at = 0; at < size;) ends.push_back(at = std::min(size, at + random.between(1, most)));
    return ends;
}

/// Chunks of the whole, each over the keys up to its end, or over all keys.
template <class T>
streamed prefill(const position_plan& plan, coordinate_selection which, const attention_operands<T>& in,
                 const attention_options& options, const std::vector<index_t>& ends, bool all_keys) {
    const index_t size = plan.size();
    const attention_region whole{tokens_from(0, size), tokens_from(0, size)};
    streamed total{0, in.q.heads, in.v.head_dim, {}, {}};
    for (const index_t end : ends) {
        const attention_region chunk{tokens_from(total.queries, end), tokens_from(0, all_keys ? size : end)};
        const streamed some = stream(plan, which, chunk, part_of(in, plan, which, whole, chunk), options);
        total.out.insert(total.out.end(), some.out.begin(), some.out.end());
        total.log_sum_exp.insert(total.log_sum_exp.end(), some.log_sum_exp.begin(), some.log_sum_exp.end());
        total.queries = end;
    }
    return total;
}

}  // namespace

TEMPLATE_TEST_CASE("chunks of a prompt give the bits of the whole, in any split", "", float, bf16, f16) {
    random_bits random(71);
    const shape shapes[] = {{6, 2, 24, 16}, {32, 8, 8, 8}, {16, 2, 12, 8}, {9, 1, 6, 5}};
    for (int round = 0; round < 8; ++round) {
        const coordinate_selection which = selections[round % 4];
        const position_plan plan = interleaved_plan(random, random.between(100, 500), round);
        const index_t size = plan.size();
        const attention_region all{tokens_from(0, size), tokens_from(0, size)};
        const auto in = random_banks<TestType>(plan, which, all, random.one_of(shapes), random);
        for (const visibility sees : {visibility::causal, visibility::whole_image}) {
            attention_options options;
            options.sees = sees;
            const streamed whole = stream(plan, which, all, in.operands(), options);
            for (int split = 0; split < 3; ++split) {
                const auto ends = random_ends(random, size);
                INFO("round " << round << ", " << size << " tokens in " << ends.size() << " chunks");
                CHECK(whole == prefill(plan, which, in.operands(), options, ends, true));
                if (sees == visibility::causal)
                    CHECK(whole == prefill(plan, which, in.operands(), options, ends, false));
            }
            // A whole image is seen where its keys are there: chunks that end where segments end need no keys behind.
            std::vector<index_t> ends;
            for (index_t s = 0; s < plan.segments(); ++s)
                if (plan.tokens_of(s).size() > 0) ends.push_back(plan.tokens_of(s).end.value);
            CHECK(whole == prefill(plan, which, in.operands(), options, ends, false));
        }
    }
}

TEST_CASE("a chunk that ends inside an image sees as much of the image as there are keys") {
    random_bits random(73);
    const position_plan plan = plan_of(layout::mrope{1}, {text(9), image(token_grid{1, 6, 10}), text(5)});
    attention_options images;
    images.sees = visibility::whole_image;
    for (const coordinate_selection which : selections) {
        const attention_region all{tokens_from(0, 74), tokens_from(0, 74)};
        const auto in = random_banks<float>(plan, which, all, {4, 2, 12, 8}, random);
        const streamed whole = stream(plan, which, all, in.operands(), images);
        for (const index_t end : {index_t{10}, index_t{40}, index_t{68}}) {
            const attention_region cut{tokens_from(0, end), tokens_from(0, end)};
            auto wide = in.wide;
            const auto rows = [](heads& x, index_t count) {
                x.data.resize(static_cast<std::size_t>(count * x.count * x.channels));
            };
            rows(wide.q, end), rows(wide.k, end), rows(wide.v, end);
            if (which.is_mixed()) rows(wide.visual_q, end - 9), rows(wide.visual_k, end - 9);
            const streamed some = stream(plan, which, cut, part_of(in.operands(), plan, which, all, cut), images);
            check_streamed(some, *attention::reference<double>::make(plan, which, cut, wide.operands(), images),
                           wide.v);
            CHECK(std::memcmp(some.row(0, 0), whole.row(0, 0), 9 * 4 * 8 * sizeof(float)) == 0);
            CHECK(std::memcmp(some.row(9, 0), whole.row(9, 0), 4 * 8 * sizeof(float)) != 0);
        }
    }
}

TEMPLATE_TEST_CASE("keys that no query sees are not read: the end of a cache may hold anything", "", float, bf16, f16) {
    random_bits random(79);
    for (int round = 0; round < 8; ++round) {
        const coordinate_selection which = selections[round % 4];
        const position_plan plan = interleaved_plan(random, 300, round);
        const index_t size = plan.size(), end = random.between(1, size - 1);
        const attention_region filled{tokens_from(0, size), tokens_from(0, size)},
            chunk{tokens_from(random.between(0, end - 1), end), tokens_from(0, size)};
        auto in = random_banks<TestType>(plan, which, filled, {6, 2, 24, 16}, random);
        const auto of = [&] { return stream(plan, which, chunk, part_of(in.operands(), plan, which, filled, chunk)); };
        const streamed right = of();
        const TestType nan = narrowed<TestType>(std::numeric_limits<double>::quiet_NaN());
        const auto spoil = [&](std::vector<TestType>& x, index_t first, index_t row) {
            if (!x.empty()) std::fill(x.begin() + first * row, x.end(), nan);
        };
        spoil(in.k, end, 2 * 24);
        spoil(in.v, end, 2 * 16);
        spoil(in.visual_k, visual_tokens(plan, tokens_from(0, end)), 2 * 24);
        CHECK(of() == right);
    }
}
