#pragma once
// The token ids of a prompt with images, videos and audio to segments, as layout/tokens.hpp does without audio. A video
// whose audio lies between its frames is written vision_start audio_start ... audio_end vision_end, and becomes one
// segment with its four markers.
//
//     const auto plan = plan_of_omni(layout, ids, count, special, media);
//     if (!plan) return plan.error();          // "audio 0: its mel frames make 16 tokens, the prompt holds 15"
//
// Tokens of a video and its audio must come in the layout's own order: plan_of_omni looks, check_order by itself.

#include "polyrope/layout/audio.hpp"
#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/tokens.hpp"

POLYROPE_BEGIN

/// Ids of a model. A negative start id is one that the model does not have: a run then needs no marker before it.
struct omni_special_tokens {
    index_t vision_start;
    index_t vision_end;
    index_t image;
    index_t video;
    index_t audio_start;
    index_t audio_end;
    index_t audio;
};

/// What a processor reports of the media of one prompt, each kind in the order it occurs.
struct omni_media {
    prompt_media visual{};  ///< one_run
    const index_t* mel_frames = nullptr;
    index_t audio_count = 0;
    audio_token_rule audio_tokens = nullptr;
    bool audio_in_video = false;  ///< use_audio_in_video: without it no video may hold audio
};

/// Media that a prompt took, where those of a whole batch are handed over row by row.
struct omni_taken {
    media_taken visual{};
    index_t audios = 0;
};

namespace detail {

/// Tokens [begin, end) of a run of placeholders, or of a video with audio and its four markers.
struct omni_run {
    index_t begin = 0;
    index_t end = 0;
    segment_kind kind = segment_kind::text;
    index_t tokens = 0;  ///< placeholders of an image, a video or an audio
    index_t audio = 0;   ///< audio placeholders between the frames of a video
    bool joined = false;
};

/// The run that starts at token n, or an empty one.
template <class Id>
[[nodiscard]] omni_run omni_run_at(const Id* ids, index_t count, index_t n, const omni_special_tokens& special,
                                   bool audio_in_video) noexcept {
    const auto is = [&](index_t at, index_t id) {
        return id >= 0 && at >= 0 && at < count && static_cast<index_t>(ids[at]) == id;
    };
    omni_run run;
    run.begin = run.end = n;
    if (audio_in_video && is(n, special.vision_start) && is(n + 1, special.audio_start)) {
        run.kind = segment_kind::video;
        run.joined = true;
        for (run.end = n + 2; is(run.end, special.video) || is(run.end, special.audio); ++run.end)
            ++(is(run.end, special.video) ? run.tokens : run.audio);
        return run;
    }
    const index_t id =
        is(n, special.image) || is(n, special.video) || is(n, special.audio) ? static_cast<index_t>(ids[n]) : -1;
    if (id < 0) return run;
    run.kind = id == special.image   ? segment_kind::image
               : id == special.video ? segment_kind::video
                                     : segment_kind::audio;
    while (is(run.end, id)) ++run.end;
    run.tokens = run.end - n;
    return run;
}

[[nodiscard]] constexpr operand operand_of(segment_kind kind) noexcept {
    return kind == segment_kind::image ? operand::image : kind == segment_kind::video ? operand::video : operand::audio;
}

/// Every run of placeholders; `counts` says how many there are of each kind.
template <class Id>
[[nodiscard]] status find_omni_runs(const Id* ids, index_t count, const omni_special_tokens& special,
                                    bool audio_in_video, std::vector<omni_run>& runs, omni_taken& counts) {
    const auto is = [&](index_t at, index_t id) {
        return at >= 0 && at < count && static_cast<index_t>(ids[at]) == id;
    };
    for (index_t n = 0; n < count;) {
        omni_run run = omni_run_at(ids, count, n, special, audio_in_video);
        if (run.end == n) {
            ++n;
            continue;
        }
        index_t& found = run.kind == segment_kind::image   ? counts.visual.images
                         : run.kind == segment_kind::video ? counts.visual.videos
                                                           : counts.audios;
        const operand what = operand_of(run.kind);
        if (run.joined) {
            if (!is(run.end, special.audio_end) || !is(run.end + 1, special.vision_end))
                return {errc::run_not_closed, what, found, n + 2, run.end};
            run.end += 2;
            ++counts.audios;
        } else {
            const index_t marker = run.kind == segment_kind::audio ? special.audio_start : special.vision_start;
            if (marker >= 0 && !is(n - 1, marker)) return {errc::run_without_marker, what, found, 0, n};
        }
        ++found;
        runs.push_back(run);
        n = run.end;
    }
    return {};
}

/// Whether the placeholders of the next audio are as many as its mel frames make.
[[nodiscard]] inline status check_audio(const omni_media& media, index_t index, index_t found) noexcept {
    const index_t mel_frames = media.mel_frames[index];
    const result<index_t> tokens = media.audio_tokens(mel_frames);
    if (!tokens) return {tokens.error().code, operand::audio, index, tokens.error().expected, tokens.error().found};
    if (*tokens < 1) return {errc::audio_empty, operand::audio, index, 0, mel_frames};
    if (*tokens != found) return {errc::audio_count_mismatch, operand::audio, index, *tokens, found};
    return {};
}

[[nodiscard]] inline status check_omni_media(const omni_media& media, const omni_taken& taken) noexcept {
    if (status s = check_media(media.visual, taken.visual); !s.ok()) return s;
    if (media.visual.runs != video_runs::one_run) return {errc::unsupported, operand::video, 0, 0, 0};
    if (media.audio_count < 0 || taken.audios < 0 || taken.audios > media.audio_count)
        return {errc::negative_count, operand::audio, 0, 0, media.audio_count - taken.audios};
    if (media.audio_count > 0 && (media.mel_frames == nullptr || media.audio_tokens == nullptr))
        return {errc::null_data, operand::audio, 0, 0, media.audio_count};
    return {};
}

}  // namespace detail

