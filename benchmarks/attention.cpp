// Streaming attention beside its own price without a second bank, beside float32 inputs, and beside Eigen's matrix
// product: 32 query and 8 key heads of 128 channels, causal, half of the tokens visual, one thread. At 16,384 tokens
// one of the eight key heads with its four query heads: heads are done one after the other, in the same way. A ratio of
// two_banks_over_one and bf16_over_f32 is a price: the smaller the better.
//
// Built twice: plain, where the level is chosen at run time, and with -march=native (names end in /native), where Eigen
// has the widest registers too.

#include <Eigen/Core>

#include <cmath>
#include <random>

#include "polyrope/attention/streaming.hpp"
#include "polyrope/layout/mrope.hpp"
#include "ratio.hpp"

using namespace polyrope;

namespace {

constexpr index_t channels = 128, group = 4;

#if defined(POLYROPE_BENCH_NATIVE)
const std::string flavour = "/native";
constexpr double rate_bar = 0.85;
#else
const std::string flavour;
constexpr double rate_bar = 1.1;
#endif

void expect_ok(const status& s) {
    if (!s.ok()) {
        std::fprintf(stderr, "%s\n", to_string(s).c_str());
        std::abort();
    }
}

/// Text and images of `run` tokens in turn, `tokens` in all, with operands of any content.
template <class T>
struct prompt {
    position_plan plan;
    std::vector<T> q, k, v, visual_q, visual_k;
    std::vector<float> out;
    index_t tokens, key_heads, query_heads;

    prompt(index_t total, index_t run, index_t keys) : tokens(total), key_heads(keys), query_heads(group * keys) {
        std::vector<segment> segments;
        for (index_t n = 0; n < total; n += 2 * run) {
            segments.push_back(text(run));
            segments.push_back(image(token_grid{1, 4, run / 4}));
        }
        plan = *make_plan(layout::mrope{1}, segments.data(), static_cast<index_t>(segments.size()));
        q = content(query_heads, total), k = content(key_heads, total), v = content(key_heads, total);
        visual_q = content(query_heads, total / 2), visual_k = content(key_heads, total / 2);
        out.resize(static_cast<std::size_t>(total * query_heads * channels));
    }
    static std::vector<T> content(index_t heads, index_t rows) {
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        std::vector<T> all(static_cast<std::size_t>(heads * rows * channels));
        for (T& x : all) {
            const float value = normal(random);
            if constexpr (std::is_same_v<T, float>) x = value;
            else x = detail::bit_copy<T>(detail::bfloat16_bits(value));
        }
        return all;
    }
    void attend(coordinate_selection which) {
        const token_range all{token_index{0}, token_index{tokens}};
        const auto view = [](const std::vector<T>& x, index_t rows, index_t heads) {
            return compact_heads<const T>(x.data(), rows, heads, channels);
        };
        attention_operands<T> in{
            view(q, tokens, query_heads), view(k, tokens, key_heads), view(v, tokens, key_heads), {}, {}};
        if (which.is_mixed()) {
            in.visual_q = view(visual_q, tokens / 2, query_heads);
            in.visual_k = view(visual_k, tokens / 2, key_heads);
        }
        expect_ok(attention::streaming(plan, which, {all, all}, in,
                                       {compact_heads(out.data(), tokens, query_heads, channels), nullptr}));
    }
};

// `ratio` is limit time / own time, so the dearer side stands as the limit.
void add_price(const std::string& name, std::function<void()> dear, std::function<void()> cheap) {
    bench::comparison c;
    c.name = "attention/" + name + flavour;
    c.own = std::move(cheap);
    c.limit = std::move(dear);
    c.rounds = 9;
    bench::add(std::move(c));
}

void add_banks(index_t tokens, index_t run, index_t key_heads) {
    const auto p = std::make_shared<prompt<float>>(tokens, run, key_heads);
    add_price(
        "two_banks_over_one/N:" + std::to_string(tokens) + "/run:" + std::to_string(run),
        [p] { p->attend(selection::without_tv_spatial); }, [p] { p->attend(selection::original); });
}

/// What is done without the masking layer's calls: both score matrices whole, one chosen per pair, a softmax over rows.
/// Each product is Eigen's, at its full rate.
struct eager {
    using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    rows first, second, out;
    std::vector<float> visual;  ///< of each token, 1 or 0

