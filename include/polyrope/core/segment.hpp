#pragma once
// A prompt as the model's processor sees it: runs of text, image grids, video grids. Each segment owns its grid and its frame
// time. Patches (before the spatial merge) and tokens (after it) are different types.

#include "polyrope/core/checked.hpp"
#include "polyrope/core/result.hpp"

POLYROPE_BEGIN

/// Patches of a medium [frames, rows, columns], before the spatial merge. A video processor reports this.
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

/// Seconds from one temporal grid cell to the next, as an exact fraction. There is no default: temporal_patch_size / fps.
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

enum class segment_kind : std::uint8_t { text, image, video };

/// One run of a prompt.
struct segment {
    segment_kind kind = segment_kind::text;
    bool timed = false;
    index_t count = 0;              ///< tokens of a text run; of a medium, the placeholders in the prompt, or -1: as many as its grid has
    patch_grid grid{};              ///< patches of a medium, before the merge
    seconds_per_grid seconds{0, 1};  ///< read only where `timed`
    index_t gap = 0;                ///< text tokens between the single-frame grids of a video that is split by frame
};

/// A run of `count` text tokens, markers and timestamps included.
[[nodiscard]] constexpr segment text(index_t count) noexcept {
    segment s;
    s.count = count;
    return s;
}

/// An image of `grid` patches (frames are temporal cells, 1 for an ordinary image).
[[nodiscard]] constexpr segment image(patch_grid grid, index_t placeholders = -1) noexcept {
    segment s;
    s.kind = segment_kind::image;
    s.grid = grid;
    s.count = placeholders;
    return s;
}

/// A video whose frame index is its time.
[[nodiscard]] constexpr segment video(patch_grid grid, untimed_t, index_t placeholders = -1) noexcept {
    segment s = image(grid, placeholders);
    s.kind = segment_kind::video;
    return s;
}

/// A video whose temporal cells are `seconds` apart.
[[nodiscard]] constexpr segment video(patch_grid grid, seconds_per_grid seconds, index_t placeholders = -1) noexcept {
    segment s = video(grid, untimed, placeholders);
    s.timed = true;
    s.seconds = seconds;
    return s;
}

POLYROPE_END
