#pragma once
// The streaming kernel beside the definition in double. Both read the same numbers: those of the banks, rounded to T.

#include "attention/prompt.hpp"
#include "polyrope/attention/streaming.hpp"

namespace polyrope::test {

struct shape {
    index_t query_heads, key_heads, head_dim, channels;
};

/// Text, images and videos in turn, at least two images and a video among them, in about `tokens` tokens: runs of one
/// token to several hundred. Frames have text between them where `gaps` says so.
inline std::vector<segment> interleaved_prompt(random_bits& random, index_t tokens, bool gaps = false) {
    std::vector<segment> out;
    const index_t widest = tokens > 2000 ? 24 : 9;
    index_t count = 0;
    for (int i = 0; count < tokens || i < 6; ++i) {
        const index_t rows = random.between(1, widest), columns = random.between(1, widest);
        const index_t length = random.chance(30) ? random.between(1, 3) : random.between(4, widest * 16);
        if (i % 6 == 3) {
            const index_t frames = random.between(2, 4), gap = gaps ? random.between(0, 3) : 0;
            out.push_back(with_gap(video(token_grid{frames, rows, columns}, untimed), gap));
            count += frames * (rows * columns + gap);
        } else if (i % 6 == 1 || i % 6 == 4) {
            out.push_back(image(token_grid{1, rows, columns}));
            count += rows * columns;
        } else if (random.chance(80)) {
            out.push_back(text(length));
            count += length;
        }
    }
    return out;
}

/// Plans of them: diagonal M-RoPE, with its reset, or frame by frame.
inline position_plan interleaved_plan(random_bits& random, index_t tokens, int kind) {
    layout::mrope layout{1};
    layout.spatial_reset = kind % 3 == 1;
    if (kind % 3 == 2) layout.video = layout::video_form::frame_by_frame;
    return plan_of(layout, interleaved_prompt(random, tokens, kind % 3 == 2));
}

template <class T>
T narrowed(double x) {
    if constexpr (std::is_same_v<T, float>) return static_cast<float>(x);
    else return T::from(static_cast<float>(x));
}

/// A copy in T; the source is rounded to it.
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

/// Banks in T and, as the definition reads them, in double.
template <class T>
struct rounded_banks {
    banks wide;
    std::vector<T> q, k, v, visual_q, visual_k;

    explicit rounded_banks(banks in) : wide(std::move(in)) {
        q = rounded<T>(wide.q);
        k = rounded<T>(wide.k);
        v = rounded<T>(wide.v);
        visual_q = rounded<T>(wide.visual_q);
        visual_k = rounded<T>(wide.visual_k);
    }
    [[nodiscard]] attention_operands<T> operands() const {
        return {view_of(q, wide.q), view_of(k, wide.k), view_of(v, wide.v), view_of(visual_q, wide.visual_q),
                view_of(visual_k, wide.visual_k)};
    }
};

template <class T>
rounded_banks<T> random_banks(const position_plan& plan, coordinate_selection which, const attention_region& region,
                              shape s, random_bits& random) {
    const index_t queries = region.queries.size(), keys = region.keys.size();
    return rounded_banks<T>(make_banks(
        small_rotary(s.head_dim), plan, which, region, random_heads(random, queries, s.query_heads, s.head_dim),
        random_heads(random, keys, s.key_heads, s.head_dim), random_heads(random, keys, s.key_heads, s.channels)));
}

/// Operands of a region inside `whole`, out of those of the whole.
template <class T>
attention_operands<T> part_of(const attention_operands<T>& in, const position_plan& plan, coordinate_selection which,
                              const attention_region& whole, const attention_region& region) {
    const auto rows = [](const heads_view<const T>& view, token_range all, token_range some) {
        return view.sub(some.begin.value - all.begin.value, some.end.value - all.begin.value);
    };
    attention_operands<T> out{rows(in.q, whole.queries, region.queries), rows(in.k, whole.keys, region.keys),
                              rows(in.v, whole.keys, region.keys), in.visual_q, in.visual_k};
    if (!which.is_mixed()) return out;
    const auto visual_rows = [&](const heads_view<const T>& view, token_range all, token_range some) {
        const index_t first = visual_tokens(plan, {all.begin, some.begin});
        return view.sub(first, first + visual_tokens(plan, some));
    };
    out.visual_q = visual_rows(in.visual_q, whole.queries, region.queries);
    out.visual_k = visual_rows(in.visual_k, whole.keys, region.keys);
    return out;
}

struct streamed {
    index_t queries, heads, channels;
    std::vector<float> out, log_sum_exp;

