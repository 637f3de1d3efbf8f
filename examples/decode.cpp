// A decode step of a serving engine: three requests at different places, one token each, keys in a paged cache.
// Positions of all requests come from one call, and the new keys are turned where they lie.

#include <cstdio>
#include <cstring>
#include <vector>

#include "polyrope/layout/decode.hpp"
#include "polyrope/polyrope.hpp"

using namespace polyrope;

int main() {
    const auto model = preset::qwen2_5_vl{}.make();
    const auto rope = make_rotary(model->frequencies);
    const index_t q_heads = model->shape.query_heads, k_heads = model->shape.key_value_heads,
                  dim = model->shape.head_dim;

    // Three prompts: text, an image, a video. Each request keeps its plan and how many tokens it has.
    const segment words[] = {text(40)};
    const segment picture[] = {text(15), image(patch_grid{1, 34, 46}), text(12)};
    const segment clip[] = {text(15), video(patch_grid{8, 20, 36}, seconds_per_grid{4, 5}), text(9)};
    const auto a = make_plan(model->layout, words, 1), b = make_plan(model->layout, picture, 3),
               c = make_plan(model->layout, clip, 3);
    const decode_request step[] = {
        {&*a, token_index{a->size() + 7}}, {&*b, token_index{b->size()}}, {&*c, token_index{c->size() + 100}}};

    // Positions [axes, requests].
    std::int32_t positions[3 * 3];
    status s = decode_positions(step, 3, axis_major(positions, 3, 3));

    // Queries [requests, heads, channels] are turned as they stand, keys in the slots that the cache
    // gave the new tokens.
    constexpr index_t slots = 64;
    const index_t slot_of_request[] = {5, 62, 17};
    std::vector<bf16> q(static_cast<std::size_t>(3 * q_heads * dim), bf16::from(0.5f));
    std::vector<bf16> cache(static_cast<std::size_t>(slots * k_heads * dim), bf16::from(0.25f));
    const auto keys = compact_heads(cache.data(), slots, k_heads, dim);
    const auto at = axis_major(positions, 3, 3);
    if (s.ok()) s = cpu::rotate(*rope, at, compact_heads(q.data(), 3, q_heads, dim));
    cpu::rotate_options paged;
    paged.slots = {slot_of_request, 3};
    if (s.ok()) s = cpu::rotate(*rope, at, no_heads<bf16>(), keys, paged);

    // The same keys one by one, straight from each plan: the same bits. Every other slot is untouched.
    std::vector<bf16> alone(cache.size(), bf16::from(0.25f));
    for (int i = 0; i < 3 && s.ok(); ++i) {
        const auto key =
            compact_heads(alone.data(), slots, k_heads, dim).sub(slot_of_request[i], slot_of_request[i] + 1);
        s = cpu::rotate(*rope, cpu::planned(*step[i].plan, step[i].token), no_heads<bf16>(), key);
        std::printf("request %d: token %5lld sits at %4d, its key lies in slot %lld\n", i,
                    static_cast<long long>(step[i].token.value), positions[i],
                    static_cast<long long>(slot_of_request[i]));
    }
    const bool same = std::memcmp(alone.data(), cache.data(), cache.size() * sizeof(bf16)) == 0;
    std::printf("%s, %s\n", to_string(s).c_str(), same ? "the same bits as one by one" : "OTHER BITS than one by one");
    return s.ok() && same ? 0 : 1;
}
