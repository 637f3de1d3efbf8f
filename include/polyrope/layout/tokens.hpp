#pragma once
// From a prompt's token ids, the grids its processor reports and the model's special ids to segments, with the checks
// that keep a prompt and its grids together: every run of placeholders takes the next grid of its kind and must fit it.
//
//     const auto prompt = segments_of(ids, count, special, media);
//     if (!prompt) return prompt.error();               // "image 1: its grid needs 6 tokens, the prompt holds 3"
//     const auto plan = make_plan(layout::mrope{2}, prompt->data(), size);
//
// Give real tokens only; layout/padding.hpp finds them in a padded row.

#include <vector>

#include "polyrope/core/segment.hpp"

POLYROPE_BEGIN

/// Ids of a model, for example 151652, 151653, 151655, 151656 for Qwen-VL. A negative id is one that the model does not
/// have; without vision_start a run needs no marker before it.
struct special_tokens {
    index_t vision_start;
    index_t image;
    index_t video;
    index_t video_start = -1;  ///< before a run of a video where that is another marker (ERNIE-4.5-VL), or see below
    index_t video_end = -1;
    /// Frames are written as images: image placeholders between video_start and video_end are a video's (GLM-4.1V).
    bool frames_as_images = false;
};

/// How the placeholders of a video lie in the prompt.
enum class video_runs : std::uint8_t {
    one_run,       ///< all frames in one run: Qwen2-VL, Qwen2.5-VL
    run_of_frame,  ///< each frame in a run of its own, text between, still one grid for the video: Qwen3-VL
};

/// What stands among the placeholders of an image.
enum class image_slots : std::uint8_t {
    cells,           ///< its cells alone
    lines_and_ends,  ///< a new-line cell behind every row, a slot before the first row and one behind the last: Hunyuan-VL
};

/// What a processor reports of the media of one prompt, in the order they occur.
struct prompt_media {
    const patch_grid* images = nullptr;
    index_t image_count = 0;
    const patch_grid* videos = nullptr;
    index_t video_count = 0;
    const seconds_per_grid* seconds = nullptr;  ///< [video_count], or absent: videos are untimed
    index_t spatial_merge = 1;
    video_runs runs = video_runs::one_run;
    index_t temporal_merge = 1;  ///< frames per temporal cell of a video's grid; a rest is left out
    image_slots slots = image_slots::cells;
};

/// Grids that a prompt took, where the grids of a whole batch are handed over row by row.
struct media_taken {
    index_t images = 0;
    index_t videos = 0;
};

namespace detail {

/// Tokens [begin, end) of one run of placeholders.
struct placeholder_run {
    index_t begin, end;
    bool image;
    bool ends_video = false;  ///< a video's end marker comes before its next run
};

[[nodiscard]] inline status check_media(const prompt_media& media, const media_taken& taken) noexcept {
    if (media.image_count < 0 || taken.images < 0 || taken.images > media.image_count)
        return {errc::negative_count, operand::image, 0, 0, media.image_count - taken.images};
    if (media.video_count < 0 || taken.videos < 0 || taken.videos > media.video_count)
        return {errc::negative_count, operand::video, 0, 0, media.video_count - taken.videos};
    if (media.image_count > 0 && media.images == nullptr)
        return {errc::null_data, operand::image, 0, 0, media.image_count};
    if (media.video_count > 0 && media.videos == nullptr)
        return {errc::null_data, operand::video, 0, 0, media.video_count};
    if (media.spatial_merge < 1) return {errc::value_invalid, operand::spatial_merge_size, 0, 1, media.spatial_merge};
    if (media.temporal_merge < 1)
        return {errc::value_invalid, operand::temporal_merge_size, 0, 1, media.temporal_merge};
    return {};
}

/// Tokens of one frame of a grid, or why it has none.
[[nodiscard]] inline status frame_tokens(const patch_grid& grid, index_t merge, operand what, index_t index,
                                         index_t& tokens) noexcept {
    for (const index_t side : {grid.frames, grid.rows, grid.columns})
        if (side < 1) return {errc::side_not_positive, what, index, 1, side};
    for (const index_t side : {grid.rows, grid.columns})
        if (side % merge != 0) return {errc::side_not_divisible, what, index, merge, side};
    if (!checked_multiply(grid.rows / merge, grid.columns / merge, tokens))
        return {errc::size_overflow, what, index, 0, 0};
    return {};
}

/// Every run of placeholders; `counts` says how many are images and videos.
template <class Id>
[[nodiscard]] status find_runs(const Id* ids, index_t count, const special_tokens& special,
                               std::vector<placeholder_run>& runs, media_taken& counts) {
    bool inside = false;  // between the markers of a video whose frames are written as images
    for (index_t n = 0; n < count;) {
        const auto id = static_cast<index_t>(ids[n]);
        if (special.frames_as_images && id >= 0 && (id == special.video_start || id == special.video_end)) {
            if (inside && id == special.video_end && !runs.empty()) runs.back().ends_video = true;
            inside = id == special.video_start;
        }
        const bool is_image = id == special.image && !inside;
        if (id < 0 || (id != special.image && id != special.video)) {
            ++n;
            continue;
        }
        index_t& found = is_image ? counts.images : counts.videos;
        const bool own_marker = !is_image && !special.frames_as_images && special.video_start >= 0;
        const index_t marker = own_marker ? special.video_start : special.vision_start;
        if (marker >= 0 && (n == 0 || static_cast<index_t>(ids[n - 1]) != marker))
            return {errc::run_without_marker, is_image ? operand::image : operand::video, found, 0, n};
        ++found;
        index_t end = n + 1;
        while (end < count && ids[end] == ids[n]) ++end;
        runs.push_back({n, end, is_image});
        n = end;
    }
    return {};
}

/// Whether there are grids for all runs, and the runs of frames end where a video ends.
[[nodiscard]] inline status check_counts(const prompt_media& media, const media_taken& taken,
                                         const media_taken& runs) noexcept {
    const index_t images = media.image_count - taken.images, videos = media.video_count - taken.videos;
    if (runs.images > images) return {errc::grid_missing, operand::image, media.image_count, images, runs.images};
    if (media.runs == video_runs::one_run) {
        if (runs.videos <= videos) return {};
        return {errc::grid_missing, operand::video, media.video_count, videos, runs.videos};
    }
    index_t frames = 0, video = taken.videos;
    for (; video < media.video_count && frames < runs.videos; ++video) {
        const index_t more = media.videos[video].frames / media.temporal_merge;
        if (more < 1) return {errc::side_not_positive, operand::video, video, 1, more};
        if (!checked_add(frames, more, frames)) frames = index_max;
    }
    if (frames == runs.videos) return {};
    const index_t last = video > taken.videos ? video - 1 : video;
    return {errc::frame_count_mismatch, operand::video, last, frames, runs.videos};
}

/// Whether no grid is left over.
[[nodiscard]] inline status all_taken(const prompt_media& media, const media_taken& taken) noexcept {
    if (taken.images < media.image_count)
        return {errc::grid_left_over, operand::image, taken.images, taken.images, media.image_count};
    if (taken.videos < media.video_count)
        return {errc::grid_left_over, operand::video, taken.videos, taken.videos, media.video_count};
    return {};
}

}  // namespace detail

