// Token ids with audio to segments: what is read is what was written, in the layout's order, and nothing else.

#include "layout/prompts.hpp"
#include "polyrope/preset/qwen2_5_omni.hpp"
#include "polyrope/preset/qwen3_omni.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr omni_special_tokens special{1, 2, 3, 4, 6, 7, 5};
using ids_t = std::vector<std::int32_t>;

/// A prompt, its media and its ids.
struct written {
    ids_t ids;
    std::vector<patch_grid> images, videos;
    std::vector<seconds_per_grid> seconds;
    std::vector<index_t> mel_frames;
    [[nodiscard]] omni_media media(audio_token_rule rule = qwen2_5_omni_audio_tokens) const {
        omni_media m;
        m.visual.images = images.data();
        m.visual.image_count = static_cast<index_t>(images.size());
        m.visual.videos = videos.data();
        m.visual.video_count = static_cast<index_t>(videos.size());
        m.visual.seconds = seconds.data();
        m.visual.spatial_merge = 2;
        m.mel_frames = mel_frames.data();
        m.audio_count = static_cast<index_t>(mel_frames.size());
        m.audio_tokens = rule;
        m.audio_in_video = true;
        return m;
    }
    void put(std::int32_t id, index_t count) { ids.insert(ids.end(), static_cast<std::size_t>(count), id); }
};

/// text(2), a video of 2 frames of 2 cells a second apart with 12 mel frames (3 tokens) of audio, an audio of 8,
/// text(1).
written sample() {
    written w;
    w.ids = {42, 42, 1, 6, 4, 4, 4, 4, 5, 5, 5, 7, 2, 6, 5, 5, 7, 42};
    w.videos = {{2, 2, 4}};
    w.seconds = {{1, 1}};
    w.mel_frames = {12, 8};
    return w;
}

status error_in(const written& w, const omni_media& media, const omni_special_tokens& ids = special) {
    return omni_segments_of(w.ids.data(), static_cast<index_t>(w.ids.size()), ids, media).error();
}
status error_in(const written& w) { return error_in(w, w.media()); }

}  // namespace

TEST_CASE("a prompt with audio written as token ids is read as the segments it was made of") {
    random_prompts random(41);
    int joined = 0;
    for (int round = 0; round < 400; ++round) {
        const bool third = round % 2 == 0;
        const layout::tmrope layout = third ? preset::qwen3_omni{}.layout() : preset::qwen2_5_omni{}.layout();
        const audio_token_rule rule = third ? qwen3_omni_audio_tokens : qwen2_5_omni_audio_tokens;
        written w;
        std::vector<segment> expected;
        index_t words = 0;
        const auto flush = [&] {
            if (words > 0) expected.push_back(text(words));
            words = 0;
        };
        const auto text_tokens = [&](std::int32_t id, index_t count) {
            w.put(id, count);
            words += count;
        };
        for (const segment& s : random.prompt(6)) {
            const patch_grid grid{s.frames, s.rows, s.columns};
            const index_t cells = s.frames * (s.rows / 2) * (s.columns / 2);
            if (s.kind == segment_kind::text) {
                text_tokens(42, s.count);
            } else if (random.number(0, 2) == 0) {  // audio in its place
                w.mel_frames.push_back(random.number(4, 300));
                text_tokens(6, 1);
                flush();
                expected.push_back(audio(*rule(w.mel_frames.back())));
                w.put(5, expected.back().count);
                text_tokens(7, 1);
            } else if (s.kind == segment_kind::video && random.number(0, 1) == 0) {
                ++joined;
                w.videos.push_back(grid);
                w.seconds.push_back(s.seconds);
                w.mel_frames.push_back(random.number(4, 300));
                flush();
                segment both = with_audio(s, *rule(w.mel_frames.back()));
                both.count = cells;
                expected.push_back(both);
                // The kinds of a plan of this segment alone are the order of the prompt.
                const position_plan alone = plan_of(layout, {text(1000), both});
                w.ids.insert(w.ids.end(), {1, 6});
                for (index_t n = 1002; n < alone.size() - 2; ++n)
                    w.put(alone.kind_of(token_index{n}) == modality::visual ? 4 : 5, 1);
                w.ids.insert(w.ids.end(), {7, 2});
            } else {
                text_tokens(1, 1);
                flush();
                const bool image = s.kind == segment_kind::image;
                (image ? w.images : w.videos).push_back(grid);
                if (!image) w.seconds.push_back(s.seconds);
                w.put(image ? 3 : 4, cells);
                expected.push_back(s);
                expected.back().count = cells;
                text_tokens(2, 1);
            }
        }
        flush();
        const auto count = static_cast<index_t>(w.ids.size());
        const omni_media media = w.media(rule);
        const auto got = omni_segments_of(w.ids.data(), count, special, media);
        INFO(sentence_of(got.error()));
        REQUIRE(got.ok());
        REQUIRE(got->size() == expected.size());
        bool same = true;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const segment &x = (*got)[i], &y = expected[i];
            same = same && x.kind == y.kind && x.count == y.count && x.audio == y.audio && x.frames == y.frames &&
                   x.rows == y.rows && x.columns == y.columns && x.seconds.numerator == y.seconds.numerator &&
                   x.seconds.denominator == y.seconds.denominator && x.timed == y.timed;
        }
        CHECK(same);
        const auto plan = plan_of_omni(layout, w.ids.data(), count, special, media);
        INFO(sentence_of(plan.error()));
        REQUIRE(plan.ok());
        CHECK(*plan == plan_of(layout, expected));
    }
    CHECK(joined > 100);
}

