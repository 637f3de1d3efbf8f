// Random prompts: an oracle that walks token by token, every way to ask, every way to build.

#include <algorithm>
#include <cmath>

#include "layout/prompts.hpp"
#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/serialise.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

struct walked {
    std::vector<coordinate> tokens;
    std::vector<coordinate> neutral;
    std::vector<modality> kinds;
    double next = 0.0;
    double largest = -1.0;
};

/// M-RoPE, written once more from the rules: one token at a time, no placements.
walked walk(const layout::mrope& layout, const std::vector<segment>& prompt) {
    walked w;
    const auto put = [&](coordinate c, coordinate n, modality kind) {
        w.tokens.push_back(c);
        w.neutral.push_back(n);
        w.kinds.push_back(kind);
        for (int a = 0; a < 3; ++a) w.largest = std::max(w.largest, c[a]);
    };
    const auto words = [&](index_t count) {
        for (; count > 0; --count, w.next += layout.text_step) {
            const coordinate c{{w.next, w.next, w.next}};
            put(c, c, modality::text);
        }
    };
    const auto time_of = [&](const segment& s, index_t f) -> double {
        const auto rate = layout.time.tokens_per_second;
        const index_t n = s.seconds.numerator, d = s.seconds.denominator;
        if (s.kind == segment_kind::image && layout.time.needs_seconds()) return 0.0;
        switch (layout.time.rule) {
            case frame_time_rule::index: return static_cast<double>(f);
            case frame_time_rule::stride: return static_cast<double>(f) * layout.time.step;
            case frame_time_rule::floored_product: return static_cast<double>(f * n * rate / d);
            case frame_time_rule::floored_product_float32: {
                const float s32 = static_cast<float>(static_cast<double>(n) / static_cast<double>(d));
                return std::floor(static_cast<double>(f) * (static_cast<double>(s32) * static_cast<double>(rate)));
            }
            case frame_time_rule::truncated_interval: return static_cast<double>(f * (n / d) * rate);
            case frame_time_rule::floored_time_float32:
            case frame_time_rule::real_time_float32: {
                const float s32 = static_cast<float>(static_cast<double>(n) / static_cast<double>(d));
                const float seconds = static_cast<float>(f) * s32, time = seconds * static_cast<float>(rate);
                const bool floored = layout.time.rule == frame_time_rule::floored_time_float32;
                return static_cast<double>(floored ? std::floor(time) : time);
            }
        }
        return 0.0;
    };
    const auto grid = [&](const segment& s, index_t frames, index_t rows, index_t columns, bool timed, bool by_time) {
        double past = 0.0, last = 0.0;
        for (index_t f = 0; f < frames; ++f) {
            const double time = timed ? time_of(s, f) : 0.0, t = w.next + time;
            last = std::max(last, time);
            for (index_t r = 0; r < rows; ++r)
                for (index_t c = 0; c < columns; ++c) {
                    const double base = layout.spatial_reset ? 0.0 : w.next;
                    put({{t, base + static_cast<double>(r), base + static_cast<double>(c)}}, {{t, t, t}},
                        modality::visual);
                }
        }
        past = static_cast<double>(std::max(rows, columns) - 1);
        if (by_time) past = std::max(past, last);
        w.next += past + layout.text_step;
    };
    for (const segment& s : prompt) {
        if (s.kind == segment_kind::text) {
            words(s.count);
            continue;
        }
        const index_t rows = s.rows / layout.spatial_merge, columns = s.columns / layout.spatial_merge;
        const bool by_time = layout.behind == layout::advance::past_everything;
        const auto form = s.kind == segment_kind::video ? layout.video : layout::video_form::one_block;
        if (form == layout::video_form::one_block) {
            grid(s, s.frames, rows, columns, true, by_time);
            continue;
        }
        for (index_t f = 0; f < s.frames; ++f) {
            grid(s, 1, rows, columns, false, by_time);
            if (form == layout::video_form::abutting_frames && f + 1 < s.frames) w.next += 1.0 - layout.text_step;
            if (form == layout::video_form::frame_by_frame && f + 1 < s.frames) words(s.gap);
        }
    }
    return w;
}

