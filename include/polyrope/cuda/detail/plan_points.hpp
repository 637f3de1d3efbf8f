#pragma once
// Where a token sits, in float64, straight from plans or tails in device memory: the bits of position_plan::coordinates
// and neutral. Read by the rotation and by the fill.

#include "polyrope/cuda/planned_batch.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

namespace pd = polyrope::detail;

/// The plans of a launch: one, or one for each request; or tails.
struct task_plans {
    const placement* placements = nullptr;
    const index_t* first_tokens = nullptr;  // of each placement
    const double* arena = nullptr;
    std::int32_t count = 0;  // placements
    std::int32_t requests = 0;
    std::uint8_t neutral = 0;

    const device_plan* each = nullptr;  // [requests], instead of the one
    const index_t *token_firsts = nullptr, *index_firsts = nullptr;
    const index_t* indices = nullptr;  // [tokens] in the plan or the request, instead of:
    index_t first = 0;

    const device_tail* tails = nullptr;  // [tokens], instead of plans
    const index_t* live = nullptr;
};

/// The last of `count` ascending numbers that is at most `value`; the first where none is. count > 0.
POLYROPE_DEVICE_FUNCTION std::int32_t last_at_most(const index_t* ascending, std::int32_t count, index_t value) {
    std::int32_t at = 0;
    for (std::int32_t left = count; left > 1;) {
        const std::int32_t half = left / 2;
        if (ascending[at + half] <= value) at += half;
        left -= half;
    }
    return at;
}

/// Token n of a launch, as its plan places it.
struct plan_point {
    const placement* where = nullptr;  // null: the token is skipped
    const double* offsets = nullptr;
    double time = 0.0, row = 0.0, column = 0.0;
    std::int32_t placed = 0;   // which placement
    index_t in_placement = 0;  // which token of it
    bool visual = false, neutral = false;

    POLYROPE_DEVICE_FUNCTION plan_point(const task_plans& plans, index_t n) {
        const placement* placements = plans.placements;
        const index_t* firsts = plans.first_tokens;
        const double* arena = plans.arena;
        std::int32_t count = plans.count;
        index_t token = plans.first + n;
        if (plans.each != nullptr) {
            const std::int32_t request = last_at_most(plans.token_firsts, plans.requests, n);
            const index_t in_request = n - plans.token_firsts[request];
            if (in_request < 0 || n >= plans.token_firsts[request + 1]) return;
            const device_plan& plan = plans.each[request];
            placements = plan.placements;
            firsts = plan.first_tokens;
            arena = plan.arena;
            count = static_cast<std::int32_t>(plan.count);
            if (plans.indices == nullptr) token = plans.index_firsts[request] + in_request;
        }
        if (plans.indices != nullptr) token = plans.indices[n];
        if (token < 0 || count <= 0) return;
        placed = last_at_most(firsts, count, token);
        const placement& p = placements[placed];
        where = &p;
        visual = p.kind == modality::visual;
        neutral = plans.neutral != 0 && visual;
        in_placement = token - p.first_token;
        const index_t cell = p.first_cell + in_placement;
        // Grids on the device have fewer than 2^32 cells: 32-bit divisions.
        const bool line = p.grid.rows == 1 && p.grid.frames == 1;
        const cell_digits d = line ? cell_digits{0, 0, cell} : pd::narrow_digits_of(p.grid, cell);
        time = pd::time_of(p, arena, d.frame);
        row = static_cast<double>(d.row);
        column = static_cast<double>(d.column);
        if (p.cell_offsets == no_table) return;
        const auto place = static_cast<std::uint32_t>(cell) % static_cast<std::uint32_t>(p.offset_rows);
        offsets = arena + p.cell_offsets + static_cast<index_t>(place) * p.axes;
    }
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return where == nullptr; }
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION double at(std::int32_t a) const {
        return neutral ? pd::neutral_axis_at(*where, time, a) : pd::axis_at(*where, time, row, column, offsets, a);
    }
};

/// The next token of request n, at the index that `live` holds when the kernel runs.
struct tail_point {
    const device_tail* tail;
    index_t past;
    bool none;
    POLYROPE_DEVICE_FUNCTION tail_point(const task_plans& plans, index_t n)
        : tail(plans.tails + n), past(plans.live[n] - tail->first), none(plans.live[n] < 0) {}
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION bool skipped() const { return none; }
    [[nodiscard]] POLYROPE_DEVICE_FUNCTION double at(std::int32_t a) const {
        return pd::step_along(tail->exact != 0, tail->step[a], static_cast<double>(past), tail->origin[a]);
    }
};

}  // namespace cuda::detail
POLYROPE_END