TEST_CASE("another order of audio and video than the layout's is refused") {
    const layout::tmrope chunks = preset::qwen2_5_omni{}.layout(), merged = preset::qwen3_omni{}.layout();
    const written w = sample();
    const auto count = static_cast<index_t>(w.ids.size());
    CHECK(plan_of_omni(chunks, w.ids.data(), count, special, w.media()).ok());
    // Merged by time: frame 0, all three audio tokens (at 0, 1, 2), then frame 1 (at 13).
    CHECK(sentence_of(plan_of_omni(merged, w.ids.data(), count, special, w.media()).error()) ==
          "token 6: the prompt holds another kind of token here than the layout places");
    written right = w;
    right.ids = {42, 42, 1, 6, 4, 4, 5, 5, 5, 4, 4, 7, 2, 6, 5, 5, 7, 42};
    CHECK(plan_of_omni(merged, right.ids.data(), count, special, right.media()).ok());
    CHECK(plan_of_omni(chunks, right.ids.data(), count, special, right.media()).error().index == 6);
    const auto plan = plan_of_omni(merged, right.ids.data(), count, special, right.media());
    CHECK(check_order(*plan, right.ids.data(), count - 1, special).code == errc::extent_mismatch);
}

TEST_CASE("prompts with audio that do not fit their media are refused") {
    const written good = sample();
    CHECK(error_in(good).ok());
    const auto changed = [&](auto change) {
        written w = sample();
        change(w);
        return sentence_of(error_in(w));
    };
    CHECK(changed([](written& w) { w.mel_frames[0] = 16; }) ==
          "audio 0: its mel frames make 4 tokens, the prompt holds 3");
    CHECK(changed([](written& w) { w.mel_frames[1] = 12; }) ==
          "audio 1: its mel frames make 3 tokens, the prompt holds 2");
    CHECK(changed([](written& w) { w.mel_frames[0] = -12; }) == "audio 0: a count of -12 is below zero");
    CHECK(changed([](written& w) { w.mel_frames[0] = 2; }) == "audio 0: its 2 mel frames make no token");
    CHECK(changed([](written& w) { w.mel_frames[0] = index_max; }) ==
          "audio 0: its mel frames make 2305843009213693952 tokens, the prompt holds 3");
    CHECK(changed([](written& w) { w.mel_frames.pop_back(); }) ==
          "audio 1: the lengths of 1 were given, but the prompt holds 2 runs");
    CHECK(changed([](written& w) { w.mel_frames.push_back(12); }) ==
          "audio 2: the lengths of 3 were given, and the prompt holds 2 runs");
    CHECK(changed([](written& w) { w.videos[0].frames = 3; }) ==
          "video 0: its grid needs 6 tokens, the prompt holds 4");
    CHECK(changed([](written& w) { w.videos[0].rows = 3; }) ==
          "video 0: the grid side 3 is not a multiple of the merge size 2");
    CHECK(changed([](written& w) { w.videos[0].columns = 0; }) == "video 0: a grid side of 0 is not positive");
    CHECK(changed([](written& w) {
              w.videos.push_back({1, 2, 2});
          }) == "video 1: 2 grids were given, but the prompt holds 1 runs");
    CHECK(changed([](written& w) {
              w.images.push_back({1, 2, 2});
          }) == "image 0: 1 grids were given, but the prompt holds 0 runs");
    CHECK(changed([](written& w) { w.ids[11] = 42; }) ==
          "video 0: its placeholders start at token 4, and no end markers stand at 11");
    CHECK(changed([](written& w) { w.ids[12] = 42; }) ==
          "video 0: its placeholders start at token 4, and no end markers stand at 11");
    CHECK(changed([](written& w) { w.ids.resize(9); }) ==
          "video 0: its placeholders start at token 4, and no end markers stand at 9");
    CHECK(changed([](written& w) { w.ids[6] = 42; }) ==
          "video 0: its placeholders start at token 4, and no end markers stand at 6");
    CHECK(changed([](written& w) { w.ids[13] = 42; }) ==
          "audio 1: the placeholder at token 14 belongs to no run that a start marker opens");
    omni_media media = good.media();
    media.audio_in_video = false;
    CHECK(sentence_of(error_in(good, media)) ==
          "video 0: the placeholder at token 4 belongs to no run that a start marker opens");
    media = good.media();
    media.audio_tokens = nullptr;
    CHECK(error_in(good, media) == status{errc::null_data, operand::audio, 0, 0, 2});
    media = good.media();
    media.audio_count = -1;
    CHECK(error_in(good, media).code == errc::negative_count);
    media = good.media();
    media.visual.runs = video_runs::run_of_frame;
    CHECK(error_in(good, media).code == errc::unsupported);
    CHECK(omni_segments_of(good.ids.data(), -1, special, good.media()).error().code == errc::negative_count);
    CHECK(omni_segments_of(static_cast<const int*>(nullptr), 3, special, good.media()).error().code == errc::null_data);
    // A model without start ids, and a video that holds nothing but audio.
    omni_special_tokens without = special;
    without.vision_start = without.audio_start = -1;
    written plain;
    plain.ids = {4, 4, 42, 5, 5};
    plain.videos = {{1, 2, 4}};
    plain.seconds = {{1, 1}};
    plain.mel_frames = {8};
    CHECK(error_in(plain, plain.media(), without).ok());
    plain.ids = {1, 6, 5, 5, 7, 2};
    CHECK(sentence_of(error_in(plain)) == "video 0: its grid needs 2 tokens, the prompt holds 0");
}

TEST_CASE("media of a batch are taken row by row") {
    const written w = sample();
    written both = w;
    both.videos.push_back({1, 2, 2});
    both.seconds.push_back({1, 1});
    both.mel_frames.push_back(4);
    const omni_media media = both.media();
    omni_taken taken;
    REQUIRE(take_omni_segments(w.ids.data(), static_cast<index_t>(w.ids.size()), special, media, taken).ok());
    CHECK(taken.visual.videos == 1);
    CHECK(taken.audios == 2);
    const ids_t second = {1, 6, 4, 5, 7, 2}, third = {1, 6, 4, 5, 5, 7, 2};
    CHECK(!take_omni_segments(third.data(), 7, special, media, taken).ok());
    CHECK(taken.audios == 2);
    const auto got = take_omni_segments(second.data(), 6, special, media, taken);
    REQUIRE(got.ok());
    CHECK(got->size() == 1);
    CHECK((*got)[0].audio == 1);
    CHECK(taken.audios == 3);
}