/// Layouts of every option, some with fractions.
std::vector<layout::mrope> layouts() {
    std::vector<layout::mrope> all;
    for (const bool reset : {false, true})
        for (const auto behind : {layout::advance::past_everything, layout::advance::past_rows_and_columns})
            for (const auto form : {layout::video_form::one_block, layout::video_form::frame_by_frame,
                                    layout::video_form::abutting_frames})
                for (const frame_time time : {by_index(), stride(3), stride(1.5), stride(0.1), floored_product(2),
                                              floored_product(25), floored_product_float32(2), truncated_interval(3),
                                              floored_time_float32(25), real_time_float32(13)})
                    all.push_back({2, time, behind, form, reset, 1.0});
    all.push_back({2, stride(0.3), layout::advance::past_everything, layout::video_form::one_block, true, 0.25});
    all.push_back({2, by_index(), layout::advance::past_everything, layout::video_form::one_block, false, 2.0});
    return all;
}

template <class P>
void compare(const position_plan& plan, const walked& w, index_t begin, index_t end, bool neutral) {
    const index_t count = end - begin;
    fill_options options = fill_options{}.truncated();
    if (neutral) options = options.neutral();
    for (const bool tokens_first : {false, true}) {
        std::vector<P> out(static_cast<std::size_t>(3 * count));
        const auto view = tokens_first ? token_major(out.data(), 3, count) : axis_major(out.data(), 3, count);
        REQUIRE(plan.fill(token_index{begin}, token_index{end}, view, options).ok());
        bool same = true;
        for (index_t n = 0; n < count; ++n)
            for (int a = 0; a < 3; ++a) {
                const auto i = static_cast<std::size_t>(begin + n);
                same = same && view.at(a, n) == static_cast<P>(neutral ? w.neutral[i][a] : w.tokens[i][a]);
            }
        CHECK(same);
    }
}

}  // namespace

TEST_CASE("every layout equals a walk token by token") {
    random_prompts random(1);
    std::int64_t tokens = 0;
    for (const layout::mrope& layout : layouts())
        for (int round = 0; round < 8; ++round) {
            const auto prompt = random.prompt(7, layout.video == layout::video_form::frame_by_frame);
            const walked w = walk(layout, prompt);
            const position_plan plan = plan_of(layout, prompt);
            REQUIRE(plan.size() == static_cast<index_t>(w.tokens.size()));
            tokens += plan.size();
            // Fractions of the walk are rounded in another order.
            const bool exact = plan.is_integral() || (layout.text_step == 1.0 && layout.time.step == 1.5);
            bool same = true, close = true;
            for (index_t n = 0; n < plan.size(); ++n) {
                const auto i = static_cast<std::size_t>(n);
                const coordinate c = plan.coordinates(token_index{n}), point = *plan.neutral(token_index{n});
                for (int a = 0; a < 3; ++a) {
                    same = same && c[a] == w.tokens[i][a] && point[a] == w.neutral[i][a];
                    close = close && std::abs(c[a] - w.tokens[i][a]) < 1e-12 &&
                            std::abs(point[a] - w.neutral[i][a]) < 1e-12;
                }
                REQUIRE(plan.kind_of(token_index{n}) == w.kinds[i]);
            }
            CHECK(close);
            CHECK((same || !exact));
            CHECK(plan.next_position() == Approx(w.next).margin(1e-12));
            CHECK(plan.max_position() == Approx(w.largest).margin(1e-12));
            CHECK(plan.generation_start() == Approx(std::max(w.next, w.largest + 1.0)).margin(1e-12));
            const bool whole = std::all_of(w.tokens.begin(), w.tokens.end(), [](const coordinate& c) {
                return std::floor(c[0]) == c[0] && std::floor(c[1]) == c[1] && std::floor(c[2]) == c[2];
            });
            if (layout.text_step >= 1.0) CHECK(plan.is_integral() == (whole && std::floor(w.next) == w.next));
            if (!exact) continue;
            const index_t begin = random.number(0, plan.size()), end = random.number(begin, plan.size());
            for (const bool neutral : {false, true}) {
                compare<std::int32_t>(plan, w, begin, end, neutral);
                compare<std::int64_t>(plan, w, begin, end, neutral);
                compare<float>(plan, w, begin, end, neutral);
                compare<double>(plan, w, begin, end, neutral);
            }
        }
    CHECK(tokens > 20000);
}

