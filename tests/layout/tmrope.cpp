// TMRoPE against a walk token by token, written once more from the rules.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "layout/prompts.hpp"
#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/serialise.hpp"
#include "polyrope/preset/qwen2_5_omni.hpp"
#include "polyrope/preset/qwen3_omni.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

using layout::tmrope;

struct walked {
    std::vector<coordinate> tokens, neutral;
    std::vector<modality> kinds;
    double next = 0.0;
    int short_spans = 0;  ///< cells that reach the end markers of their video or pass them
};

double highest_of(const coordinate& c) { return std::max({c[0], c[1], c[2]}); }

/// The lists of a span cut into chunks: before a token whose time reaches the counter, one cut per token.
std::vector<std::vector<coordinate>> chunks_of(const std::vector<coordinate>& list, double start, double length) {
    std::vector<std::vector<coordinate>> out(1);
    double counter = 1.0;
    for (const coordinate& c : list) {
        if (c[0] - start >= counter * length) {
            out.emplace_back();
            counter += 1.0;
        }
        out.back().push_back(c);
    }
    return out;
}

/// Times of Qwen2.5-Omni, floored, or Qwen3-Omni.
double time_of(const tmrope& layout, const segment& s, index_t f) {
    const float seconds =
        static_cast<float>(static_cast<double>(s.seconds.numerator) / static_cast<double>(s.seconds.denominator));
    const float product = static_cast<float>(f) * seconds;
    const float time = product * static_cast<float>(layout.time.tokens_per_second);
    return static_cast<double>(layout.time.rule == frame_time_rule::floored_time_float32 ? std::floor(time) : time);
}

walked walk(const tmrope& layout, const std::vector<segment>& prompt) {
    walked w;
    const auto put = [&](const coordinate& c, const coordinate& n, modality kind) {
        w.tokens.push_back(c);
        w.neutral.push_back(n);
        w.kinds.push_back(kind);
    };
    const auto text_at = [&](double p) { put({{p, p, p}}, {{p, p, p}}, modality::text); };
    const auto visual = [&](const coordinate& c) { put(c, {{c[0], c[0], c[0]}}, modality::visual); };
    for (const segment& s : prompt) {
        if (is_text_like(s)) {
            for (index_t n = 0; n < s.count; ++n) text_at(w.next++);
            continue;
        }
        const bool joined = s.audio > 0, shared = layout.markers == layout::span_markers::shared;
        if (joined) {
            text_at(w.next);
            text_at(shared ? w.next : w.next + 1.0);
            w.next += shared ? 1.0 : 2.0;
        }
        std::vector<coordinate> cells, heard, last;
        for (index_t f = 0; f < s.frames; ++f)
            for (index_t r = 0; r < s.rows / layout.spatial_merge; ++r)
                for (index_t c = 0; c < s.columns / layout.spatial_merge; ++c)
                    cells.push_back({{w.next + (s.kind == segment_kind::video ? time_of(layout, s, f) : 0.0),
                                      w.next + static_cast<double>(r), w.next + static_cast<double>(c)}});
        for (index_t i = 0; i < s.audio; ++i) {
            const double p = w.next + static_cast<double>(i);
            heard.push_back({{p, p, p}});
        }
        if (!joined) {
            for (const coordinate& c : cells) visual(c);
            last = cells;
        } else if (layout.order == layout::audio_order::by_chunks) {
            const auto video = chunks_of(cells, w.next, static_cast<double>(layout.positions_per_chunk)),
                       sound = chunks_of(heard, w.next, static_cast<double>(layout.positions_per_chunk));
            for (std::size_t i = 0; i < std::max(video.size(), sound.size()); ++i) {
                if (i < video.size()) {
                    for (const coordinate& c : video[i]) visual(c);
                    last = video[i];
                }
                if (i < sound.size()) {
                    for (const coordinate& c : sound[i]) text_at(c[0]);
                    last = sound[i];
                }
            }
        } else {
            const auto narrow = [](double x) { return static_cast<float>(x); };
            std::size_t v = 0, a = 0;
            while (v < cells.size() || a < heard.size()) {
                const bool video =
                    a == heard.size() || (v < cells.size() && narrow(cells[v][0]) <= narrow(heard[a][0]));
                last = {video ? cells[v++] : heard[a++]};
                if (video) visual(last[0]);
                else text_at(last[0][0]);
            }
        }
        if (joined && layout.behind == layout::span_end::whole_span) {
            last = cells;
            last.insert(last.end(), heard.begin(), heard.end());
        }
        double end = 0.0;
        for (const coordinate& c : last) end = std::max(end, highest_of(c) + 1.0);
        for (const coordinate& c : cells) w.short_spans += joined && highest_of(c) >= end ? 1 : 0;
        w.next = end;
        if (joined) {
            text_at(end);
            text_at(shared ? end : end + 1.0);
            w.next += shared ? 1.0 : 2.0;
        }
    }
    return w;
}

