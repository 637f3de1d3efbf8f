// Public faults of token runs against grids (K3).

#include "layout/prompts.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tokens.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr special_tokens special{1, 3, 4};

/// Token ids: x text, s vision start, e vision end, i image, v video.
std::vector<int> ids_of(const std::string& letters) {
    std::vector<int> ids;
    for (const char c : letters) ids.push_back(c == 's' ? 1 : c == 'e' ? 2 : c == 'i' ? 3 : c == 'v' ? 4 : 100);
    return ids;
}

result<std::vector<segment>> read(const std::string& letters, const std::vector<patch_grid>& images,
                                  const std::vector<patch_grid>& videos, video_runs runs = video_runs::one_run,
                                  index_t merge = 2) {
    const std::vector<int> ids = ids_of(letters);
    prompt_media media;
    media.images = images.data();
    media.image_count = static_cast<index_t>(images.size());
    media.videos = videos.data();
    media.video_count = static_cast<index_t>(videos.size());
    media.spatial_merge = merge;
    media.runs = runs;
    return segments_of(ids.data(), static_cast<index_t>(ids.size()), special, media);
}

}  // namespace

TEST_CASE("fault 11: prompt was truncated inside images, the grid list was not", "[fault]") {
    CHECK(sentence_of(error_of(layout::mrope{2}, {text(4), image(patch_grid{1, 4, 6}, 3)})) ==
          "segment 1: its grid needs 6 tokens, the prompt holds 3");
    CHECK(sentence_of(read("xxxsiii", {{1, 4, 6}}, {}).error()) ==
          "image 0: its grid needs 6 tokens, the prompt holds 3");
    const auto clipped = clip(plan_a(), 7);
    REQUIRE(clipped.ok());
    CHECK(clipped->size() == 7);
    CHECK(row(*clipped, 0) == numbers{0, 1, 2, 3, 4, 4, 4});
    CHECK(row(*clipped, 1) == numbers{0, 1, 2, 3, 4, 4, 4});
    CHECK(row(*clipped, 2) == numbers{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("fault 12: frames became separate runs while the grid list kept one row per video", "[fault]") {
    const auto check = [](const position_plan& plan) {
        CHECK(plan.size() == 19);
        CHECK(row(plan, 0) == numbers{0, 1, 2, 2, 2, 2, 4, 5, 6, 6, 6, 6, 8, 9, 10, 10, 10, 10, 12});
        CHECK(row(plan, 1) == numbers{0, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 10, 11, 11, 12});
        CHECK(row(plan, 2) == numbers{0, 1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 10, 11, 12});
        CHECK(plan.next_position() == 13);
        CHECK(plan.position_delta() == -6);
    };
    layout::mrope layout{2};
    layout.video = layout::video_form::frame_by_frame;
    const segment movie = video(patch_grid{3, 4, 4}, untimed);
    check(plan_of(layout, {text(2), with_gap(movie, 2), text(1)}));
    const index_t gaps[] = {2, 2};
    check(plan_of(layout, {text(2), with_gaps(movie, gaps, 2), text(1)}));
    const auto prompt = read("xsvvvvesvvvvesvvvve", {}, {{3, 4, 4}}, video_runs::run_of_frame);
    INFO(sentence_of(prompt.error()));
    REQUIRE(prompt.ok());
    check(plan_of(layout::mrope{2}, *prompt));
    CHECK(sentence_of(read("xsvvvvesvvvvesvvvve", {}, {{3, 4, 4}}).error()) ==
          "video 1: 1 grids were given, but the prompt holds 3 runs");
}

TEST_CASE("fault 13: two processors sampled frames differently", "[fault]") {
    std::string prompt = "x";
    for (int f = 0; f < 29; ++f) prompt += "svvvve";
    CHECK(sentence_of(read(prompt, {}, {{15, 4, 4}}, video_runs::run_of_frame).error()) ==
          "video 0: the grids up to this one have 15 frames, the prompt holds 29 runs of frames");
}

TEST_CASE("fault 14: image tokens got 1-D positions without an error", "[fault]") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(2), image(patch_grid{1, 4, 4}), text(1)});
    CHECK(row(plan, 0) == numbers{0, 1, 2, 2, 2, 2, 4});
    CHECK(row(plan, 1) == numbers{0, 1, 2, 2, 3, 3, 4});
    CHECK(row(plan, 2) == numbers{0, 1, 2, 3, 2, 3, 4});
}

TEST_CASE("fault 15: a grid was no multiple of the merge size", "[fault]") {
    CHECK(sentence_of(error_of(layout::mrope{4}, {image(patch_grid{1, 6, 4})})) ==
          "segment 0: the grid side 6 is not a multiple of the merge size 4");
    CHECK(sentence_of(read("sii", {{1, 6, 4}}, {}, video_runs::one_run, 4).error()) ==
          "image 0: the grid side 6 is not a multiple of the merge size 4");
}

