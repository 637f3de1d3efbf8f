#pragma once
// Cosines and sines of a thread's pairs: from positions of the caller, plans, tails, or rows of a table.

#include "polyrope/cuda/detail/task.hpp"
#include "polyrope/rotary/position_parts.hpp"
#include "polyrope/rotary/rotation.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

// A source is made once for token n of a launch. It gives parts(a), the token's position on axis a as the phase reads
// it, or, where has_rows, the row of a pair. A token that is skipped() is neither read nor written. `product` says that
// the phase rounds positions to float32.

/// Positions [axes, tokens] of the type that the task names.
struct position_rows {
    static constexpr bool has_rows = false;
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return false; }
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

/// Rows of cosines and sines: one per token, or looked up by position, each pair the row of its own axis.
struct token_rows {
    static constexpr bool has_rows = true;
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return false; }
    const rotate_task* task;
    index_t n;
    POLYROPE_DEVICE_FUNCTION token_rows(const rotate_task& of, index_t token) : task(&of), n(token) {}
    /// Pair l, which is entry i of its block.
    POLYROPE_DEVICE_FUNCTION void row(const pd::pair_lanes& block, std::int32_t i, std::int32_t l, float& s,
                                      float& c) const {
        index_t at = n;
        if (task->positions != nullptr) {
            const std::int32_t a = block.axis[i];
            // A pair that has no axis has no row either: it is scaled and not turned.
            c = task->scaling;
            s = 0.0f;
            if (a >= task->axes) return;
            at = position(a);
            // The host cannot look. What the table does not hold is no number, which nobody takes for a result.
            c = s = pd::bit_copy<float>(0x7fc00000u);
            if (at < 0 || at >= task->rows) return;
        }
        c = task->cos[at * task->row_stride + l * task->step];
        s = task->sin[at * task->row_stride + l * task->step];
    }
    POLYROPE_DEVICE_FUNCTION index_t position(std::int32_t a) const {
        const index_t at = n * task->token_stride + a * task->axis_stride;
        if (task->position_type == position_element::int32)
            return static_cast<const std::int32_t*>(task->positions)[at];
        return static_cast<const std::int64_t*>(task->positions)[at];
    }
};

/// Straight from plans in device memory, in float64.
struct planned_rows {
    static constexpr bool has_rows = false;
    plan_point point;
    index_t visual_row = 0;  // among the visual tokens of the launch
    bool visual, product;
    POLYROPE_DEVICE_FUNCTION planned_rows(const rotate_task& task, index_t n)
        : point(task.plans, n), visual(point.visual), product(task.product != 0) {
        if (visual && task.visual_before != nullptr)
            visual_row = task.visual_before[point.placed] + point.in_placement - task.first_visual;
    }
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return point.skipped(); }
    POLYROPE_DEVICE_FUNCTION pd::position_parts parts(std::int32_t a) const {
        return pd::parts_of(point.at(a), product);
    }
    /// The same token at its other position: neutral for coordinates, coordinates for neutral.
    POLYROPE_DEVICE_FUNCTION planned_rows other() const {
        planned_rows that = *this;
        that.point.neutral = visual && !point.neutral;
        return that;
    }
};

/// Decoding: token n is the next of request n, at the index that `live` holds on the device when the kernel runs.
struct tail_rows {
    static constexpr bool has_rows = false;
    tail_point point;
    bool product;
    POLYROPE_DEVICE_FUNCTION tail_rows(const rotate_task& task, index_t n)
        : point(task.plans, n), product(task.product != 0) {}
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return point.skipped(); }
    POLYROPE_DEVICE_FUNCTION pd::position_parts parts(std::int32_t a) const {
        return pd::parts_of(point.at(a), product);
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

/// Cosines and sines of pairs [l, l + Pairs) of head group `group`, scaled, turned back and cast as the task asks. l is
/// a multiple of Pairs, and Pairs divides 16.
template <class T, class Source, int Pairs>
POLYROPE_DEVICE_FUNCTION void angles(const rotate_task& task, const Source& source, std::int32_t l, std::int32_t group,
                                     float (&c)[Pairs], float (&s)[Pairs]) {
    const bool casts = task.round == rounding::table_cast_float32 || task.round == rounding::table_cast_each;
    const pd::pair_lanes& block = task.lanes[group * task.lane_blocks + l / 16];
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Pairs; ++i) {
        if constexpr (Source::has_rows) {
            source.row(block, l % 16 + i, l + i, s[i], c[i]);
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
