#pragma once
// M-RoPE: text moves all axes alike; a medium is a grid (time, row, column) placed at the running position
// (arXiv:2409.12191, section 2.1; Qwen2-VL, Qwen2.5-VL, Qwen3-VL). With `spatial_reset` rows and columns start at zero
// (MRoPE-I, arXiv:2510.23095). Tested against get_rope_index of huggingface/transformers v4.57.6 and v5.15.0,
// get_mrope_input_positions of vLLM, and JJJYmmm/Multimodal-RoPEs cd413b9.
//
//     mrope{1}: text(2), image [1, 2, 3], text(2)              next 7, delta -3
//     t  0 1 2 2 2 2 2 2 5 6
//     h  0 1 2 2 2 3 3 3 5 6
//     w  0 1 2 3 4 2 3 4 5 6
//
//     mrope{1}, spatial reset: text(2), image [1, 2, 3], text(2)    next 7, delta -3
//     t  0 1 2 2 2 2 2 2 5 6
//     h  0 1 0 0 0 1 1 1 5 6
//     w  0 1 0 1 2 0 1 2 5 6
//
//     mrope{1}, floored_product(2): text(1), video [3, 1, 2] every 3/4 s, text(2)    next 7, delta -2
//     t  0 1 1 2 2 4 4 5 6
//     h  0 1 1 1 1 1 1 5 6
//     w  0 1 2 1 2 1 2 5 6
//
//     mrope{1}, frame by frame: text(1), video [2, 1, 2] with gap 1, text(1)         next 7, delta 0
//     t  0 1 1 3 4 4 6
//     h  0 1 1 3 4 4 6
//     w  0 1 2 3 4 5 6

#include "polyrope/layout/frame_time.hpp"
#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"

POLYROPE_BEGIN
namespace layout {

/// Where text goes on behind a medium.
enum class advance : std::uint8_t {
    past_everything,  ///< one past the largest coordinate of the medium: transformers 4.57.6, vLLM; the models' release
    past_rows_and_columns,  ///< past its rows and columns alone: transformers 5.15.0; may reuse times of a long video
};

/// How the frames of a video lie.
enum class video_form : std::uint8_t {
    one_block,        ///< one grid [frames, rows, columns]: Qwen2-VL, Qwen2.5-VL
    frame_by_frame,   ///< single-frame grids, media of their own, the segment's gaps between them as text: Qwen3-VL
    abutting_frames,  ///< single-frame grids without anything between: Keye-VL
};

struct mrope {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    frame_time time = by_index();
    advance behind = advance::past_everything;
    video_form video = video_form::one_block;
    bool spatial_reset = false;
    double text_step = 1.0;
    double row_step = 1.0;       ///< positions from one row to the next; MM-RoPE's port has 8
    double column_step = 1.0;    ///< the same for columns
    index_t temporal_merge = 1;  ///< frames of a video per temporal cell; a rest is left out: 2 for ERNIE-4.5-VL

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return 3; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        if (temporal_merge < 1)
            return builder.refuse(status{errc::value_invalid, operand::temporal_merge_size, 0, 1, temporal_merge}), at;
        token_grid grid;
        medium_extras reads;
        reads.kept = true;
        if (s.kind == segment_kind::video) reads.temporal_merge = temporal_merge;
        if (!grid_of(s, spatial_merge, grid, builder, reads)) return at;
        if (s.kept) return kept(s, grid, at, builder);
        const video_form form = s.kind == segment_kind::video ? video : video_form::one_block;
        if (form != video_form::frame_by_frame && !has_no_gaps(s, builder)) return at;
        if (form == video_form::frame_by_frame) {
            for_each_frame(s, grid.frames, builder, [&](index_t gap) {
                at = block({1, grid.rows, grid.columns}, {}, at, builder);
                at = words(gap, at, builder);
            });
            return at;
        }
        if (form == video_form::abutting_frames) return abutting(grid, at, builder);
        // Seconds scale videos alone; a stride scales every grid.
        const bool still = time.needs_seconds() && s.kind == segment_kind::image;
        return block(grid, still ? frame_steps{} : steps_of(time, s, grid.frames, builder), at, builder);
    }

private:
    [[nodiscard]] cursor words(index_t count, cursor at, plan_builder& builder) const {
        builder.text(at.next, text_step, count);
        return {position_after(at.next, text_step, static_cast<double>(count))};
    }

