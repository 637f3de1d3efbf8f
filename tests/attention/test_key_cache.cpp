// A cache that holds every key once, at its text-vision position: what text needs, under all four selections, and what
// a prompt with another image needs beside it.

#include "attention/engine.hpp"
#include "attention/ordinary.hpp"
#include "polyrope/cpu/rerotate.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/mask/cache_requirement.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr index_t query_heads = 4, key_heads = 2, head_dim = 24, channels = 6;

heads joined(heads x, const heads& more) {
    x.data.insert(x.data.end(), more.data.begin(), more.data.end());
    return x;
}

/// Elements of a cache, as an engine's kernel widens them.
template <class T>
heads widened_heads(const std::vector<T>& data, index_t count, index_t width) {
    heads out{{}, count, width};
    for (const T x : data) out.data.push_back(static_cast<double>(detail::widened(x)));
    return out;
}

/// Largest difference of an ordinary kernel's answer from the definition's.
double off(const answer& found, const attention::reference<double>& truth, index_t queries) {
    double worst = 0.0, right[channels];
    for (index_t n = 0; n < queries; ++n)
        for (index_t m = 0; m < query_heads; ++m) {
            static_cast<void>(truth.attend(n, m, right));
            for (index_t c = 0; c < channels; ++c)
                worst = std::max(
                    worst,
                    std::abs(right[c] - found.out[static_cast<std::size_t>((n * query_heads + m) * channels + c)]));
        }
    return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("text, drafts and beams too, decodes over a cache of one bank by ordinary attention", "", float,
                   bf16, f16) {
    random_bits random(109);
    const rotary rope = small_rotary(head_dim);
    for (int round = 0; round < 12; ++round) {
        const coordinate_selection which = selections[round % 4];
        const position_plan plan = interleaved_plan(random, random.between(30, 200), round);
        const index_t size = plan.size();
        const cache_requirement_t kept = cache_requirement(plan, which, tokens_from(size, index_max));
        CHECK(kept.banks() == 1);
        CHECK(kept.neutral == (which.tv == position_source::neutral));
        const auto draw = [&](index_t tokens, index_t count, index_t width) {
            return random_heads(random, tokens, count, width);
        };
        const auto prompt =
            engine_tensors_of<TestType>(rope, plan, 0, which, draw(size, query_heads, head_dim),
                                        draw(size, key_heads, head_dim), draw(size, key_heads, channels));
        for (int beam = 0; beam < 3; ++beam) {
            const index_t steps = beam == 0 ? 1 : random.between(2, 6);
            const auto drafts =
                engine_tensors_of<TestType>(rope, plan, size, which, draw(steps, query_heads, head_dim),
                                            draw(steps, key_heads, head_dim), draw(steps, key_heads, channels));
            CHECK(drafts.visual_k.empty());
            // The definition is given both banks of every key, and, of float32, everything in double from the start.
            const banks full{
                widened_heads(drafts.q, query_heads, head_dim),
                joined(widened_heads(prompt.k, key_heads, head_dim), widened_heads(drafts.k, key_heads, head_dim)),
                joined(prompt.wide_v, drafts.wide_v), heads{{}, query_heads, head_dim},
                widened_heads(prompt.visual_k, key_heads, head_dim)};
            const answer found = ordinary(full.q, full.k, full.v, true);
            const attention_region region{tokens_from(size, size + steps), tokens_from(0, size + steps)};
            const auto away = [&](const banks& in) {
                const auto truth = attention::reference<double>::make(plan, which, region, in.operands());
                INFO(to_string(truth.error()).c_str());
                REQUIRE(truth.ok());
                return off(found, *truth, steps);
            };
            CHECK(away(full) <= 1e-12);
            if (!std::is_same_v<TestType, float>) continue;
            CHECK(away(make_banks(rope, plan, which, region, drafts.wide_q, joined(prompt.wide_k, drafts.wide_k),
                                  full.v)) <= 5e-6);
        }
    }
}

TEST_CASE("one bank does not serve a visual query of a mixed selection") {
    random_bits random(113);
    const rotary rope = small_rotary(head_dim);
    const position_plan plan = plan_of(layout::mrope{1}, {text(6), image(token_grid{1, 5, 6}), text(3)});
    const attention_region image{tokens_from(6, 36), tokens_from(0, 36)};
    const heads q = random_heads(random, 30, query_heads, head_dim), k = random_heads(random, 36, key_heads, head_dim),
                v = random_heads(random, 36, key_heads, channels);
    for (const coordinate_selection which : selections) {
        const banks in = make_banks(rope, plan, which, image, q, k, v);
        const double away = off(ordinary(in.q, in.k, v, true),
                                *attention::reference<double>::make(plan, which, image, in.operands()), 30);
        const index_t kept = cache_requirement(plan, which, tokens_from(20, index_max)).banks();
        CHECK(kept == (which.is_mixed() ? 2 : 1));
        CHECK((which.is_mixed() ? away > 0.1 : away <= 1e-12));
    }
}

namespace {

/// The other bank of a prefix's visual tokens, out of the one that was kept.
template <class T>
std::vector<T> other_bank(const rotary& rope, const position_plan& plan, coordinate_selection which,
                          const std::vector<T>& kept, index_t tokens) {
    const auto order = order_of(plan, tokens_from(0, tokens), token_order::visual);
    const auto count = static_cast<index_t>(order.size());
    constexpr index_t row = key_heads * head_dim;
    std::vector<T> keys;
    std::vector<token_index> at;
    for (const index_t n : order) {
        keys.insert(keys.end(), kept.begin() + n * row, kept.begin() + (n + 1) * row);
        at.push_back(token_index{n});
    }
    std::vector<double> from(static_cast<std::size_t>(3 * count)), to(from.size());
    fill_options options;
    options.source = which.tv;
    REQUIRE(plan.fill(at.data(), count, axis_major(from.data(), 3, count), options).ok());
    options.source = which.vv;
    REQUIRE(plan.fill(at.data(), count, axis_major(to.data(), 3, count), options).ok());
    const auto positions = [&](const std::vector<double>& x) { return axis_major(x.data(), 3, count); };
    REQUIRE(cpu::rerotate(rope, positions(from), positions(to), compact_heads(keys.data(), count, key_heads, head_dim))
                .ok());
    return keys;
}

/// Largest error of a key, in parts of the length of its pair of channels.
template <class T>
double error_of_keys(const std::vector<T>& keys, const heads& exact) {
    double worst = 0.0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t c = i % head_dim, mate = c < head_dim / 2 ? i + head_dim / 2 : i - head_dim / 2;
        const double length = std::hypot(exact.data[i], exact.data[mate]);
        if (length > 0.0)
            worst = std::max(worst, std::abs(static_cast<double>(detail::widened(keys[i])) - exact.data[i]) / length);
    }
    return worst;
}

template <class T, class Layout>
void check_continuation(const Layout& layout, coordinate_selection which, random_bits& random) {
    const rotary rope = small_rotary(head_dim);
    const std::vector<segment> first = {text(random.between(1, 20)), image(token_grid{1, 4, random.between(2, 9)}),
                                        text(3), image(token_grid{1, 3, 3}), text(random.between(1, 9))},
                               then = {text(2), image(token_grid{1, 6, 5}), text(4)};
    const index_t generated = random.between(0, 5);
    const position_plan prefix = plan_of(layout, first),
                        plan = prefix.append(layout, then.data(), 3, continue_at::next_position, generated).value();
    const index_t done = prefix.size() + generated, size = plan.size();
    REQUIRE(size == done + 36);
    CHECK(cache_requirement(prefix, which, tokens_from(prefix.size(), index_max)).banks() == 1);
    CHECK(cache_requirement(plan, which, tokens_from(done, index_max)).banks() == 2);

    const auto all = engine_tensors_of<T>(rope, plan, 0, which, random_heads(random, size, query_heads, head_dim),
                                          random_heads(random, size, key_heads, head_dim),
                                          random_heads(random, size, key_heads, channels));
    auto served = all;
    const std::vector<T> again = other_bank(rope, plan, which, all.k, done);
    std::copy(again.begin(), again.end(), served.visual_k.begin());

    const token_range whole = tokens_from(0, size);
    const attention_region rest{tokens_from(done, size), whole};
    const banks exact = definition_banks(rope, plan, which, rest, all.wide_q, all.wide_k, all.wide_v);
    const auto truth = *attention::reference<double>::make(plan, which, rest, exact.operands());
    const auto of = [&](const engine_tensors<T>& in) {
        return stream(plan, which, rest, part_of(in.operands(), plan, which, {whole, whole}, rest));
    };
    const streamed right = of(all), found = of(served);

    // Turned once, a 16-bit key is half a unit off its place in each channel; turned on, a second half unit comes to
    // the first, which was turned along: at most twice as far, in parts of the pair's length.
    const double half_unit = std::is_same_v<T, bf16> ? 0x1p-8 : std::is_same_v<T, f16> ? 0x1p-11 : 3e-7;
    const std::vector<T> fresh(all.visual_k.begin(), all.visual_k.begin() + static_cast<std::ptrdiff_t>(again.size()));
    const double once = error_of_keys(fresh, exact.visual_k), twice = error_of_keys(again, exact.visual_k);
    CHECK(once <= half_unit * 1.001);
    CHECK(twice <= 2.0 * half_unit * 1.001);
    if (!std::is_same_v<T, float>) CHECK(twice > once);

    // A score moves by no more than its query's length times the key's error, an output by twice the largest value
    // times that.
    double longest = 0.0, farthest = 0.0, most = 0.0;
    const auto length = [](const std::vector<double>& data, std::size_t begin) {
        double sum = 0.0;
        for (std::size_t c = 0; c < head_dim; ++c) sum += data[begin + c] * data[begin + c];
        return std::sqrt(sum);
    };
    for (std::size_t i = 0; i < all.wide_q.data.size(); i += head_dim)
        longest = std::max(longest, length(all.wide_q.data, i));
    for (std::size_t i = 0; i < again.size(); i += head_dim) {
        std::vector<double> away;
        for (std::size_t c = i; c < i + head_dim; ++c)
            away.push_back(static_cast<double>(detail::widened(again[c])) -
                           static_cast<double>(detail::widened(fresh[c])));
        farthest = std::max(farthest, length(away, 0));
    }
    const double score = longest * farthest / std::sqrt(static_cast<double>(head_dim));
    for (std::size_t i = 0; i < found.out.size(); ++i)
        most = std::max(most, std::abs(static_cast<double>(found.out[i]) - static_cast<double>(right.out[i])));
    CHECK(most <= 2.0 * 2.0 * score + 4e-6);
    if (!std::is_same_v<T, float>) return;
    for (index_t n = 0; n < found.queries; ++n)
        for (index_t m = 0; m < query_heads; ++m) {
            double row[channels];
            static_cast<void>(truth.attend(n, m, row));
            for (index_t c = 0; c < channels; ++c)
                most = std::max(most, std::abs(static_cast<double>(found.row(n, m)[c]) - row[c]));
        }
    CHECK(most <= 1e-5);
}

}  // namespace

TEMPLATE_TEST_CASE("a shared prefix that kept one bank serves a continuation with an image", "", float, bf16, f16) {
    random_bits random(127);
    layout::mrope reset{1};
    reset.spatial_reset = true;
    for (int round = 0; round < 6; ++round)
        for (const coordinate_selection which : {selection::without_tv_spatial, selection::without_vv_spatial}) {
            check_continuation<TestType>(layout::mrope{1}, which, random);
            check_continuation<TestType>(reset, which, random);
            check_continuation<TestType>(layout::circle_rope{1}, which, random);
        }
}