/// Segments of one row of a batch whose media are listed row by row. Takes the media behind `taken` and moves it on;
/// nothing is taken where the status is not ok.
template <class Id>
[[nodiscard]] result<std::vector<segment>> take_omni_segments(const Id* ids, index_t count,
                                                              const omni_special_tokens& special,
                                                              const omni_media& media, omni_taken& taken) {
    static_assert(std::is_integral_v<Id>, "token ids are integers");
    if (count < 0) return status{errc::negative_count, operand::token, 0, 0, count};
    if (count > 0 && ids == nullptr) return status{errc::null_data, operand::token, 0, 0, count};
    if (status s = detail::check_omni_media(media, taken); !s.ok()) return s;
    std::vector<detail::omni_run> runs;
    omni_taken found;
    if (status s = detail::find_omni_runs(ids, count, special, media.audio_in_video, runs, found); !s.ok()) return s;
    if (status s = detail::check_counts(media.visual, taken.visual, found.visual); !s.ok()) return s;
    if (found.audios > media.audio_count - taken.audios)
        return status{errc::audio_missing, operand::audio, media.audio_count, media.audio_count - taken.audios,
                      found.audios};

    std::vector<segment> out;
    out.reserve(runs.size() * 2 + 1);
    omni_taken next = taken;
    index_t text_begin = 0;
    for (const detail::omni_run& run : runs) {
        if (run.begin > text_begin) out.push_back(text(run.begin - text_begin));
        text_begin = run.end;
        if (run.kind == segment_kind::audio || run.joined)
            if (status s = detail::check_audio(media, next.audios++, run.joined ? run.audio : run.tokens); !s.ok())
                return s;
        if (run.kind == segment_kind::audio) {
            out.push_back(audio(run.tokens));
            continue;
        }
        const bool is_image = run.kind == segment_kind::image;
        index_t& index = is_image ? next.visual.images : next.visual.videos;
        const patch_grid grid = is_image ? media.visual.images[index] : media.visual.videos[index];
        const operand what = detail::operand_of(run.kind);
        index_t tokens = 0;
        if (status s = detail::frame_tokens(grid, media.visual.spatial_merge, what, index, tokens); !s.ok()) return s;
        if (!checked_multiply(tokens, grid.frames, tokens)) return status{errc::size_overflow, what, index, 0, 0};
        if (tokens != run.tokens) return status{errc::token_count_mismatch, what, index, tokens, run.tokens};
        if (is_image) out.push_back(image(grid, tokens));
        else if (media.visual.seconds != nullptr) out.push_back(video(grid, media.visual.seconds[index], tokens));
        else out.push_back(video(grid, untimed, tokens));
        if (run.joined) out.back() = with_audio(out.back(), run.audio);
        ++index;
    }
    if (count > text_begin) out.push_back(text(count - text_begin));
    taken = next;
    return out;
}

/// Segments of one prompt, which takes every grid and every audio.
template <class Id>
[[nodiscard]] result<std::vector<segment>> omni_segments_of(const Id* ids, index_t count,
                                                            const omni_special_tokens& special,
                                                            const omni_media& media) {
    omni_taken taken;
    result<std::vector<segment>> out = take_omni_segments(ids, count, special, media, taken);
    if (!out) return out;
    if (status s = detail::all_taken(media.visual, taken.visual); !s.ok()) return s;
    if (taken.audios < media.audio_count)
        return status{errc::audio_left_over, operand::audio, taken.audios, taken.audios, media.audio_count};
    return out;
}

/// Whether the visual tokens of a plan are the image and video placeholders of its prompt, one by one.
template <class Id>
[[nodiscard]] status check_order(const position_plan& plan, const Id* ids, index_t count,
                                 const omni_special_tokens& special) noexcept {
    if (count != plan.prompt_tokens()) return {errc::extent_mismatch, operand::token, 0, plan.prompt_tokens(), count};
    for (const placement& p : plan.placements())
        for (index_t n = p.first_token; n < count && n - p.first_token < p.count; ++n) {
            const auto id = static_cast<index_t>(ids[n]);
            const bool visual = id >= 0 && (id == special.image || id == special.video);
            if (visual != (p.kind == modality::visual)) return {errc::token_order_mismatch, operand::token, n, 0, 0};
        }
    return {};
}

/// The plan of one prompt, its order checked.
template <class Layout, class Id>
[[nodiscard]] result<position_plan> plan_of_omni(const Layout& layout, const Id* ids, index_t count,
                                                 const omni_special_tokens& special, const omni_media& media,
                                                 const plan_options& options = {}) {
    const result<std::vector<segment>> segments = omni_segments_of(ids, count, special, media);
    if (!segments) return segments.error();
    result<position_plan> plan = make_plan(layout, segments->data(), static_cast<index_t>(segments->size()), options);
    if (!plan) return plan.error();
    if (status s = check_order(*plan, ids, count, special); !s.ok()) return s;
    return plan;
}

POLYROPE_END