    [[nodiscard]] const float* row(index_t n, index_t m) const { return out.data() + (n * heads + m) * channels; }
    [[nodiscard]] attention_output view() {
        return {compact_heads(out.data(), queries, heads, channels), log_sum_exp.data()};
    }
    friend bool operator==(const streamed& x, const streamed& y) {
        const auto same = [](const std::vector<float>& a, const std::vector<float>& b) {
            return a.size() == b.size() &&
                   (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
        };
        return same(x.out, y.out) && same(x.log_sum_exp, y.log_sum_exp);
    }
};

/// The kernel's answer, worker by worker.
template <class T>
streamed stream(const position_plan& plan, coordinate_selection which, const attention_region& region,
                const attention_operands<T>& in, attention_options options = {}, int workers = 1) {
    streamed found{region.queries.size(), in.q.heads, in.v.head_dim, {}, {}};
    found.out.assign(static_cast<std::size_t>(found.queries * found.heads * found.channels), -77.0f);
    found.log_sum_exp.assign(static_cast<std::size_t>(found.queries * found.heads), -77.0f);
    attention::streaming_options how;
    how.attend = options;
    for (how.part = {0, workers}; how.part.ith < workers; ++how.part.ith) {
        const status s = attention::streaming(plan, which, region, in, found.view(), how);
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
    }
    return found;
}

/// Holds every `stride`-th query of all heads against the definition: 2e-6 of the largest value, 1e-5 of the row's
/// largest output, and 2e-6 of the log-sum-exp.
inline void check_streamed(const streamed& found, const attention::reference<double>& truth, const heads& v,
                           index_t stride = 1) {
    double largest = 0.0, absolute = 0.0, relative = 0.0, of_lse = 0.0;
    for (const double x : v.data) largest = std::max(largest, std::abs(x));
    std::vector<double> row(static_cast<std::size_t>(found.channels));
    for (index_t n = 0; n < found.queries; n += stride)
        for (index_t m = 0; m < found.heads; ++m) {
            const double right_lse = truth.attend(n, m, row.data());
            double top = 0.0, error = 0.0;
            for (index_t c = 0; c < found.channels; ++c) {
                const double right = row[static_cast<std::size_t>(c)];
                top = std::max(top, std::abs(right));
                const double off = std::abs(static_cast<double>(found.row(n, m)[c]) - right);
                error = off <= error ? error : off;  // keeps a NaN
            }
            absolute = error <= absolute ? absolute : error;
            relative = error / top <= relative ? relative : error / top;
            const double off = std::abs(
                static_cast<double>(found.log_sum_exp[static_cast<std::size_t>(n * found.heads + m)]) - right_lse);
            of_lse =
                off <= of_lse * std::max(1.0, std::abs(right_lse)) ? of_lse : off / std::max(1.0, std::abs(right_lse));
        }
    CHECK(absolute <= 2e-6 * largest);
    CHECK(relative <= 1e-5);
    CHECK(of_lse <= 2e-6);
}

/// Draws operands, streams them by one worker and by three, and holds the answer against the definition.
template <class T>
void check_streaming(const position_plan& plan, coordinate_selection which, const attention_region& region, shape s,
                     attention_options options, random_bits& random, index_t stride = 1) {
    const auto in = random_banks<T>(plan, which, region, s, random);
    const streamed found = stream(plan, which, region, in.operands(), options);
    CHECK(found == stream(plan, which, region, in.operands(), options, 3));
    const auto truth = attention::reference<double>::make(plan, which, region, in.wide.operands(), options);
    INFO(to_string(truth.error()).c_str());
    REQUIRE(truth.ok());
    check_streamed(found, *truth, in.wide.v, stride);
}

inline token_range tokens_from(index_t begin, index_t end) { return {token_index{begin}, token_index{end}}; }

}  // namespace polyrope::test
