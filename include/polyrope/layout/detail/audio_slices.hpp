#pragma once
// In which order the tokens of a video and of its audio follow each other in a prompt, as slices of cells and of audio
// tokens. `times` [frames] holds the time of each frame in positions, 0 first; audio token i is at time i.
//
//     interleave_by_chunks    2 frames at 0 and 27, 1 cell each, 60 audio tokens, 50 positions a chunk
//                             cells [0, 2)  audio [0, 50)  audio [50, 60)
//     merge_by_time           cell [0, 1)  audio [0, 27)  cell [1, 2)  audio [27, 60)

#include "polyrope/core/checked.hpp"
#include "polyrope/core/fma.hpp"

POLYROPE_BEGIN
namespace detail {

/// Tokens [begin, end) of one of the two.
struct media_slice {
    bool video = false;
    index_t begin = 0;
    index_t end = 0;
};

/// Cuts the cells of a video into chunks: before the first cell whose time reaches the length of one chunk, then the
/// first behind it that reaches two, and so on. A jump over several chunks moves the count by one, so the cells behind
/// it are cut one by one, inside a frame too.
struct video_chunks {
    const double* times;
    index_t frames;
    index_t cells;   ///< of a frame
    index_t length;  ///< of a chunk, in positions
    index_t frame = 0;
    index_t inside = 0;  ///< cell of the frame where the next chunk starts
    index_t reached = 1;

    [[nodiscard]] double limit() const noexcept { return static_cast<double>(reached) * static_cast<double>(length); }

    /// Goes to the next chunk and returns its first cell; the number of cells behind the last.
    index_t next() noexcept {
        if (++inside == cells) ++frame, inside = 0;
        else if (times[frame] < limit()) ++frame, inside = 0;
        while (frame < frames && times[frame] < limit()) ++frame;
        ++reached;
        return frame * cells + inside;
    }

    /// Goes to the last chunk and returns its first cell; frame < frames.
    index_t last() noexcept {
        index_t first = frame * cells + inside++;
        for (; frame < frames; ++frame, inside = 0) {
            const index_t due = static_cast<index_t>(times[frame]) / length - reached + 1, left = cells - inside;
            const index_t cuts = due < left ? due : left;
            if (cuts < 1) continue;
            first = frame * cells + inside + cuts - 1;
            reached += cuts;
        }
        return first;
    }
};

/// Video chunk 0, audio chunk 0, video chunk 1, ... to visit(slice), which says whether to go on. Chunks that follow
/// each other when the other side has ended are one slice. Returns the last chunk.
template <class Visit>
media_slice interleave_by_chunks(video_chunks chunks, index_t audio, Visit visit) {
    const index_t cells = chunks.frames * chunks.cells;
    index_t cell = 0, heard = 0;
    while (cell < cells && heard < audio) {
        const index_t cut = chunks.next(), end = audio - heard > chunks.length ? heard + chunks.length : audio;
        if (!visit(media_slice{true, cell, cut}) || !visit(media_slice{false, heard, end})) return {};
        cell = cut, heard = end;
    }
    if (cell < cells) {
        if (!visit(media_slice{true, cell, cells})) return {};
        return {true, chunks.last(), cells};
    }
    if (heard < audio) visit(media_slice{false, heard, audio});
    return {false, 0, audio};
}

/// Audio tokens before a frame at `time` of a span that starts at position `start`: those whose position is lower, the
/// sums compared in float32 as the reference does.
[[nodiscard]] inline index_t audio_before(double time, double start) noexcept {
    const auto at = [start](double behind) { return static_cast<float>(opaque(start + behind)); };
    index_t count = time > 0.0 ? static_cast<index_t>(time) : 0;
    count += static_cast<double>(count) < time ? 1 : 0;
    while (count > 0 && !(at(static_cast<double>(count - 1)) < at(time))) --count;
    return count;
}

/// The lower time first, the video where they are equal, slice by slice to visit(slice), which says whether to go on.
/// Returns the last token.
template <class Visit>
media_slice merge_by_time(const double* times, index_t frames, index_t cells, index_t audio, double start,
                          Visit visit) {
    index_t frame = 0, heard = 0;
    while (frame < frames && heard < audio) {
        const index_t first = frame;
        index_t before = 0;
        for (; frame < frames && (before = audio_before(times[frame], start)) <= heard; ++frame) {
        }
        if (frame > first && !visit(media_slice{true, first * cells, frame * cells})) return {};
        if (frame == frames) break;
        const index_t end = before < audio ? before : audio;
        if (!visit(media_slice{false, heard, end})) return {};
        heard = end;
    }
    if (frame < frames) {
        visit(media_slice{true, frame * cells, frames * cells});
        return {true, frames * cells - 1, frames * cells};
    }
    visit(media_slice{false, heard, audio});
    return {false, audio - 1, audio};
}

}  // namespace detail
POLYROPE_END
