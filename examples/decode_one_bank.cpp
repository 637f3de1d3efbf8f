// Decoding over a cache that holds every key once. Text asks each key for its text-vision position, under all four
// selections, so once the last image of a prompt is prefilled an ordinary attention kernel over one bank is the whole
// definition. Prints, for each selection, the bytes of a visual token's keys and how far the two answers are apart.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <polyrope/attention.hpp>
#include <polyrope/cpu/banks.hpp>
#include <polyrope/frequency/geometric.hpp>
#include <polyrope/frequency/interleaved.hpp>
#include <polyrope/layout/mrope.hpp>

using namespace polyrope;

namespace {

constexpr index_t head_dim = 64, query_heads = 4, key_heads = 2;

std::vector<float> content(index_t tokens, index_t heads, int seed) {
    std::vector<float> all(static_cast<std::size_t>(tokens * heads * head_dim));
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = std::sin(static_cast<float>(i) * 0.7f + static_cast<float>(seed));
    return all;
}

/// What every engine has: one query head over keys that lie in a row, no word of kinds or banks.
void ordinary_attention(const float* q, heads_view<const float> k, heads_view<const float> v, index_t head,
                        float* out) {
    std::vector<double> weights, answer(static_cast<std::size_t>(head_dim));
    double highest = -1e300, sum = 0.0;
    for (index_t j = 0; j < k.tokens; ++j) {
        double score = 0.0;
        for (index_t c = 0; c < head_dim; ++c)
            score += static_cast<double>(q[c]) * static_cast<double>(k.at(j, head)[c]);
        weights.push_back(score / std::sqrt(static_cast<double>(head_dim)));
        highest = std::max(highest, weights.back());
    }
    for (double& w : weights) sum += w = std::exp(w - highest);
    for (index_t j = 0; j < k.tokens; ++j)
        for (index_t c = 0; c < head_dim; ++c)
            answer[static_cast<std::size_t>(c)] +=
                weights[static_cast<std::size_t>(j)] / sum * static_cast<double>(v.at(j, head)[c]);
    for (index_t c = 0; c < head_dim; ++c) out[c] = static_cast<float>(answer[static_cast<std::size_t>(c)]);
}

struct named {
    const char* name;
    coordinate_selection which;
};
constexpr named selections[] = {{"original", selection::original},
                                {"without T-V spatial", selection::without_tv_spatial},
                                {"without V-V spatial", selection::without_vv_spatial},
                                {"without both", selection::without_both_spatial}};

}  // namespace

int main() {
    const segment prompt[] = {text(5), image(patch_grid{1, 12, 20}), text(7)};
    const auto plan = make_plan(layout::mrope{2}, prompt, 3);
    const auto table = make_frequency_table(allocation::interleaved{thw{12, 10, 10}}, spectrum::geometric{1e6},
                                            head_dim, pairing::half_split);
    if (!plan.ok() || !table.ok()) return 1;
    const auto rope = make_rotary(*table);
    if (!rope.ok()) return 1;

    // The prompt, and one token that is decoded behind it.
    const index_t tokens = plan->size() + 1, last = plan->size();
    const index_t visual = visual_tokens(*plan, {token_index{0}, token_index{tokens}});
    bool equal = true;
    for (const auto& [name, which] : selections) {
        auto q = content(tokens, query_heads, 1), k = content(tokens, key_heads, 2);
        const auto v = content(tokens, key_heads, 3);
        const index_t second = which.is_mixed() ? visual : 0;
        std::vector<float> visual_q(static_cast<std::size_t>(second * query_heads * head_dim)),
            visual_k(static_cast<std::size_t>(second * key_heads * head_dim));
        const auto queries = compact_heads(q.data(), tokens, query_heads, head_dim);
        const auto keys = compact_heads(k.data(), tokens, key_heads, head_dim);
        const auto values = compact_heads(v.data(), tokens, key_heads, head_dim);
        const auto seen_q = compact_heads(visual_q.data(), second, query_heads, head_dim);
        const auto seen_k = compact_heads(visual_k.data(), second, key_heads, head_dim);
        const status turned = cpu::rotate_banks(*rope, *plan, token_index{0}, which, queries, keys, seen_q, seen_k);
        if (!turned.ok()) return std::printf("%s\n", to_string(turned).c_str()), 1;

        // `keys` is the cache: the second bank of visual keys is not needed any more.
        const auto kept = cache_requirement(*plan, which, {token_index{last}, token_index{index_max}});
        const attention_region all{{token_index{0}, token_index{tokens}}, {token_index{0}, token_index{tokens}}};
        const auto definition = attention::reference<float>::make(
            *plan, which, all, {queries.as_const(), keys.as_const(), values, seen_q.as_const(), seen_k.as_const()});
        if (!definition.ok()) return std::printf("%s\n", to_string(definition.error()).c_str()), 1;
        float apart = 0.0f, found[head_dim], right[head_dim];
        for (index_t m = 0; m < query_heads; ++m) {
            ordinary_attention(queries.at(last, m), keys.as_const(), values, m * key_heads / query_heads, found);
            definition->attend(last, m, right);
            for (index_t c = 0; c < head_dim; ++c) apart = std::max(apart, std::abs(found[c] - right[c]));
        }
        const auto bytes = kept.key_bytes(modality::visual, key_heads, head_dim, 2);
        std::printf("%-20s %lld bank, %lld bytes of keys a visual token, %.1e apart\n", name,
                    static_cast<long long>(kept.banks()), static_cast<long long>(bytes), static_cast<double>(apart));
        equal = equal && kept.banks() == 1 && apart < 1e-6f;
    }
    return equal ? 0 : 1;
}