namespace {

/// A user's own layout: an image has two prefix tokens and a new-line token behind each row, and its
/// patches share one time.
struct prefixed_rows {
    struct cursor {
        double next = 0.0;
    };
    int axes() const { return 3; }
    cursor resume(const position_plan& plan) const { return {plan.end_position()}; }
    double position(cursor at) const { return at.next; }
    cursor moved(cursor, double to) const { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (s.kind == segment_kind::text) {
            builder.text(at.next, 1.0, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        const index_t tokens = 2 + s.rows * (s.columns + 1);
        if (s.count != count_of_grid && s.count != tokens) builder.refuse(errc::token_count_mismatch, tokens, s.count);
        builder.text(at.next, 1.0, 2);
        at.next += 2.0;
        builder.grid({1, s.rows, s.columns + 1}, [&](placement& p) {
            for (int a = 0; a < 3; ++a) p.map[a].origin = p.neutral[a].origin = at.next;
            p.map[1].per_row = p.map[2].per_column = 1.0;
        });
        return {at.next + static_cast<double>(s.rows > s.columns + 1 ? s.rows : s.columns + 1)};
    }
};
static_assert(is_layout_v<prefixed_rows> && is_layout_v<layout::mrope> && is_layout_v<layout::sequential>,
              "three layouts");
static_assert(!is_layout_v<int> && !is_layout_v<segment>, "no layouts");

}  // namespace

TEST_CASE("fault 16: a rectangle cannot express prefix tokens, row ends and markers", "[fault]") {
    const position_plan plan = plan_of(prefixed_rows{}, {text(1), image(token_grid{1, 2, 2}), text(1)});
    CHECK(plan.size() == 10);
    CHECK(row(plan, 0) == numbers{0, 1, 2, 3, 3, 3, 3, 3, 3, 6});
    CHECK(row(plan, 1) == numbers{0, 1, 2, 3, 3, 3, 4, 4, 4, 6});
    CHECK(row(plan, 2) == numbers{0, 1, 2, 3, 4, 5, 3, 4, 5, 6});
    CHECK(plan.kind_of(token_index{2}) == modality::text);
    CHECK(plan.kind_of(token_index{3}) == modality::visual);
    CHECK(plan.segment_of(token_index{1}) == 1);
    CHECK(plan.segment_of(token_index{8}) == 1);
    CHECK(sentence_of(error_of(prefixed_rows{}, {image(token_grid{1, 2, 2}, 4)})) ==
          "segment 0: its grid needs 8 tokens, the prompt holds 4");
}

TEST_CASE("fault 17: positions were recomputed from the pruned token list", "[fault]") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(2), image(patch_grid{1, 4, 4}), text(2)});
    const bool keep[] = {true, true, true, false, false, true, true, true};
    const auto pruned = prune(plan, keep, 8);
    REQUIRE(pruned.ok());
    CHECK(row(*pruned, 0) == numbers{0, 1, 2, 2, 4, 5});
    CHECK(row(*pruned, 1) == numbers{0, 1, 2, 3, 4, 5});
    CHECK(row(*pruned, 2) == numbers{0, 1, 2, 3, 4, 5});
    CHECK(pruned->coordinates(token_index{6}) == plan.coordinates(token_index{8}));
    CHECK(pruned->position_delta() == 0);
}

TEST_CASE("fault 18: padding to a multiple was done on tokens only", "[fault]") {
    const position_plan a = plan_a();
    std::int32_t out[48];
    REQUIRE(a.fill(token_index{0}, token_index{15}, axis_major(out, 3, 16), fill_options{}.padded(0, 77, 1)).ok());
    for (int axis = 0; axis < 3; ++axis) CHECK(out[16 * axis + 15] == 77);
    CHECK(out[14] == 11);
    CHECK(a.position_delta() == -3);
}

TEST_CASE("fault 19: empty requests", "[fault]") {
    for (const std::vector<segment>& none : {std::vector<segment>{}, std::vector<segment>{text(0)}}) {
        const position_plan plan = plan_of(layout::mrope{2}, none);
        CHECK(plan.size() == 0);
        CHECK(plan.next_position() == 0);
        CHECK(plan.position_delta() == 0);
        CHECK(plan.fill(token_index{0}, token_index{0}, axis_major(static_cast<float*>(nullptr), 3, 0)).ok());
        CHECK(plan.coordinates(token_index{2})[axis::h] == 2);
    }
    const position_plan cell = plan_of(layout::mrope{2}, {image(patch_grid{1, 2, 2})});
    CHECK(cell.coordinates(token_index{0}) == coordinate{});
    CHECK(cell.next_position() == 1);
    CHECK(cell.position_delta() == 0);
    CHECK(error_of(layout::mrope{2}, {image(patch_grid{1, 0, 2})}) ==
          status{errc::side_not_positive, operand::segment, 0, 1, 0});
}

TEST_CASE("fault 20: placeholders and preprocessor disagreed in silence", "[fault]") {
    CHECK(sentence_of(read("siiie", {{1, 4, 4}}, {}).error()) ==
          "image 0: its grid needs 4 tokens, the prompt holds 3");
    CHECK(sentence_of(read("siiiiesiiiie", {{1, 4, 4}}, {}).error()) ==
          "image 1: 1 grids were given, but the prompt holds 2 runs");
    CHECK(sentence_of(read("siiiie", {{1, 4, 4}, {1, 4, 4}}, {}).error()) ==
          "image 1: 2 grids were given, but the prompt holds 1 runs");
    CHECK(sentence_of(read("siiiie", {{1, 0, 4}}, {}).error()) == "image 0: a grid side of 0 is not positive");
    CHECK(sentence_of(read("xxiiiie", {{1, 4, 4}}, {}).error()) ==
          "image 0: the placeholder at token 2 belongs to no run that a start marker opens");
}