    [[nodiscard]] bool has_unit_steps() const noexcept { return row_step == 1.0 && column_step == 1.0; }

    /// From the first row to the last, or from the first column, whichever is further.
    [[nodiscard]] double side_of(const token_grid& grid) const noexcept {
        if (has_unit_steps()) return static_cast<double>((grid.rows > grid.columns ? grid.rows : grid.columns) - 1);
        const double down = detail::opaque(row_step * static_cast<double>(grid.rows - 1));
        const double along = detail::opaque(column_step * static_cast<double>(grid.columns - 1));
        const double further = down > along ? down : along;
        return further > 0.0 ? further : 0.0;
    }

    /// Frames one behind the other, each behind all of the one before.
    [[nodiscard]] cursor abutting(const token_grid& grid, cursor at, plan_builder& builder) const {
        const double side = side_of(grid) + 1.0;
        builder.grid(grid, [&](placement& p) {
            set_grid(p, at);
            for (int a = 0; a < 3; ++a) {
                p.map[a].per_frame = spatial_reset && a > 0 ? 0.0 : side;
                p.neutral[a].per_frame = side;
            }
        });
        return {position_after(position_after(at.next, side, static_cast<double>(grid.frames)) - 1.0, 1.0, text_step)};
    }

    /// What pruning left: whole frames, then the first cells of one more. vLLM's rule for Qwen3-VL.
    [[nodiscard]] cursor kept(const segment& s, const token_grid& grid, cursor at, plan_builder& builder) const {
        if (grid.frames != 1) return builder.refuse(errc::frames_not_placed, 1, grid.frames), at;
        if (!has_no_gaps(s, builder)) return at;
        if (s.count < 0) return builder.refuse(errc::negative_count, 0, s.count), at;
        const index_t cells = grid.rows * grid.columns, frames = s.count / cells, rest = s.count % cells;
        if (frames > 0) at = abutting({frames, grid.rows, grid.columns}, at, builder);
        if (rest == 0) return at;
        placement p;
        p.count = rest;
        p.kind = modality::visual;
        p.grid = grid;
        set_grid(p, at);
        builder.add(p);
        const index_t rows = (rest - 1) / grid.columns + 1, columns = rest < grid.columns ? rest : grid.columns;
        return {position_after(position_after(at.next, 1.0, side_of({1, rows, columns})), 1.0, text_step)};
    }

    void set_grid(placement& p, cursor at) const noexcept {
        for (int a = 0; a < 3; ++a) {
            p.map[a].origin = spatial_reset && a > 0 ? 0.0 : at.next;
            p.neutral[a].origin = at.next;
        }
        p.map[1].per_row = row_step;
        p.map[2].per_column = column_step;
    }

    [[nodiscard]] cursor block(const token_grid& grid, const frame_steps& steps, cursor at,
                               plan_builder& builder) const {
        const double side = side_of(grid);
        const double last = steps.table == no_table
                                ? position_after(at.next, steps.step, static_cast<double>(grid.frames - 1))
                                : position_after(at.next, 1.0, steps.last);
        const double furthest = spatial_reset ? side : at.next + side;
        const auto set = [&](placement& p) {
            set_grid(p, at);
            p.frame_times = steps.table;
            p.map[0].per_frame = steps.table == no_table ? steps.step : 1.0;
            for (int a = 0; a < 3; ++a)
                p.neutral[a].per_frame = p.map[0].per_frame;  // a token's own time, on every axis
        };
        placement_facts facts;
        if (at.next >= 0.0 && steps.last >= 0.0 && detail::is_in_range(last) && detail::is_whole(at.next) &&
            detail::is_whole(steps.step) && steps.whole && has_unit_steps()) {
            const double high = last > furthest ? last : furthest;
            facts = {true, high, at.next, last, high, steps.table == no_table && steps.step > 1.0 ? steps.step : 1.0};
        }
        builder.grid(grid, set, facts);
        const bool by_time = behind == advance::past_everything && steps.last > side;
        return {position_after(by_time ? last : position_after(at.next, 1.0, side), 1.0, text_step)};
    }
};

}  // namespace layout
POLYROPE_END