std::vector<tmrope> layouts() {
    std::vector<tmrope> all;
    for (const auto order : {layout::audio_order::by_chunks, layout::audio_order::by_time})
        for (const auto markers : {layout::span_markers::shared, layout::span_markers::consecutive})
            for (const auto behind : {layout::span_end::last_slice, layout::span_end::whole_span})
                for (const frame_time time :
                     {floored_time_float32(25), floored_time_float32(3), real_time_float32(13), real_time_float32(2)})
                    for (const index_t chunk : {50, 4, 1}) all.push_back({2, time, order, markers, behind, chunk});
    return all;
}

/// Text, audio, images, and videos with and without audio.
std::vector<segment> omni_prompt(random_prompts& random, index_t most) {
    std::vector<segment> out;
    for (segment s : random.prompt(most)) {
        if (s.kind == segment_kind::text && random.number(0, 2) == 0) s = audio(s.count);
        if (s.kind == segment_kind::video && random.number(0, 3) > 0)
            s = with_audio(s, random.number(1, random.number(0, 1) == 0 ? 90 : 9));
        if (random.number(0, 1) == 0) s.seconds = {1, random.number(1, 30)};
        out.push_back(s);
    }
    return out;
}

}  // namespace

TEST_CASE("TMRoPE equals a walk token by token, and every way to ask and to build") {
    random_prompts random(31);
    std::int64_t tokens = 0, fractional = 0, short_spans = 0;
    for (const tmrope& layout : layouts())
        for (int round = 0; round < 6; ++round) {
            const auto prompt = omni_prompt(random, 6);
            const walked w = walk(layout, prompt);
            const position_plan plan = plan_of(layout, prompt);
            REQUIRE(plan.size() == static_cast<index_t>(w.tokens.size()));
            tokens += plan.size();
            double largest = -1.0;
            bool same = true, whole = true;
            for (index_t n = 0; n < plan.size(); ++n) {
                const auto i = static_cast<std::size_t>(n);
                same = same && plan.coordinates(token_index{n}) == w.tokens[i] &&
                       plan.kind_of(token_index{n}) == w.kinds[i];
                same = same && *plan.neutral(token_index{n}) == w.neutral[i];
                largest = std::max(largest, highest_of(w.tokens[i]));
                whole = whole && std::floor(w.tokens[i][0]) == w.tokens[i][0];
            }
            CHECK(same);
            CHECK(plan.max_position() == largest);
            CHECK(plan.next_position() == w.next);
            CHECK(plan.generation_start() == std::max(w.next, largest + 1.0));
            CHECK(plan.coordinates(token_index{plan.size()})[2] == plan.generation_start());
            CHECK(plan.is_integral() == (whole && std::floor(w.next) == w.next));
            CHECK(plan.has_neutral());
            fractional += plan.is_integral() ? 0 : 1;
            short_spans += w.short_spans;

            const index_t count = plan.size() + 9;
            std::vector<double> all(static_cast<std::size_t>(3 * count)), parts(all.size());
            REQUIRE(plan.fill(token_index{0}, token_index{count}, axis_major(all.data(), 3, count)).ok());
            for (index_t n = 0; n < plan.size(); ++n)
                for (int a = 0; a < 3; ++a)
                    same = same &&
                           all[static_cast<std::size_t>(a * count + n)] == w.tokens[static_cast<std::size_t>(n)][a];
            for (index_t n = 0; n < count;) {
                const index_t end = random.number(n, count);
                REQUIRE(
                    plan.fill(token_index{n}, token_index{end}, axis_major(parts.data(), 3, count).sub(n, end)).ok());
                n = end;
            }
            CHECK(same);
            CHECK(parts == all);

            const auto bytes = serialise(plan);
            const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
            REQUIRE(back.ok());
            CHECK(*back == plan);

            // A next turn behind the walk is the conversation anew; behind the decoded tokens it need not be.
            const auto second = omni_prompt(random, 3);
            std::vector<segment> both = prompt;
            both.push_back(text(4));
            both.insert(both.end(), second.begin(), second.end());
            const auto turns = static_cast<index_t>(second.size());
            const auto anew = plan.append(layout, second.data(), turns, continue_at::next_position, 4);
            REQUIRE(anew.ok());
            CHECK(*anew == plan_of(layout, both));
            const auto decoded = plan.append(layout, second.data(), turns, continue_at::generation_start, 4);
            REQUIRE(decoded.ok());
            CHECK(decoded->coordinates(token_index{plan.size() + 3})[0] == plan.generation_start() + 3.0);

            const index_t length = random.number(0, plan.size());
            const auto clipped = clip(plan, length);
            REQUIRE(clipped.ok());
            for (index_t n = 0; n < length; ++n)
                same = same && clipped->coordinates(token_index{n}) == plan.coordinates(token_index{n});
            CHECK(same);
        }
    CHECK(tokens > 50000);
    CHECK(fractional > 50);
    CHECK(short_spans > 50);
}

