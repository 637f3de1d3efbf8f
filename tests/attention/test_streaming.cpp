// The streaming kernel against the definition in double: every selection, mask, chunk and grouping.

#include "attention/prompt.hpp"
#include "polyrope/attention/streaming.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T>
T narrowed(double x) {
    if constexpr (std::is_same_v<T, float>) return static_cast<float>(x);
    else return detail::bit_copy<T>(detail::bfloat16_bits(static_cast<float>(x)));
}

/// A copy in T; the source is rounded to it, so that both kernels read the same numbers.
template <class T>
std::vector<T> rounded(heads& from) {
    std::vector<T> out;
    for (double& x : from.data) {
        out.push_back(narrowed<T>(x));
        x = static_cast<double>(detail::widened(out.back()));
    }
    return out;
}
template <class T>
heads_view<const T> view_of(const std::vector<T>& data, const heads& like) {
    const auto v = like.view();
    return compact_heads(data.data(), v.tokens, v.heads, v.head_dim);
}

struct shape {
    index_t query_heads, key_heads, head_dim, channels;
};

template <class T>
void check(const position_plan& plan, coordinate_selection which, const attention_region& region, shape s,
           attention_options options, random_bits& random, index_t stride = 1) {
    const index_t queries = region.queries.size(), keys = region.keys.size();
    banks in = make_banks(
        small_rotary(s.head_dim), plan, which, region, random_heads(random, queries, s.query_heads, s.head_dim),
        random_heads(random, keys, s.key_heads, s.head_dim), random_heads(random, keys, s.key_heads, s.channels));
    const auto q = rounded<T>(in.q), k = rounded<T>(in.k), v = rounded<T>(in.v), vq = rounded<T>(in.visual_q),
               vk = rounded<T>(in.visual_k);
    const attention_operands<T> narrow{view_of(q, in.q), view_of(k, in.k), view_of(v, in.v), view_of(vq, in.visual_q),
                                       view_of(vk, in.visual_k)};
    std::vector<float> out(static_cast<std::size_t>(queries * s.query_heads * s.channels)), again(out.size());
    std::vector<float> lse(static_cast<std::size_t>(queries * s.query_heads));
    attention::streaming_options how;
    how.attend = options;
    REQUIRE(attention::streaming(plan, which, region, narrow,
                                 {compact_heads(out.data(), queries, s.query_heads, s.channels), lse.data()}, how)
                .ok());
    for (how.part = {0, 3}; how.part.ith < 3; ++how.part.ith)
        REQUIRE(attention::streaming(plan, which, region, narrow,
                                     {compact_heads(again.data(), queries, s.query_heads, s.channels), nullptr}, how)
                    .ok());
    CHECK(std::memcmp(out.data(), again.data(), out.size() * sizeof(float)) == 0);

    const auto truth = *attention::reference<double>::make(plan, which, region, in.operands(), options);
    double absolute = 0.0, relative = 0.0, of_lse = 0.0;
    std::vector<double> row(static_cast<std::size_t>(s.channels));
    for (index_t n = 0; n < queries; n += stride)
        for (index_t m = 0; m < s.query_heads; ++m) {
            const double l = truth.attend(n, m, row.data());
            double top = 0.0, error = 0.0;
            for (index_t c = 0; c < s.channels; ++c) {
                const double right = row[static_cast<std::size_t>(c)];
                top = std::max(top, std::abs(right));
                error = std::max(error,
                                 std::abs(static_cast<double>(
                                              out[static_cast<std::size_t>((n * s.query_heads + m) * s.channels + c)]) -
                                          right));
            }
            absolute = std::max(absolute, error);
            relative = std::max(relative, error / top);
            of_lse = std::max(of_lse,
                              std::abs(static_cast<double>(lse[static_cast<std::size_t>(n * s.query_heads + m)]) - l) /
                                  std::max(1.0, std::abs(l)));
        }
    CHECK(absolute <= 2e-6 * 2.0);  // values reach 2
    CHECK(relative <= 1e-5);
    CHECK(of_lse <= 2e-6);
}

}  // namespace

TEST_CASE("streaming attention is the definition's, for every selection, mask, chunk and grouping") {
    random_bits random(41);
    const position_plan plan =
        plan_of(layout::mrope{2}, {text(5), image(patch_grid{1, 16, 20}), image(patch_grid{1, 4, 4}), text(70),
                                   video(patch_grid{3, 8, 8}, untimed), text(9)});
    const index_t size = plan.size();
    const auto range = [](index_t begin, index_t end) { return token_range{token_index{begin}, token_index{end}}; };
    for (const coordinate_selection which : selections)
        for (const visibility sees : {visibility::causal, visibility::whole_image}) {
            attention_options options;
            options.sees = sees;
            check<float>(plan, which, {range(0, size), range(0, size)}, {4, 1, 32, 24}, options, random, 3);
            check<bf16>(plan, which, {range(0, size), range(0, size)}, {2, 2, 32, 24}, options, random, 5);
            for (const index_t cut : {index_t{3}, index_t{40}, index_t{120}, size - 1})
                check<float>(plan, which, {range(cut, size), range(0, size)}, {4, 2, 24, 70}, options, random, 5);
            options.soft_cap = 5.0;
            options.scale = 0.2;
            check<float>(plan, which, {range(20, 90), range(0, 100)}, {10, 1, 12, 5}, options, random);
            check<float>(plan, which, {range(size + 3, size + 4), range(0, size + 4)}, {16, 2, 128, 128}, options,
                         random);
        }
}

TEST_CASE("streaming attention holds its bounds over four thousand tokens of 32 and 16 query heads") {
    random_bits random(43);
    const position_plan plan = plan_of(layout::mrope{2}, {text(700), image(patch_grid{1, 40, 44}), text(811),
                                                          video(patch_grid{4, 40, 40}, untimed), text(533)});
    const token_range all{token_index{0}, token_index{plan.size()}};
    REQUIRE(plan.size() > 4000);
    check<float>(plan, selection::without_tv_spatial, {all, all}, {32, 8, 24, 24}, {}, random, 401);
    check<bf16>(plan, selection::without_vv_spatial, {all, all}, {16, 2, 24, 24}, {}, random, 401);
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

TEST_CASE("streaming attention refuses what does not fit, and writes nothing") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(2)});
    const attention_region region{{token_index{0}, token_index{2}}, {token_index{0}, token_index{2}}};
    const std::vector<float> in(2 * 300);
    std::vector<float> out(2 * 300, 7.0f);
    const auto call = [&](index_t head_dim, index_t out_tokens, partition part) {
        const auto x = compact_heads(in.data(), 2, 1, head_dim);
        attention::streaming_options how;
        how.part = part;
        const status s = attention::streaming<float>(plan, selection::original, region, {x, x, x, {}, {}},
                                                     {compact_heads(out.data(), out_tokens, 1, head_dim)}, how);
        CHECK(out[0] == 7.0f);
        return s;
    };
    CHECK(call(300, 2, {}) == status{errc::capacity_exceeded, operand::head_dim, 0, 256, 300});
    CHECK(call(8, 1, {}) == status{errc::extent_mismatch, operand::output, 0, 2, 1});
    CHECK(call(8, 2, {2, 2}) == status{errc::partition_invalid, operand::none, 0, 2, 2});
}