/// Segments of one row of a batch whose grids are listed row by row. Takes the grids behind `taken` and moves it on;
/// nothing is taken where the status is not ok.
template <class Id>
[[nodiscard]] result<std::vector<segment>> take_segments(const Id* ids, index_t count, const special_tokens& special,
                                                         const prompt_media& media, media_taken& taken) {
    static_assert(std::is_integral_v<Id>, "token ids are integers");
    if (count < 0) return status{errc::negative_count, operand::token, 0, 0, count};
    if (count > 0 && ids == nullptr) return status{errc::null_data, operand::token, 0, 0, count};
    if (status s = detail::check_media(media, taken); !s.ok()) return s;
    std::vector<detail::placeholder_run> runs;
    media_taken found;
    if (status s = detail::find_runs(ids, count, special, runs, found); !s.ok()) return s;
    if (status s = detail::check_counts(media, taken, found); !s.ok()) return s;

    std::vector<segment> out;
    out.reserve(runs.size() * 2 + 1);
    media_taken next = taken;
    index_t frame = 0, text_begin = 0;
    for (const detail::placeholder_run& run : runs) {
        const operand what = run.image ? operand::image : operand::video;
        index_t& index = run.image ? next.images : next.videos;
        patch_grid grid = run.image ? media.images[index] : media.videos[index];
        index_t tokens = 0;
        if (status s = detail::frame_tokens(grid, media.spatial_merge, what, index, tokens); !s.ok()) return s;
        const index_t frames = run.image ? grid.frames : grid.frames / media.temporal_merge;
        if (frames < 1) return status{errc::side_not_positive, what, index, 1, frames};
        const bool split = !run.image && media.runs == video_runs::run_of_frame;
        const bool complete = !split || ++frame == frames;
        if (split && special.frames_as_images && run.ends_video != complete)
            return status{errc::frame_count_mismatch, what, index, frames, complete ? frame + 1 : frame};
        if (split) grid.frames = media.temporal_merge;
        if (!checked_multiply(tokens, split ? 1 : frames, tokens))
            return status{errc::size_overflow, what, index, 0, 0};
        if (run.image && media.slots == image_slots::lines_and_ends) {
            const index_t lines = grid.rows / media.spatial_merge;
            if (!checked_add(tokens, lines, tokens) || !checked_add(tokens, 2, tokens))
                return status{errc::size_overflow, what, index, 0, 0};
        }
        if (tokens != run.end - run.begin)
            return status{errc::token_count_mismatch, what, index, tokens, run.end - run.begin};
        if (run.begin > text_begin) out.push_back(text(run.begin - text_begin));
        text_begin = run.end;
        if (run.image) out.push_back(image(grid, tokens));
        else if (media.seconds != nullptr) out.push_back(video(grid, media.seconds[index], tokens));
        else out.push_back(video(grid, untimed, tokens));
        if (complete) ++index, frame = 0;
    }
    if (count > text_begin) out.push_back(text(count - text_begin));
    taken = next;
    return out;
}

/// Segments of one prompt, which takes every grid.
template <class Id>
[[nodiscard]] result<std::vector<segment>> segments_of(const Id* ids, index_t count, const special_tokens& special,
                                                       const prompt_media& media) {
    media_taken taken;
    result<std::vector<segment>> out = take_segments(ids, count, special, media, taken);
    if (!out) return out;
    if (status s = detail::all_taken(media, taken); !s.ok()) return s;
    return out;
}

POLYROPE_END