TEST_CASE("a jump over several chunks cuts inside a frame") {
    // 4 s a frame are 100 positions, two chunks: frame 1 is cut before its first and its second cell.
    const tmrope layout = preset::qwen2_5_omni{}.layout();
    const position_plan plan = plan_of(layout, {with_audio(video(patch_grid{3, 4, 4}, seconds_per_grid{4, 1}), 150)});
    std::vector<placement> visual;
    for (const placement& p : plan.placements())
        if (p.kind == modality::visual) visual.push_back(p);
    REQUIRE(visual.size() == 4);
    CHECK(visual[0].count == 4);
    CHECK(visual[1].count == 1);
    CHECK(visual[2].count == 3);
    CHECK(visual[2].first_cell == 1);
    CHECK(visual[3].count == 4);
    CHECK(plan.coordinates(token_index{2 + 4 + 50 + 1 + 50}) == coordinate{{101, 1, 2}});
    CHECK(*plan.neutral(token_index{2 + 4 + 50 + 1 + 50}) == coordinate{{101, 101, 101}});
}

TEST_CASE("vLLM's three differences from the released Qwen3-Omni are switches") {
    const std::vector<segment> prompt = {text(1), with_audio(video(patch_grid{3, 2, 2}, seconds_per_grid{1, 2}), 9),
                                         text(1)};
    tmrope layout = preset::qwen3_omni{}.layout();
    CHECK(row(plan_of(layout, prompt), 0) == numbers{0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9.5, 10, 11, 16, 17, 18, 19});
    layout.time = floored_time_float32(13);
    CHECK(row(plan_of(layout, prompt), 0) == numbers{0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11, 16, 17, 18, 19});
    layout.markers = layout::span_markers::shared;
    CHECK(row(plan_of(layout, prompt), 0) == numbers{0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 15, 16, 16, 17});
    // A wide frame reaches past the last audio token.
    const std::vector<segment> wide = {with_audio(video(patch_grid{1, 2, 40}, seconds_per_grid{1, 1}), 3), text(1)};
    CHECK(plan_of(layout, wide).next_position() == 6);
    layout.behind = layout::span_end::whole_span;
    CHECK(plan_of(layout, wide).next_position() == 23);
    CHECK(plan_of(layout, wide).generation_start() == 23);
}

