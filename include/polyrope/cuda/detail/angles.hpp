#pragma once
// Cosines and sines of a thread's pairs: from positions of the caller, or from rows of a table.

#include "polyrope/cuda/detail/task.hpp"
#include "polyrope/rotary/position_parts.hpp"
#include "polyrope/rotary/rotation.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// A source that gives positions [axes, tokens] of type P.
template <class P>
struct position_rows {
    static constexpr bool has_rows = false;
    static POLYROPE_LEVEL_FUNCTION pd::position_parts at(const rotate_task& task, index_t n, std::int32_t a) {
        const P p = static_cast<const P*>(task.positions)[a * task.axis_stride + n * task.token_stride];
        return pd::parts_of(p, task.product != 0);
    }
};

/// A row of cosines and sines per token.
struct token_rows {
    static constexpr bool has_rows = true;
    static POLYROPE_LEVEL_FUNCTION void row(const rotate_task& task, index_t n, std::int32_t l, float& s, float& c) {
        const index_t at = n * task.row_stride + l * task.step;
        c = task.cos[at];
        s = task.sin[at];
    }
};

// Pair l turned by its position: the steps of the CPU's row, one pair at a time.
POLYROPE_LEVEL_FUNCTION void angle_of(const rotate_task& task, const pd::pair_lanes& block, std::int32_t i,
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

/// Cosines and sines of pairs [l, l + Pairs) of head group `group` for token n, scaled, turned back and cast as the task
/// asks. l is a multiple of Pairs, and Pairs divides 16.
template <class Source, class T, int Pairs>
POLYROPE_LEVEL_FUNCTION void angles(const rotate_task& task, index_t n, std::int32_t l, std::int32_t group,
                                    float (&c)[Pairs], float (&s)[Pairs]) {
    const bool casts = task.round == rounding::table_cast_float32 || task.round == rounding::table_cast_each;
    const pd::pair_lanes& block = task.lanes[group * task.lane_blocks + l / 16];
    POLYROPE_UNROLL
    for (int i = 0; i < Pairs; ++i) {
        if constexpr (Source::has_rows) {
            Source::row(task, n, l + i, s[i], c[i]);
        } else {
            const std::int32_t a = block.axis[l % 16 + i];
            const pd::position_parts at = a < task.axes ? Source::at(task, n, a) : pd::position_parts{};
            angle_of(task, block, l % 16 + i, at, s[i], c[i]);
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