TEST_CASE("any chunking, any order and any batch equal the whole") {
    random_prompts random(2);
    const auto all = layouts();
    for (int round = 0; round < 150; ++round) {
        const layout::mrope layout =
            all[static_cast<std::size_t>(random.number(0, static_cast<index_t>(all.size()) - 1))];
        const position_plan plan =
            plan_of(layout, random.prompt(9, layout.video == layout::video_form::frame_by_frame));
        const index_t count = plan.size() + 20;
        std::vector<double> whole(static_cast<std::size_t>(3 * count)), other(whole.size());
        REQUIRE(plan.fill(token_index{0}, token_index{count}, axis_major(whole.data(), 3, count)).ok());

        for (index_t n = 0; n < count;) {
            const index_t end = random.number(n, count);
            REQUIRE(plan.fill(token_index{n}, token_index{end}, axis_major(other.data(), 3, count).sub(n, end)).ok());
            n = end;
        }
        CHECK(other == whole);

        bool same = true;
        for (index_t n = 0; n < count; ++n) {
            const coordinate c = plan.coordinates(token_index{n});
            for (int a = 0; a < 3; ++a) same = same && c[a] == whole[static_cast<std::size_t>(a * count + n)];
        }
        CHECK(same);

        std::vector<token_index> order;
        for (index_t n = 0; n < count; ++n) order.push_back(token_index{n});
        std::shuffle(order.begin(), order.end(), random.engine());
        REQUIRE(plan.fill(order.data(), count, axis_major(other.data(), 3, count)).ok());
        for (index_t i = 0; i < count; ++i)
            for (int a = 0; a < 3; ++a)
                same =
                    same && other[static_cast<std::size_t>(a * count + i)] ==
                                whole[static_cast<std::size_t>(a * count + order[static_cast<std::size_t>(i)].value)];
        CHECK(same);

        batch rows(3);
        REQUIRE(rows.add(plan, {token_index{0}, token_index{count}}).ok());
        REQUIRE(rows.add(plan, {token_index{3}, token_index{7}}, fill_options{}.padded(2, 5.0, 1)).ok());
        REQUIRE(rows.add(plan, {token_index{0}, token_index{count}}).ok());
        std::vector<double> once(static_cast<std::size_t>(3 * rows.tokens())), shared(once.size());
        REQUIRE(rows.fill(axis_major(once.data(), 3, rows.tokens())).ok());
        const int workers = static_cast<int>(random.number(1, 9));
        for (int ith = 0; ith < workers; ++ith)
            REQUIRE(rows.fill(axis_major(shared.data(), 3, rows.tokens()), {ith, workers}).ok());
        CHECK(shared == once);
        CHECK(std::equal(whole.begin(), whole.begin() + count, once.begin()));
        CHECK(once[static_cast<std::size_t>(count)] == 5.0);
        CHECK(once[static_cast<std::size_t>(count) + 2] == plan.coordinates(token_index{3})[0]);
        CHECK(once[static_cast<std::size_t>(count) + 6] == 5.0);
        CHECK(once[static_cast<std::size_t>(count) + 7] == whole[0]);
    }
}