    explicit eager(const prompt<float>& p)
        : first(p.tokens, p.tokens), second(p.tokens, p.tokens), out(p.tokens, channels) {
        for (index_t n = 0; n < p.tokens; ++n)
            visual.push_back(p.plan.kind_of(token_index{n}) == modality::visual ? 1.0f : 0.0f);
    }
    void attend(const prompt<float>& p) {
        using stride = Eigen::OuterStride<>;
        using view = Eigen::Map<const rows, 0, stride>;
        const float scale = 1.0f / std::sqrt(static_cast<float>(channels));
        for (index_t m = 0; m < p.query_heads; ++m) {
            const index_t key_row = p.key_heads * channels, at = m / group * channels;
            const view q(p.q.data() + m * channels, p.tokens, channels, stride(p.query_heads * channels));
            const view k(p.k.data() + at, p.tokens, channels, stride(key_row));
            const view v(p.v.data() + at, p.tokens, channels, stride(key_row));
            first.noalias() = q * k.transpose();
            second.noalias() = q * k.transpose();
            for (index_t n = 0; n < p.tokens; ++n) {
                Eigen::Map<Eigen::ArrayXf> row(first.row(n).data(), n + 1), other(second.row(n).data(), n + 1);
                const Eigen::Map<const Eigen::ArrayXf> kinds(visual.data(), n + 1);
                if (visual[static_cast<std::size_t>(n)] > 0.0f) row = kinds * other + (1.0f - kinds) * row;
                row = ((row - row.maxCoeff()) * scale).exp();
                row *= 1.0f / row.sum();
                first.row(n).tail(p.tokens - 1 - n).setZero();
            }
            out.noalias() = first * v;
        }
    }
};

void add_eager() {
    const auto p = std::make_shared<prompt<float>>(4096, 256, 8);
    const auto whole = std::make_shared<eager>(*p);
    bench::comparison both;
    both.name = "attention/eager_over_two_banks/N:4096" + flavour;
    both.own = [p] { p->attend(selection::without_tv_spatial); };
    both.limit = [p, whole] { whole->attend(*p); };
    both.bar = 3.0;
    both.rounds = 9;
    bench::add(std::move(both));
}

void add_rate() {
    constexpr index_t tokens = 4096, side = 1024;
    const auto p = std::make_shared<prompt<float>>(tokens, 256, 8);
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic>;
    const auto a = std::make_shared<matrix>(matrix::Random(side, side)), b = std::make_shared<matrix>(*a),
               c = std::make_shared<matrix>(*a);
    // Products of the causal half in as many matrix products of the same count.
    constexpr double useful = 4.0 * channels * group * 8 * 0.5 * tokens * (tokens + 1.0);
    constexpr double once = 2.0 * side * side * side;
    bench::comparison both;
    both.name = "attention/rate_over_gemm/N:4096" + flavour;
    both.own = [p] { p->attend(selection::without_tv_spatial); };
    both.limit = [a, b, c] {
        for (int i = 0; i < static_cast<int>(useful / once + 0.5); ++i) c->noalias() = *a * *b;
    };
    both.bar = rate_bar;
    both.rounds = 9;
    bench::add(std::move(both));
}

}  // namespace

int main(int argc, char** argv) {
    add_banks(4096, 256, 8);
    add_banks(4096, 64, 8);
    add_banks(4096, 16, 8);
    add_banks(16384, 256, 1);
    add_eager();
    add_rate();
    const auto wide = std::make_shared<prompt<float>>(4096, 256, 8);
    const auto narrow = std::make_shared<prompt<bf16>>(4096, 256, 8);
    add_price(
        "bf16_over_f32/N:4096", [narrow] { narrow->attend(selection::without_tv_spatial); },
        [wide] { wide->attend(selection::without_tv_spatial); });
    return bench::run(argc, argv);
}
