#pragma once
// A prompt as the model's processor sees it: runs of text, image grids, video grids, audio. Each segment owns its
// grid, its frame time and the text between its frames. Patches (before the spatial merge) and tokens (after
// it) are different types.
//
//     const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};

#include <type_traits>

#include "polyrope/core/checked.hpp"
#include "polyrope/core/result.hpp"

POLYROPE_BEGIN

/// Patches of a medium [frames, rows, columns], before the spatial merge. An image or video processor reports this.
struct patch_grid {
    index_t frames = 1;
    index_t rows = 1;
    index_t columns = 1;
};

/// Placeholder tokens of a medium [frames, rows, columns], after the spatial merge.
struct token_grid {
    index_t frames = 1;
    index_t rows = 1;
    index_t columns = 1;
};

/// Seconds from one temporal grid cell to the next, as an exact fraction: temporal_patch_size / fps. There is no
/// default. `simplest_seconds` of layout/seconds.hpp makes one from a floating-point number.
struct seconds_per_grid {
    index_t numerator;
    index_t denominator;
};

/// Frames without a time of their own: the frame index is the time.
struct untimed_t {
    explicit constexpr untimed_t() = default;
};
inline constexpr untimed_t untimed{};

/// What a token stands for. Text-like tokens (audio too) sit on the text trajectory.
enum class modality : std::uint8_t { text, visual };

enum class segment_kind : std::uint8_t { text, image, video, audio };

/// Count of a medium whose placeholders were not counted: as many as its grid needs.
inline constexpr index_t count_of_grid = -1;

/// One run of a prompt. The functions below make it.
struct segment {
    segment_kind kind = segment_kind::text;
    bool merged = false;  ///< the grid counts tokens already, the spatial merge is done
    bool timed = false;   ///< `seconds` was given
    bool kept = false;    ///< `count` is what pruning left
    index_t count = 0;    ///< tokens of a run of text or audio; placeholders of a medium, or count_of_grid
    index_t frames = 1;   ///< grid of a medium, in patches, or in tokens where `merged`
    index_t rows = 1;
    index_t columns = 1;
    seconds_per_grid seconds{0, 1};
    index_t gap = 0;                ///< text tokens between two frames of a video
    const index_t* gaps = nullptr;  ///< or one count for each of the gap_count gaps; must live until the plan is made
    index_t gap_count = 0;
    index_t audio = 0;        ///< audio tokens that lie between the frames of a video
    double frame_step = 0.0;  ///< positions per frame; 0 leaves it to the layout
    double span = 0.0;        ///< positions that the medium takes up; 0 leaves it to the layout
};
static_assert(std::is_trivially_copyable_v<segment>, "a segment is plain data");

/// A run of `count` text tokens, markers and timestamps included.
[[nodiscard]] constexpr segment text(index_t count) noexcept {
    segment s;
    s.count = count;
    return s;
}

/// A run of `count` audio tokens, which sit on the text trajectory.
[[nodiscard]] constexpr segment audio(index_t count) noexcept {
    segment s = text(count);
    s.kind = segment_kind::audio;
    return s;
}

/// Whether all tokens of a segment sit on the text trajectory.
[[nodiscard]] constexpr bool is_text_like(const segment& s) noexcept {
    return s.kind == segment_kind::text || s.kind == segment_kind::audio;
}

/// An image of `grid` patches. `placeholders` is how many the prompt holds; the layout checks it against the grid.
[[nodiscard]] constexpr segment image(patch_grid grid, index_t placeholders = count_of_grid) noexcept {
    segment s;
    s.kind = segment_kind::image;
    s.count = placeholders;
    s.frames = grid.frames;
    s.rows = grid.rows;
    s.columns = grid.columns;
    return s;
}
[[nodiscard]] constexpr segment image(token_grid grid, index_t placeholders = count_of_grid) noexcept {
    segment s = image(patch_grid{grid.frames, grid.rows, grid.columns}, placeholders);
    s.merged = true;
    return s;
}

/// A video whose frame index is its time. Grid is a patch_grid or a token_grid.
template <class Grid>
[[nodiscard]] constexpr segment video(Grid grid, untimed_t, index_t placeholders = count_of_grid) noexcept {
    segment s = image(grid, placeholders);
    s.kind = segment_kind::video;
    return s;
}

/// A video whose temporal cells are `seconds` apart.
template <class Grid>
[[nodiscard]] constexpr segment video(Grid grid, seconds_per_grid seconds,
                                      index_t placeholders = count_of_grid) noexcept {
    segment s = video(grid, untimed, placeholders);
    s.timed = true;
    s.seconds = seconds;
    return s;
}

/// The same video with `gap` text tokens (timestamps, markers) between every two frames.
[[nodiscard]] constexpr segment with_gap(segment video, index_t gap) noexcept {
    video.gap = gap;
    return video;
}

/// The same video with gaps[i] text tokens between frames i and i + 1; a video of T frames has T - 1 gaps.
[[nodiscard]] constexpr segment with_gaps(segment video, const index_t* gaps, index_t gap_count) noexcept {
    video.gaps = gaps;
    video.gap_count = gap_count;
    return video;
}

/// What pruning left of a video in one run of placeholders: `tokens` cells, whole frames first, then the first cells of
/// one more. A frame of which nothing is left needs no segment. `frame` is the grid of a single frame.
template <class Grid>
[[nodiscard]] constexpr segment kept_frames(Grid frame, index_t tokens) noexcept {
    segment s = video(frame, untimed, tokens);
    s.kept = true;
    return s;
}

/// The same video with `tokens` audio tokens between its frames, where the layout puts them.
[[nodiscard]] constexpr segment with_audio(segment video, index_t tokens) noexcept {
    video.audio = tokens;
    return video;
}

/// The same medium with `positions` from one frame to the next (HoPE's gamma), in place of the layout's own.
[[nodiscard]] constexpr segment with_frame_step(segment medium, double positions) noexcept {
    medium.frame_step = positions;
    return medium;
}

/// The same medium spread over `positions` of the text trajectory (V2PE), in place of the layout's own.
[[nodiscard]] constexpr segment with_span(segment medium, double positions) noexcept {
    medium.span = positions;
    return medium;
}

POLYROPE_END