TEST_CASE("a plan survives its bytes, and what the builder is told equals what it works out") {
    random_prompts random(3);
    for (const layout::mrope& layout : layouts())
        for (int round = 0; round < 4; ++round) {
            plan_options options;
            const auto later = random.prompt(2);
            if (round == 3 && layout.video != layout::video_form::frame_by_frame) {
                options.planned = later.data();
                options.planned_count = static_cast<index_t>(later.size());
            }
            const position_plan plan =
                plan_of(layout, random.prompt(6, layout.video == layout::video_form::frame_by_frame), options);
            const auto bytes = serialise(plan);
            const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
            INFO(sentence_of(back.error()));
            REQUIRE(back.ok());
            CHECK(*back == plan);
            const detail::plan_data &x = detail::plan_access::data(plan), &y = detail::plan_access::data(*back);
            CHECK(x.highest == y.highest);
            CHECK(x.highest_time == y.highest_time);
            CHECK(x.reach == y.reach);
            CHECK(x.step_reach == y.step_reach);
            CHECK(x.prompt_max == y.prompt_max);
            CHECK(x.integral == y.integral);
            CHECK(x.reuses_positions == y.reuses_positions);
            CHECK(x.without_neutral == y.without_neutral);
            CHECK(x.simple_from == y.simple_from);
            CHECK(x.tail_shift == y.tail_shift);
            CHECK(x.first_tokens == y.first_tokens);
            CHECK(plan.prefix_key(plan.size() + 3) == back->prefix_key(plan.size() + 3));
        }
}

TEST_CASE("a next turn behind the walk equals the conversation prefilled anew") {
    random_prompts random(4);
    for (const layout::mrope& layout : layouts())
        for (int round = 0; round < 4; ++round) {
            const bool gaps = layout.video == layout::video_form::frame_by_frame;
            const auto first = random.prompt(4, gaps), second = random.prompt(4, gaps);
            const index_t generated = random.number(0, 5);
            std::vector<segment> all = first;
            if (generated > 0) all.push_back(text(generated));
            all.insert(all.end(), second.begin(), second.end());
            const position_plan start = plan_of(layout, first);
            const auto anew = start.append(layout, second.data(), static_cast<index_t>(second.size()),
                                           continue_at::next_position, generated);
            REQUIRE(anew.ok());
            CHECK(*anew == plan_of(layout, all));

            position_plan moved = start;
            const auto decoded = std::move(moved).append(layout, second.data(), static_cast<index_t>(second.size()),
                                                         continue_at::generation_start, generated);
            REQUIRE(decoded.ok());
            for (index_t n = 0; n < start.size() + generated; ++n)
                REQUIRE(decoded->coordinates(token_index{n}) == start.coordinates(token_index{n}));
            CHECK(decoded->prompt_tokens() == decoded->size());
            if (layout.behind == layout::advance::past_everything && !layout.spatial_reset) CHECK(*decoded == *anew);
        }
}

TEST_CASE("prefix keys depend on coordinates and kinds alone") {
    random_prompts random(5);
    std::vector<std::pair<prefix_key_t, std::string>> seen;
    for (int round = 0; round < 200; ++round) {
        const auto prompt = random.prompt(6);
        // The same prompt in other pieces: text split, empty runs between.
        std::vector<segment> pieces;
        for (const segment& s : prompt) {
            if (s.kind != segment_kind::text) {
                pieces.push_back(s);
                continue;
            }
            const index_t cut = random.number(0, s.count);
            pieces.push_back(text(cut));
            pieces.push_back(text(0));
            pieces.push_back(text(s.count - cut));
        }
        const layout::mrope layout{2, floored_product(2)};
        const position_plan plan = plan_of(layout, prompt), other = plan_of(layout, pieces);
        prefix_keys walk(plan);
        for (index_t n = 0; n <= plan.size() + 2; ++n) {
            const prefix_key_t key = walk.advance_to(n);
            if (n % 7 == 0) CHECK(plan.prefix_key(n) == key);
            REQUIRE(other.prefix_key(n) == key);
            std::string content;
            for (index_t i = 0; i < n; ++i) {
                const coordinate c = plan.coordinates(token_index{i});
                for (int a = 0; a < 3; ++a) content += std::to_string(static_cast<int>(c[a])) + ",";
                content += plan.kind_of(token_index{i}) == modality::text ? ";" : "!";
            }
            seen.emplace_back(key, content);
        }
    }
    std::sort(seen.begin(), seen.end());
    std::int64_t equal = 0;
    for (std::size_t i = 1; i < seen.size(); ++i) {
        REQUIRE((seen[i].first == seen[i - 1].first) == (seen[i].second == seen[i - 1].second));
        equal += seen[i].first == seen[i - 1].first;
    }
    CHECK(equal > 100);
    CHECK(seen.size() > 5000);
    // A fraction cut to the same integer, another kind, another axis count are other content.
    CHECK(plan_of(layout::mrope{2, stride(1.5)}, {video(patch_grid{2, 2, 2}, untimed)}).prefix_key(2) !=
          plan_of(layout::mrope{2}, {video(patch_grid{2, 2, 2}, untimed)}).prefix_key(2));
    CHECK(plan_of(layout::mrope{2}, {image(patch_grid{1, 2, 2})}).prefix_key(1) !=
          plan_of(layout::mrope{2}, {text(1)}).prefix_key(1));
    CHECK(plan_of(layout::sequential{1, 1}, {text(3)}).prefix_key(3) !=
          plan_of(layout::sequential{1, 3}, {text(3)}).prefix_key(3));
    CHECK(plan_of(layout::sequential{1, 3}, {text(3)}).prefix_key(9) ==
          plan_of(layout::mrope{2}, {text(9)}).prefix_key(9));
}

