#pragma once
// In which order the tokens of a video and of its audio follow each other in a prompt, as slices of cells and of audio
// tokens. `times` [frames] holds the time of each frame in positions, 0 first; audio token i is at time i.

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
};

/// Video chunk 0, audio chunk 0, video chunk 1, ... to visit(slice), which says whether to go on. Chunks that follow
/// each other when the other side has ended are one slice. Whether the last is of the video.
template <class Visit>
bool interleave_by_chunks(video_chunks chunks, index_t audio, Visit visit) {
    const index_t cells = chunks.frames * chunks.cells;
    index_t cell = 0, heard = 0;
    while (cell < cells && heard < audio) {
        const index_t cut = chunks.next(), end = audio - heard > chunks.length ? heard + chunks.length : audio;
        if (!visit(media_slice{true, cell, cut}) || !visit(media_slice{false, heard, end})) return false;
        cell = cut, heard = end;
    }
    if (cell < cells) return visit(media_slice{true, cell, cells}), true;
    if (heard < audio) visit(media_slice{false, heard, audio});
    return false;
}

/// Audio tokens before a frame at `time` of a span that starts at position `start`: those whose position is lower. Sums
/// are compared in float32, as the reference does, up to 2^24, where float32 no longer tells whole numbers apart.
[[nodiscard]] inline index_t audio_before(double time, double start) noexcept {
    if (!(time > 0.0)) return 0;
    index_t count = static_cast<index_t>(time);
    count += static_cast<double>(count) < time ? 1 : 0;
    if (start + time >= 16777216.0) return count;
    const auto at = [start](double behind) { return static_cast<float>(opaque(start + behind)); };
    while (count > 0 && !(at(static_cast<double>(count - 1)) < at(time))) --count;
    return count;
}

/// The lower time first, the video where they are equal, slice by slice to visit(slice), which says whether to go on.
/// Whether the last token is of the video.
template <class Visit>
bool merge_by_time(const double* times, index_t frames, index_t cells, index_t audio, double start, Visit visit) {
    index_t frame = 0, heard = 0;
    while (frame < frames && heard < audio) {
        const index_t first = frame;
        index_t before = audio_before(times[frame], start);
        while (before <= heard && ++frame < frames) before = audio_before(times[frame], start);
        if (frame > first && !visit(media_slice{true, first * cells, frame * cells})) return false;
        const index_t end = frame == frames || before > audio ? audio : before;
        if (!visit(media_slice{false, heard, end})) return false;
        heard = end;
    }
    if (frame == frames) return false;
    return visit(media_slice{true, frame * cells, frames * cells}), true;
}

}  // namespace detail
POLYROPE_END
