#pragma once
// TMRoPE: M-RoPE with audio (arXiv:2503.20215, section 2.2; Qwen2.5-Omni, Qwen3-Omni). Audio alone sits on the text
// trajectory. A video with audio is one segment, its two start and two end markers included: both run on one clock from
// the same start, cut into chunks or merged token by token, and text goes on behind the last slice. Tested against
// get_rope_index of Qwen2.5-Omni and Qwen3-Omni of huggingface/transformers v4.57.6 and v5.15.0.
//
//     by chunks of 4, 2 a second: text(1), video [3, 1, 2] every second with 6 audio, text(1)    next 10, delta -8
//     t  0 1 1 2 2 4 4 2 3 4 5 6 6 6 7 8 8 9
//     h  0 1 1 2 2 2 2 2 3 4 5 2 2 6 7 8 8 9
//     w  0 1 1 2 3 2 3 2 3 4 5 2 3 6 7 8 8 9
//
//     by time, 13 a second: text(1), video [2, 1, 2] every 1/2 s with 9 audio, text(1)    next 15, delta -4
//     t  0 1 2 3 3 3 4 5 6 7 8 9 9.5 9.5 10 11 12 13 14
//     h  0 1 2 3 3 3 4 5 6 7 8 9 3 3 10 11 12 13 14
//     w  0 1 2 3 4 3 4 5 6 7 8 9 3 4 10 11 12 13 14
//
// The end of the last slice can lie below other coordinates of the video; generated text goes on behind them all.

#include "polyrope/layout/detail/audio_slices.hpp"
#include "polyrope/layout/mrope.hpp"

POLYROPE_BEGIN
namespace layout {

/// How the tokens of a video and of its audio follow each other.
enum class audio_order : std::uint8_t {
    by_chunks,  ///< a chunk of the video, the same chunk of the audio, the next chunk: Qwen2.5-Omni
    by_time,    ///< token by token, the lower time first: Qwen3-Omni
};

/// Positions of the two markers at each end of a video with audio.
enum class span_markers : std::uint8_t {
    shared,       ///< both at one position: Qwen2.5-Omni; vLLM for Qwen3-Omni too
    consecutive,  ///< as text: Qwen3-Omni
};

/// Behind what the end markers of a video with audio stand.
enum class span_end : std::uint8_t {
    last_slice,  ///< the chunk, or the token, that the prompt holds last: transformers
    whole_span,  ///< everything between the markers: vLLM
};

struct tmrope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    frame_time time;
    audio_order order = audio_order::by_chunks;
    span_markers markers = span_markers::shared;
    span_end behind = span_end::last_slice;
    index_t positions_per_chunk = 50;  ///< of by_chunks

    using cursor = mrope::cursor;

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (s.kind != segment_kind::video || s.audio == 0) return mrope{spatial_merge, time}.place(s, at, builder);
        token_grid grid;
        if (!grid_of(s, spatial_merge, grid, builder, {false, false, true}) || !has_no_gaps(s, builder)) return at;
        if (s.audio < 0) return builder.refuse(errc::negative_count, 0, s.audio), at;
        if (order == audio_order::by_chunks && positions_per_chunk < 1)
            return builder.refuse({errc::value_invalid, operand::positions_per_chunk, 0, 1, positions_per_chunk}), at;
        span v{grid, no_table, nullptr, 0.0};
        v.times = time_table_of(time, s, grid.frames, builder, v.table);
        if (v.times == nullptr) return at;

        const double step = markers == span_markers::shared ? 0.0 : 1.0;
        builder.text(at.next, step, 2);
        v.start = position_after(at.next, 1.0, step + 1.0);
        const double highest = between_markers(v, s.audio, builder);
        if (!builder.ok()) return at;
        const double end = position_after(highest, 1.0, 1.0);
        builder.text(end, step, 2);
        return {position_after(end, 1.0, step + 1.0)};
    }

private:
    /// A video with audio. `times` is the table of its frames.
    struct span {
        token_grid grid;
        index_t table;
        const double* times;
        double start;

        /// Cells of a slice, in a grid of its frames alone.
        [[nodiscard]] placement cells(const detail::media_slice& slice) const noexcept {
            const index_t per_frame = grid.rows * grid.columns, first = slice.begin / per_frame;
            placement p;
            p.count = slice.end - slice.begin;
            p.kind = modality::visual;
            p.grid = {(slice.end - 1) / per_frame - first + 1, grid.rows, grid.columns};
            p.first_cell = slice.begin - first * per_frame;
            p.frame_times = table + first;
            p.map[0].per_frame = p.map[1].per_row = p.map[2].per_column = 1.0;
            for (int a = 0; a < 3; ++a) {
                p.map[a].origin = p.neutral[a].origin = start;
                p.neutral[a].per_frame = 1.0;  // a token's own time, on every axis
            }
            return p;
        }
    };

    /// Places what lies between the markers; returns the coordinate that the end markers stand behind.
    [[nodiscard]] double between_markers(const span& v, index_t audio, plan_builder& builder) const {
        const index_t per_frame = v.grid.rows * v.grid.columns;
        const auto put = [&](const detail::media_slice& slice) {
            if (slice.video) builder.add(v.cells(slice));
            else
                builder.text(position_after(v.start, 1.0, static_cast<double>(slice.begin)), 1.0,
                             slice.end - slice.begin);
            return builder.ok();
        };
        const bool video_last =
            order == audio_order::by_chunks
                ? detail::interleave_by_chunks({v.times, v.grid.frames, per_frame, positions_per_chunk}, audio, put)
                : detail::merge_by_time(v.times, v.grid.frames, per_frame, audio, v.start, put);
        // A slice of the video that comes last is later than all audio and ends with its last cell, the furthest on
        // every axis.
        double furthest = static_cast<double>(audio - 1);
        if (video_last || behind == span_end::whole_span) {
            const index_t side = v.grid.rows > v.grid.columns ? v.grid.rows : v.grid.columns;
            const double later = v.times[v.grid.frames - 1], across = static_cast<double>(side - 1);
            const double cell = later > across ? later : across;
            if (cell > furthest) furthest = cell;
        }
        return position_after(v.start, 1.0, furthest);
    }
};

}  // namespace layout
POLYROPE_END
