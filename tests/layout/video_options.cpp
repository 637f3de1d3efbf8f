// Videos of mrope beyond the plain ones: merged frames, frames written as images, runs that pruning cut.

#include "layout/check_layout.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tokens.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

layout::mrope merged(layout::video_form form = layout::video_form::one_block) {
    layout::mrope layout{2};
    layout.video = form;
    layout.temporal_merge = 2;
    return layout;
}

}  // namespace

TEST_CASE("two merged frames are one temporal cell, a last odd one is left out") {
    for (const auto form :
         {layout::video_form::one_block, layout::video_form::abutting_frames, layout::video_form::frame_by_frame}) {
        layout::mrope plain{2};
        plain.video = form;
        const auto gap = [form](const segment& s) {
            return form == layout::video_form::frame_by_frame ? with_gap(s, 2) : s;
        };
        for (const index_t frames : {4, 5})
            CHECK(plan_of(merged(form), {text(1), gap(video(patch_grid{frames, 4, 6}, untimed)), text(1)}) ==
                  plan_of(plain, {text(1), gap(video(patch_grid{2, 4, 6}, untimed)), text(1)}));
    }
    // An image has one frame, and tokens are merged already.
    CHECK(plan_of(merged(), {image(patch_grid{1, 4, 6}), video(token_grid{3, 2, 2}, untimed)}) ==
          plan_of(layout::mrope{2}, {image(patch_grid{1, 4, 6}), video(token_grid{3, 2, 2}, untimed)}));
    CHECK(error_of(merged(), {video(patch_grid{1, 4, 6}, untimed)}).code == errc::side_not_positive);
    layout::mrope none{2};
    none.temporal_merge = 0;
    CHECK(sentence_of(error_of(none, {image(patch_grid{1, 4, 6})})).find("temporal_merge_size") != std::string::npos);
}

TEST_CASE("frames written as images are a video between its markers and nowhere else") {
    constexpr index_t boi = 8, eoi = 9, bov = 10, eov = 11, cell = 3;
    const special_tokens special{boi, cell, -1, bov, eov, true};
    const patch_grid images[] = {{1, 2, 2}}, videos[] = {{2, 2, 4}, {1, 2, 2}};
    prompt_media media;
    media.images = images, media.image_count = 1;
    media.videos = videos, media.video_count = 2;
    media.spatial_merge = 2;
    media.runs = video_runs::run_of_frame;
    const std::vector<index_t> ids{boi,  cell, eoi, bov, boi, cell, cell, eoi, 77, boi,
                                   cell, cell, eoi, eov, bov, boi,  cell, eoi, eov};
    const auto read = [&](std::vector<index_t> list) {
        return segments_of(list.data(), static_cast<index_t>(list.size()), special, media);
    };
    const auto good = read(ids);
    INFO(sentence_of(good.error()));
    REQUIRE(good.ok());
    std::vector<segment_kind> kinds;
    for (const segment& s : *good)
        if (s.kind != segment_kind::text) kinds.push_back(s.kind);
    CHECK(kinds == std::vector<segment_kind>{segment_kind::image, segment_kind::video, segment_kind::video,
                                             segment_kind::video});

    // A frame moved to the other video: as many runs, but the videos end elsewhere.
    std::vector<index_t> moved = ids;
    moved.erase(moved.begin() + 13);  // the first video's end
    moved.erase(moved.begin() + 13);  // the second one's start
    CHECK(sentence_of(read(moved).error()).find("video 0") == 0);
    std::vector<index_t> early = ids;
    early.insert(early.begin() + 8, {eov, bov});  // an end after the first frame
    CHECK(read(early).error() == status{errc::frame_count_mismatch, operand::video, 0, 2, 1});
    std::vector<index_t> open(ids.begin() + 1, ids.end());  // an image without its marker
    CHECK(read(open).error().code == errc::run_without_marker);
}

TEST_CASE("a run that pruning left holds whole frames and the first cells of one more") {
    layout::mrope layout{2};
    layout.video = layout::video_form::frame_by_frame;
    const patch_grid frame{1, 4, 4};
    const position_plan plan = plan_of(layout, {text(1), kept_frames(frame, 10), text(1)});
    CHECK(row(plan, 0) == numbers{0, 1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 7});
    CHECK(row(plan, 1) == numbers{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 7});
    CHECK(row(plan, 2) == numbers{0, 1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 7});
    CHECK(plan.kind_of(token_index{10}) == modality::visual);
    CHECK(*plan.neutral(token_index{10}) == coordinate{{5, 5, 5}});

    // Whole frames alone are the frames of a plain video; less than one is a clipped frame; none places nothing.
    CHECK(row(plan_of(layout, {kept_frames(frame, 4), text(2)}), 2) ==
          row(plan_of(layout, {video(frame, untimed), text(2)}), 2));
    CHECK(row(plan_of(layout, {kept_frames(frame, 3), text(1)}), 1) == numbers{0, 0, 1, 2});
    CHECK(row(plan_of(layout, {kept_frames(frame, 1), text(1)}), 1) == numbers{0, 1});
    CHECK(row(plan_of(layout, {text(1), kept_frames(frame, 0), text(1)}), 0) == numbers{0, 1});

    CHECK(error_of(layout, {kept_frames(patch_grid{2, 4, 4}, 3)}).code == errc::frames_not_placed);
    CHECK(error_of(layout, {kept_frames(frame, -2)}).code == errc::negative_count);
    CHECK(error_of(layout, {with_gap(kept_frames(frame, 4), 1)}).code == errc::gap_count_mismatch);
    CHECK(error_of(layout::sequential{2, 3}, {kept_frames(frame, 4)}).code == errc::extra_not_read);
    // The same count without the name is an error.
    CHECK(error_of(layout, {video(frame, untimed, 10)}).code == errc::token_count_mismatch);
}
