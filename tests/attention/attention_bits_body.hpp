#pragma once
// Included by translation units that define ATTENTION_BITS_NAME and compile it with different flags.

#include <cstdint>
#include <vector>

#include "polyrope/attention/merge_states.hpp"
#include "polyrope/attention/streaming.hpp"
#include "polyrope/core/exponential.hpp"
#include "polyrope/layout/mrope.hpp"

namespace {

class number_source {
public:
    explicit number_source(std::uint64_t seed) : state_(seed) {}
    std::uint32_t word() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 32);
    }
    /// In [-2, 2).
    float number() { return static_cast<float>(static_cast<std::int32_t>(word())) * 0x1p-30f; }

private:
    std::uint64_t state_;
};

}  // namespace

std::vector<std::uint32_t> ATTENTION_BITS_NAME() {
    using namespace polyrope;
    std::vector<std::uint32_t> found;
    // One NaN counts as any other.
    const auto put = [&](float x) {
        const auto bits = detail::bit_copy<std::uint32_t>(x);
        found.push_back((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits);
    };
    number_source random(7);
    for (int i = 0; i < 200000; ++i) {
        const float any = detail::bit_copy<float>(random.word()), near = random.number() * 32.0f;
        for (const float x : {any, near}) {
            put(detail::scalar::exp2(x));
            put(detail::scalar::exp(x));
            put(detail::scalar::log(x));
            put(detail::scalar::tanh(x));
        }
    }

    const index_t rows = 40, heads = 3, channels = 5;
    std::vector<float> own(static_cast<std::size_t>(rows * heads * channels)), other(own.size());
    std::vector<float> own_sum(static_cast<std::size_t>(rows * heads)), other_sum(own_sum.size());
    for (std::vector<float>* to : {&own, &other, &own_sum, &other_sum})
        for (float& x : *to) x = random.number() * 20.0f;
    own_sum[3] = other_sum[7] = own_sum[9] = other_sum[9] = detail::bit_copy<float>(0xff800000u);
    const status merged =
        merge_states<float>({compact_heads(own.data(), rows, heads, channels), own_sum.data()},
                            {compact_heads<const float>(other.data(), rows, heads, channels), other_sum.data()});
    for (const float x : own) put(x);
    for (const float x : own_sum) put(x);

    const segment prompt[] = {text(31), image(patch_grid{1, 12, 20}), text(40)};
    const auto plan = make_plan(layout::mrope{2}, prompt, 3);
    const position_plan& p = plan.value();
    const index_t size = p.size(), visual = visual_tokens(p, {token_index{0}, token_index{size}});
    std::vector<float> q(static_cast<std::size_t>(size * 4 * 40)), k(static_cast<std::size_t>(size * 2 * 40));
    for (float& x : q) x = random.number();
    for (float& x : k) x = random.number();
    const auto queries = compact_heads<const float>(q.data(), size, 4, 40);
    const auto keys = compact_heads<const float>(k.data(), size, 2, 40);
    const attention_operands<float> in{queries, keys, keys, compact_heads<const float>(q.data() + 160, visual, 4, 40),
                                       compact_heads<const float>(k.data() + 80, visual, 2, 40)};
    const attention_region all{{token_index{0}, token_index{size}}, {token_index{0}, token_index{size}}};
    std::vector<float> out(q.size()), sums(static_cast<std::size_t>(size * 4));
    for (const cpu::level use : {cpu::level::base, cpu::level::automatic})
        for (const double cap : {0.0, 3.0})
            for (const int workers : {1, 3}) {
                attention::streaming_options how;
                how.use = use;
                how.attend.soft_cap = cap;
                how.part.nth = workers;
                bool all_ok = plan.ok() && merged.ok();
                for (int w = 0; w < workers; ++w) {
                    how.part.ith = w;
                    const status s =
                        attention::streaming<float>(p, selection::without_tv_spatial, all, in,
                                                    {compact_heads(out.data(), size, 4, 40), sums.data()}, how);
                    all_ok = all_ok && s.ok();
                }
                found.push_back(all_ok ? 1u : 0u);
                for (const float x : out) put(x);
                for (const float x : sums) put(x);
            }
    return found;
}