TEST_CASE("clipped and pruned tokens stay where they were") {
    random_prompts random(6);
    const auto all = layouts();
    for (int round = 0; round < 200; ++round) {
        const layout::mrope layout =
            all[static_cast<std::size_t>(random.number(0, static_cast<index_t>(all.size()) - 1))];
        const position_plan plan =
            plan_of(layout, random.prompt(6, layout.video == layout::video_form::frame_by_frame));
        const auto same_token = [&](const position_plan& x, index_t n, index_t from) {
            const token_index here{n}, there{from};
            return x.coordinates(here) == plan.coordinates(there) && *x.neutral(here) == *plan.neutral(there) &&
                   x.kind_of(here) == plan.kind_of(there) && x.segment_of(here) == plan.segment_of(there);
        };
        const index_t length = random.number(0, plan.size());
        const auto clipped = clip(plan, length);
        REQUIRE(clipped.ok());
        REQUIRE(clipped->size() == length);
        bool same = true;
        double largest = -1.0;
        for (index_t n = 0; n < length; ++n) {
            same = same && same_token(*clipped, n, n);
            for (int a = 0; a < 3; ++a) largest = std::max(largest, plan.coordinates(token_index{n})[a]);
        }
        CHECK(same);
        CHECK(clipped->max_position() == largest);
        CHECK(clipped->prefix_key(length) == plan.prefix_key(length));
        CHECK(clipped->coordinates(token_index{length})[0] == clipped->generation_start());
        if (length < plan.size() && plan.kind_of(token_index{length}) == modality::text)
            CHECK(clipped->next_position() == plan.coordinates(token_index{length})[0]);

        std::vector<char> keep;
        const index_t every = random.number(1, 6);
        for (index_t n = 0; n < plan.size(); ++n) keep.push_back(random.number(0, every) == 0 ? 0 : 1);
        const auto pruned = prune(plan, keep.data(), plan.size());
        INFO(sentence_of(pruned.error()));
        REQUIRE(pruned.ok());
        index_t kept = 0;
        for (index_t n = 0; n < plan.size(); ++n)
            if (keep[static_cast<std::size_t>(n)] != 0) same = same && same_token(*pruned, kept++, n);
        CHECK(same);
        CHECK(pruned->size() == kept);
        CHECK(pruned->generation_start() == plan.generation_start());
        CHECK(pruned->coordinates(token_index{kept}) == plan.coordinates(token_index{plan.size()}));
        std::vector<double> out(static_cast<std::size_t>(3 * kept));
        REQUIRE(pruned->fill(token_index{0}, token_index{kept}, axis_major(out.data(), 3, kept)).ok());
        for (index_t n = 0; n < kept; ++n)
            same = same && out[static_cast<std::size_t>(2 * kept + n)] == pruned->coordinates(token_index{n})[2];
        CHECK(same);
        const auto bytes = serialise(*pruned);
        const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
        INFO(sentence_of(back.error()));
        REQUIRE(back.ok());
        CHECK(*back == *pruned);
    }
}
