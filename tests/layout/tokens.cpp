// Token ids to segments: what is read is what was written, and nothing else is accepted.

#include "layout/prompts.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/tokens.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {
constexpr special_tokens special{151652, 151655, 151656};
}

TEST_CASE("a prompt written as token ids is read as the segments it was made of") {
    random_prompts random(11);
    for (int round = 0; round < 300; ++round) {
        const video_runs runs = round % 2 == 0 ? video_runs::one_run : video_runs::run_of_frame;
        std::vector<std::int32_t> ids;
        std::vector<patch_grid> images, videos;
        std::vector<seconds_per_grid> seconds;
        std::vector<segment> expected;
        index_t words = 0;
        const auto put = [&](std::int32_t id, index_t count) {
            ids.insert(ids.end(), static_cast<std::size_t>(count), id);
        };
        const auto flush = [&] {
            if (words > 0) expected.push_back(text(words));
            words = 0;
        };
        for (const segment& s : random.prompt(8)) {
            if (s.kind == segment_kind::text) {
                put(42, s.count);
                words += s.count;
                continue;
            }
            const patch_grid grid{s.frames, s.rows, s.columns};
            const index_t frame = s.rows / 2 * (s.columns / 2);
            const bool split = s.kind == segment_kind::video && runs == video_runs::run_of_frame;
            (s.kind == segment_kind::image ? images : videos).push_back(grid);
            if (s.kind == segment_kind::video) seconds.push_back(s.seconds);
            for (index_t f = 0; f < (split ? s.frames : 1); ++f) {
                put(151652, 1);
                words += 1;
                flush();
                const index_t tokens = split ? frame : frame * s.frames;
                put(s.kind == segment_kind::image ? 151655 : 151656, tokens);
                segment part = s;
                part.count = tokens;
                if (split) part.frames = 1;
                expected.push_back(part);
                put(151653, 1);
                words += 1;
            }
        }
        flush();
        prompt_media media;
        media.images = images.data();
        media.image_count = static_cast<index_t>(images.size());
        media.videos = videos.data();
        media.video_count = static_cast<index_t>(videos.size());
        media.seconds = seconds.data();
        media.spatial_merge = 2;
        media.runs = runs;
        const auto got = segments_of(ids.data(), static_cast<index_t>(ids.size()), special, media);
        INFO(sentence_of(got.error()));
        REQUIRE(got.ok());
        REQUIRE(got->size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const segment &x = (*got)[i], &y = expected[i];
            REQUIRE((x.kind == y.kind && x.count == y.count));
            if (x.kind != segment_kind::text)
                REQUIRE((x.frames == y.frames && x.rows == y.rows && x.columns == y.columns));
            if (x.kind == segment_kind::video)
                REQUIRE((x.timed && x.seconds.numerator == y.seconds.numerator &&
                         x.seconds.denominator == y.seconds.denominator));
        }
        CHECK(plan_of(layout::mrope{2}, *got).size() == static_cast<index_t>(ids.size()));

        // Whatever one token is changed to, the reader answers, and a placeholder more or less is never accepted.
        if (ids.empty()) continue;
        std::vector<std::int32_t> damaged = ids;
        const std::size_t at = static_cast<std::size_t>(random.number(0, static_cast<index_t>(ids.size()) - 1));
        const std::int32_t changes[] = {42, 151652, 151653, 151655, 151656, -1};
        damaged[at] = changes[random.number(0, 5)];
        const auto other = segments_of(damaged.data(), static_cast<index_t>(damaged.size()), special, media);
        const auto placeholder = [](std::int32_t id) { return id == 151655 || id == 151656; };
        if (placeholder(damaged[at]) != placeholder(ids[at])) CHECK(!other.ok());
    }
}

TEST_CASE("rows of a batch take the grids in turn, and keep their place when one is refused") {
    const std::int32_t first[] = {7, 151652, 151655, 151653}, second[] = {151652, 151655, 151655, 151653, 7};
    const patch_grid images[] = {{1, 2, 2}, {1, 2, 4}};
    prompt_media media;
    media.images = images;
    media.image_count = 2;
    media.spatial_merge = 2;
    media_taken taken;
    REQUIRE(take_segments(first, 4, special, media, taken).ok());
    CHECK(taken.images == 1);
    CHECK(sentence_of(take_segments(first, 4, special, media, taken).error()) ==
          "image 1: its grid needs 2 tokens, the prompt holds 1");
    CHECK(taken.images == 1);
    REQUIRE(take_segments(second, 5, special, media, taken).ok());
    CHECK(taken.images == 2);
    CHECK(take_segments(second, 5, special, media, taken).error().code == errc::grid_missing);
    CHECK(segments_of(first, 4, special, media).error().code == errc::grid_left_over);
    const auto empty = take_segments(first, 1, special, media, taken);
    REQUIRE(empty.ok());
    CHECK(empty->size() == 1);
}

TEST_CASE("a model without a start marker, and media at the ends of a prompt") {
    const std::int64_t ids[] = {9, 9, 9, 9, 1, 8, 8};
    const patch_grid image{1, 4, 4}, video{2, 2, 2};
    prompt_media media;
    media.images = &image;
    media.image_count = 1;
    media.videos = &video;
    media.video_count = 1;
    media.spatial_merge = 2;
    const auto got = segments_of(ids, 7, special_tokens{-1, 9, 8}, media);
    REQUIRE(got.ok());
    CHECK(got->size() == 3);
    CHECK(!(*got)[2].timed);
    CHECK(segments_of(ids, 7, special_tokens{1, 9, 8}, media).error() ==
          status{errc::run_without_marker, operand::image, 0, 0, 0});
    // A model without videos: no id is taken for one.
    const std::int64_t negative[] = {-1, -1};
    media.image_count = media.video_count = 0;
    CHECK(segments_of(negative, 2, special_tokens{-1, -1, -1}, media).ok());
}

TEST_CASE("grids of hostile size are refused") {
    const std::int32_t ids[] = {151652, 151655};
    for (const patch_grid grid :
         {patch_grid{1, index_max, 2}, patch_grid{index_max - 1, 2, 2}, patch_grid{1, index_max - 1, index_max - 1},
          patch_grid{1, INT64_MIN, 2}, patch_grid{0, 2, 2}, patch_grid{2, 2, 2}}) {
        prompt_media media;
        media.images = &grid;
        media.image_count = 1;
        media.spatial_merge = 2;
        CHECK(!segments_of(ids, 2, special, media).ok());
        media.videos = &grid;
        media.video_count = 1;
        media.image_count = 0;
        media.runs = video_runs::run_of_frame;
        const std::int32_t frames[] = {151652, 151656, 1, 151652, 151656, 1, 151652, 151656};
        CHECK(!segments_of(frames, 8, special, media).ok());
    }
}

TEST_CASE("padding is read from a mask") {
    const int left[] = {0, 0, 1, 1, 1}, both[] = {0, 1, 1, 0, 0}, none[] = {0, 0};
    CHECK(padding_of(left, 5)->left == 2);
    CHECK(padding_of(left, 5)->tokens == 3);
    CHECK(padding_of(both, 5)->right == 2);
    CHECK(padding_of(none, 2)->left == 2);
    CHECK(padding_of(none, 2)->tokens == 0);
    CHECK(padding_of(static_cast<const bool*>(nullptr), 0)->tokens == 0);
    CHECK(!padding_of(static_cast<const bool*>(nullptr), 3).ok());
}