TEST_CASE("a frame and an audio token at one time in float32: the video is first") {
    // 1/13 s a frame: float32 products lie beside the whole numbers that their sums with the start round to.
    tmrope layout = preset::qwen3_omni{}.layout();
    const position_plan plan =
        plan_of(layout, {text(1000), with_audio(video(patch_grid{40, 2, 2}, seconds_per_grid{1, 13}), 40)});
    bool alternate = true;
    for (index_t n = 0; n < 80; ++n)
        alternate = alternate && (plan.kind_of(token_index{1002 + n}) == modality::visual) == (n % 2 == 0);
    CHECK(alternate);
    // Where float32 steps by 128 positions, the order is exact.
    const position_plan far =
        plan_of(layout, {text(1 << 30), with_audio(video(patch_grid{4, 2, 2}, seconds_per_grid{1, 1}), 52)});
    for (index_t n = 0; n < 56; ++n)
        alternate = alternate && (far.kind_of(token_index{(1 << 30) + 2 + n}) == modality::visual) == (n % 14 == 0);
    CHECK(alternate);
}

TEST_CASE("audio tokens of mel frames") {
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/layout/audio.hpp");
    std::vector<numbers> rows;
    for (std::string line, name; std::getline(file, line);) {
        std::istringstream words(line);
        words >> name >> name;
        if (name != "F" && name != "qwen2_5_omni" && name != "qwen3_omni") continue;
        if (line.rfind("// ", 0) != 0 || line.find("::") != std::string::npos) continue;
        rows.emplace_back();
        for (double x; rows.back().size() < 12 && words >> x;) rows.back().push_back(x);
    }
    REQUIRE(rows.size() == 3);
    REQUIRE(rows[0].size() == 12);
    const auto floor_half = [](index_t n) { return n < 0 ? (n - 1) / 2 : n / 2; };
    for (std::size_t i = 0; i < 12; ++i) {
        const auto mel_frames = static_cast<index_t>(rows[0][i]);
        CHECK(static_cast<double>(*qwen2_5_omni_audio_tokens(mel_frames)) == rows[1][i]);
        CHECK(static_cast<double>(*qwen3_omni_audio_tokens(mel_frames)) == rows[2][i]);
    }
    bool same = true;
    for (index_t f = 0; f < 5000; ++f) {
        same = same && *qwen2_5_omni_audio_tokens(f) == floor_half(floor_half(f - 1) + 1 - 2) + 1;
        const index_t a = floor_half(f % 100 - 1) + 1, b = floor_half(a - 1) + 1;
        same = same && *qwen3_omni_audio_tokens(f) == floor_half(b - 1) + 1 + 13 * (f / 100);
    }
    CHECK(same);
    CHECK(*qwen2_5_omni_audio_tokens(index_max) == index_t{1} << 61);
    CHECK(*qwen3_omni_audio_tokens(index_max) == index_max / 100 * 13 + 1);
    for (const auto rule : {qwen2_5_omni_audio_tokens, qwen3_omni_audio_tokens}) {
        CHECK(sentence_of(rule(-3).error()) == "audio 0: a count of -3 is below zero");
        CHECK(rule(INT64_MIN).error().code == errc::negative_count);
    }
}

