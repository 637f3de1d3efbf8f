#pragma once
// Cosines and sines of a thread's pairs: from positions of the caller, or from rows of a table.

#include "polyrope/cuda/detail/task.hpp"
#include "polyrope/rotary/position_parts.hpp"
#include "polyrope/rotary/rotation.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

// A source is made once for token n of a launch. It gives parts(a), the token's position on axis a as the phase reads it,
// or, where has_rows, row(l, s, c). `product` says that the phase rounds positions to float32.

/// Positions [axes, tokens] of the type that the task names.
struct position_rows {
    static constexpr bool has_rows = false;
    const rotate_task* task;
    index_t token_offset;
    POLYROPE_DEVICE_FUNCTION position_rows(const rotate_task& of, index_t n)
        : task(&of), token_offset(n * of.token_stride) {}
    POLYROPE_DEVICE_FUNCTION pd::position_parts parts(std::int32_t a) const {
        const index_t at = token_offset + a * task->axis_stride;
        const bool product = task->product != 0;
        if (task->position_type == position_element::int32)
            return pd::parts_of(static_cast<const std::int32_t*>(task->positions)[at], product);
        if (task->position_type == position_element::int64)
            return pd::parts_of(static_cast<std::int64_t>(static_cast<const std::int64_t*>(task->positions)[at]),
                                product);
        return pd::parts_of(static_cast<const float*>(task->positions)[at], product);
    }
};

/// A row of cosines and sines per token.
struct token_rows {
    static constexpr bool has_rows = true;
    const float *cos, *sin;
    std::int32_t step;
    POLYROPE_DEVICE_FUNCTION token_rows(const rotate_task& task, index_t n)
        : cos(task.cos + n * task.row_stride), sin(task.sin + n * task.row_stride), step(task.step) {}
    POLYROPE_DEVICE_FUNCTION void row(std::int32_t l, float& s, float& c) const {
        c = cos[l * step];
        s = sin[l * step];
    }
};

/// Straight from a plan in device memory: token n sits where the plan puts first_token + n, in float64.
struct planned_rows {
    static constexpr bool has_rows = false;
    const placement* where;
    const double* offsets = nullptr;
    double time = 0.0, row = 0.0, column = 0.0;
    index_t visual_row = 0;  // among the visual tokens of the launch
    bool visual, neutral, product;
    POLYROPE_DEVICE_FUNCTION planned_rows(const rotate_task& task, index_t n) {
        const index_t token = task.first_token + n;
        const index_t* const firsts = task.first_tokens;
        std::int32_t at = 0;
        for (std::int32_t left = task.placements; left > 1;) {
            const std::int32_t half = left / 2;
            if (firsts[at + half] <= token) at += half;
            left -= half;
        }
        const placement& p = static_cast<const placement*>(task.positions)[at];
        where = &p;
        visual = p.kind == modality::visual;
        neutral = task.neutral != 0 && visual;
        product = task.product != 0;
        const index_t cell = p.first_cell + token - p.first_token;
        // Grids on the device have fewer than 2^32 cells: 32-bit divisions.
        const bool line = p.grid.rows == 1 && p.grid.frames == 1;
        const cell_digits d = line ? cell_digits{0, 0, cell} : pd::narrow_digits_of(p.grid, cell);
        time = pd::time_of(p, task.arena, d.frame);
        row = static_cast<double>(d.row);
        column = static_cast<double>(d.column);
        if (visual && task.visual_before != nullptr)
            visual_row = task.visual_before[at] + token - p.first_token - task.first_visual;
        if (p.cell_offsets == no_table) return;
        const auto place = static_cast<std::uint32_t>(cell) % static_cast<std::uint32_t>(p.offset_rows);
        offsets = task.arena + p.cell_offsets + static_cast<index_t>(place) * p.axes;
    }
    POLYROPE_DEVICE_FUNCTION pd::position_parts parts(std::int32_t a) const {
        return pd::parts_of(
            neutral ? pd::neutral_axis_at(*where, time, a) : pd::axis_at(*where, time, row, column, offsets, a),
            product);
    }
    /// The same token at its other position: neutral for coordinates, coordinates for neutral.
    POLYROPE_DEVICE_FUNCTION planned_rows other() const {
        planned_rows that = *this;
        that.neutral = visual && !neutral;
        return that;
    }
};

/// Decoding: token n is the next of request n, at the index that `live` holds on the device when the kernel runs.
struct tail_rows {
    static constexpr bool has_rows = false;
    const device_tail* tail;
    double past;
    bool product;
    POLYROPE_DEVICE_FUNCTION tail_rows(const rotate_task& task, index_t n)
        : tail(static_cast<const device_tail*>(task.positions) + n),
          past(static_cast<double>(task.first_tokens[n] - tail->first)),
          product(task.product != 0) {}
    POLYROPE_DEVICE_FUNCTION pd::position_parts parts(std::int32_t a) const {
        return pd::parts_of(pd::step_along(tail->exact != 0, tail->step[a], past, tail->origin[a]), product);
    }
};

// Pair l turned by its position: the steps of the CPU's row, one pair at a time.
POLYROPE_DEVICE_FUNCTION void angle_of(const rotate_task& task, const pd::pair_lanes& block, std::int32_t i,
                                       const pd::position_parts& at, float& s, float& c) {
    if (task.product != 0) {
        pd::scalar::sincos_radians(pd::scalar::multiply(at.low, block.inv_freq[i]), s, c);
    } else if (!at.split) {
        pd::scalar::sincos_turns(at.low, block.turns_hi[i], block.turns_lo[i], s, c);
    } else {
        pd::scalar::sincos_turns_split(at.many, at.low, at.rest, block.turns_hi[i], block.turns_lo[i],
                                       block.wrapped_hi[i], block.wrapped_lo[i], s, c);
    }
}

/// Cosines and sines of pairs [l, l + Pairs) of head group `group`, scaled, turned back and cast as the task asks. l is a
/// multiple of Pairs, and Pairs divides 16.
template <class T, class Source, int Pairs>
POLYROPE_DEVICE_FUNCTION void angles(const rotate_task& task, const Source& source, std::int32_t l, std::int32_t group,
                                     float (&c)[Pairs], float (&s)[Pairs]) {
    const bool casts = task.round == rounding::table_cast_float32 || task.round == rounding::table_cast_each;
    const pd::pair_lanes& block = task.lanes[group * task.lane_blocks + l / 16];
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Pairs; ++i) {
        if constexpr (Source::has_rows) {
            source.row(l + i, s[i], c[i]);
        } else {
            const std::int32_t a = block.axis[l % 16 + i];
            angle_of(task, block, l % 16 + i, a < task.axes ? source.parts(a) : pd::position_parts{}, s[i], c[i]);
        }
        c[i] = pd::scalar::multiply(c[i], task.factor);
        s[i] = pd::scalar::multiply(s[i], task.factor);
        if (task.back != 0) s[i] = pd::scalar::negate(s[i]);
        if (casts) {
            c[i] = pd::scalar::round_to(element_traits<T>::kind, c[i]);
            s[i] = pd::scalar::round_to(element_traits<T>::kind, s[i]);
        }
    }
}

}  // namespace cuda::detail
POLYROPE_END