TEST_CASE("videos with audio that cannot be placed are refused") {
    tmrope layout = preset::qwen2_5_omni{}.layout();
    const auto clip_of = [](index_t tokens, seconds_per_grid seconds = {1, 1}) {
        return with_audio(video(patch_grid{2, 4, 4}, seconds), tokens);
    };
    const auto sentence = [&](const segment& s) { return sentence_of(error_of(layout, {text(1), s})); };
    CHECK(sentence(clip_of(-1)) == "segment 1: a count of -1 is below zero");
    CHECK(sentence(with_audio(video(patch_grid{2, 4, 4}, untimed), 3)) ==
          "segment 1: this layout scales time, and the segment states no seconds per grid");
    CHECK(sentence(with_audio(video(patch_grid{2, 4, 5}, seconds_per_grid{1, 1}), 3)) ==
          "segment 1: the grid side 5 is not a multiple of the merge size 2");
    CHECK(sentence(with_audio(video(patch_grid{2, 4, 4}, seconds_per_grid{1, 1}, 9), 3)) ==
          "segment 1: its grid needs 8 tokens, the prompt holds 9");
    CHECK(sentence(with_audio(image(patch_grid{1, 4, 4}), 3)) ==
          "segment 1: it states a frame step, a span or audio, which this layout does not read");
    CHECK(sentence(with_gap(clip_of(3), 1)) ==
          "segment 1: its frames leave room for 0 runs of text between them, 1 were given");
    CHECK(sentence(with_span(clip_of(3), 2.0)) ==
          "segment 1: it states a frame step, a span or audio, which this layout does not read");
    CHECK(sentence(clip_of(3, {-1, 1})) ==
          "segment 1: seconds per grid must be finite and not negative (numerator -1, denominator 1)");
    CHECK(sentence(clip_of(3, {index_max, 1})) ==
          "segment 1: position 9223372036854775807 exceeds the limit 2147483647");
    CHECK(sentence(audio(-4)) == "segment 1: a count of -4 is below zero");
    for (const index_t chunk : {index_t{0}, index_t{-50}}) {
        layout.positions_per_chunk = chunk;
        CHECK(sentence(clip_of(3)) == "configuration: positions_per_chunk has the invalid value " +
                                          std::to_string(chunk) + " (entry 0, expected 1)");
    }
    preset::qwen2_5_omni overflowing;
    overflowing.seconds_per_chunk = index_max;
    CHECK(error_of(overflowing.layout(), {clip_of(3)}).what == operand::positions_per_chunk);
    // No time between the frames: one chunk, and one moment.
    layout.positions_per_chunk = 50;
    CHECK(plan_of(layout, {clip_of(60, {0, 1})}).placements().size() == 6);
    CHECK(plan_of(preset::qwen3_omni{}.layout(), {clip_of(60, {0, 1})}).placements().size() == 5);
}

TEST_CASE("hostile videos with audio neither hang nor grow without bound") {
    random_prompts random(32);
    const index_t sizes[] = {-1, 0, 1, 2, 3, 1 << 16, INT32_MAX, index_t{1} << 40, index_max / 2, index_max, INT64_MIN};
    const auto size = [&] { return sizes[random.number(0, 10)]; };
    std::int64_t refused = 0;
    for (int round = 0; round < 20000; ++round) {
        tmrope layout = round % 2 == 0 ? preset::qwen2_5_omni{}.layout() : preset::qwen3_omni{}.layout();
        layout.time.tokens_per_second = random.number(0, 3) == 0 ? size() : 25;
        layout.time.rule = static_cast<frame_time_rule>(random.number(0, 6));
        layout.positions_per_chunk = random.number(0, 1) == 0 ? size() : 1;
        layout.behind = static_cast<layout::span_end>(random.number(0, 1));
        const auto side = [&] { return random.number(0, 2) == 0 ? size() : random.number(1, 3); };
        const std::vector<segment> prompt = {
            text(3), with_audio(video(token_grid{side(), side(), side()}, seconds_per_grid{side(), side()}), size()),
            text(2)};
        plan_options options;
        options.limits.max_bytes = 1 << 20;
        if (round % 5 == 0) options.limits.max_position = round % 2 == 0 ? size() : index_t{1} << 53;
        const auto plan = make_plan(layout, prompt.data(), 3, options);
        if (!plan) {
            ++refused;
            REQUIRE(sentence_of(plan.error()).size() > 10);
            continue;
        }
        REQUIRE(plan->max_position() <= static_cast<double>(options.limits.max_position));
        REQUIRE(plan->placements().size() * sizeof(placement) <= std::size_t{2} << 20);
    }
    CHECK(refused > 5000);
    CHECK(refused < 19000);
    // Millions of chunks where a chunk is one position.
    tmrope layout = preset::qwen2_5_omni{}.layout();
    layout.positions_per_chunk = 1;
    CHECK(error_of(layout, {with_audio(video(token_grid{1 << 20, 1, 1}, seconds_per_grid{1, 1}), 1 << 30)}).code ==
          errc::capacity_exceeded);
    // Times alone may be many: the cells behind the last audio chunk are one placement.
    CHECK(
        plan_of(layout, {with_audio(video(token_grid{1 << 20, 1, 1}, seconds_per_grid{1, 1}), 2)}).placements().size() <
        10);
}
