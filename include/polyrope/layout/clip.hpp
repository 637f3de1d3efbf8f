#pragma once
// A plan with fewer tokens, each of which stays where it was. Two separate calls, because a count that does not fit its
// grid is an error everywhere else:
//
//     clip(plan, 7)          the first seven tokens; text goes on behind what is left
//     prune(plan, keep)      the tokens whose flag is set; text goes on where it did, so nothing behind moves
//
//     text(4), image [1, 2, 3], text(5) clipped to 7
//     t  0 1 2 3 4 4 4
//     h  0 1 2 3 4 4 4
//     w  0 1 2 3 4 5 6

#include "polyrope/layout/detail/plan_assembly.hpp"

POLYROPE_BEGIN

namespace detail {

/// A new plan of the same kind: same axes, same limit, a copy of the tables.
[[nodiscard]] inline plan_builder builder_like(const plan_data& from) {
    plan_builder b(from.axes, {from.max_position, index_max});
    plan_assembly::data(b).arena = from.arena;
    plan_assembly::data(b).continues = from.continues;
    return b;
}

/// The open placement at `start` on the axes that move, where the old one stands still on the others.
inline void reopen(plan_builder& b, const placement& tail, double by) {
    coordinate origin, step;
    for (int a = 0; a < tail.axes; ++a) {
        step[a] = tail.map[a].per_column;
        origin[a] = tail.map[a].per_column != 0.0 ? tail.map[a].origin + by : tail.map[a].origin;
    }
    plan_assembly::close(b, [&](plan_builder& inner) { inner.text(origin, step, 1); });
}

/// The kept tokens of one placement: a placement for each run of them, or, where that would be many, a
/// table for each frame.
template <class Flag>
inline void prune_placement(plan_builder& b, const placement& p, const Flag* keep) {
    const index_t per_frame = p.grid.rows * p.grid.columns;
    const auto frame_end = [&](index_t k) {  // first token of the next frame
        const index_t left = per_frame - (p.first_cell + k) % per_frame;
        return left < p.count - k ? k + left : p.count;
    };
    for (index_t k = 0; k < p.count && b.ok();) {
        const index_t end = frame_end(k);
        index_t kept = 0, runs = 0;
        for (index_t i = k; i < end; ++i) {
            kept += keep[i] ? 1 : 0;
            runs += keep[i] && (i == k || !keep[i - 1]) ? 1 : 0;
        }
        placement part = p;
        if ((runs - 1) * static_cast<index_t>(sizeof(placement)) >
            kept * p.axes * static_cast<index_t>(sizeof(double))) {
            // The table is made from the new plan's arena, which begins with the old one.
            part = placement();
            double* row = b.table(kept * p.axes, part.cell_offsets);
            if (row == nullptr) return;
            const double* arena = plan_assembly::data(b).arena.data();
            const coordinate point = neutral_at(p, arena, k);
            for (index_t i = k; i < end; ++i) {
                if (!keep[i]) continue;
                const coordinate at = coordinates_at(p, arena, i);
                for (int a = 0; a < p.axes; ++a) *row++ = at[a];
            }
            for (int a = 0; a < p.axes; ++a) part.neutral[a].origin = point[a];
            part.grid = {1, 1, kept};
            part.offset_rows = part.count = kept;
            part.segment = p.segment;
            part.kind = p.kind;
            part.has_neutral = p.has_neutral;
            plan_assembly::add_again(b, part);
            k = end;
            continue;
        }
        while (k < end) {
            const index_t first = k;
            while (k < end && keep[k]) ++k;
            part.first_cell = p.first_cell + first;
            part.count = k - first;
            plan_assembly::add_again(b, part);  // an empty run adds nothing
            while (k < end && !keep[k]) ++k;
        }
    }
}

}  // namespace detail

/// The first `tokens` tokens of a plan's prompt. Text goes on where it would have there: inside a text run or between
/// two segments at the next text position, inside a medium one past what is left of everything.
[[nodiscard]] inline result<position_plan> clip(const position_plan& plan, index_t tokens) {
    const detail::plan_data& from = detail::plan_access::data(plan);
    if (tokens < 0 || tokens > from.prompt_tokens)
        return status{errc::range_invalid, operand::plan, 0, tokens, from.prompt_tokens};
    if (from.placements.empty()) return plan;
    if (tokens == from.prompt_tokens && from.placed_tokens == tokens) return plan;
    using assembly = detail::plan_assembly;
    plan_builder b = detail::builder_like(from);
    detail::plan_data& d = assembly::data(b);
    for (const placement& p : from.placements) {
        if (p.first_token >= tokens) break;
        placement part = p;
        if (tokens - p.first_token < p.count) part.count = tokens - p.first_token;
        assembly::add_again(b, part);
    }
    if (!b.ok()) return b.error();
    const placement& cut = from.placement_of(tokens);
    double next = d.highest + 1.0;
    if (tokens == from.prompt_tokens) next = from.next_position;
    else if (cut.first_token == tokens || cut.kind == modality::text)
        next = (cut.has_neutral ? neutral_at(cut, from.arena.data(), tokens - cut.first_token)
                                : coordinates_at(cut, from.arena.data(), tokens - cut.first_token))[0];
    assembly::end_prompt(b, next);
    d.end_position = next;
    const double old_start = assembly::tail_start(from);
    detail::reopen(b, from.placements.back(), d.generation_start - old_start);
    return assembly::take(b);
}

/// The tokens n of the prompt with keep[n] set; `count` is the number of flags and must be the prompt's. Kept tokens,
/// and everything behind the prompt, stay where they are.
template <class Flag>
[[nodiscard]] result<position_plan> prune(const position_plan& plan, const Flag* keep, index_t count) {
    const detail::plan_data& from = detail::plan_access::data(plan);
    if (count != from.prompt_tokens) return status{errc::extent_mismatch, operand::token, 0, from.prompt_tokens, count};
    if (count > 0 && keep == nullptr) return status{errc::null_data, operand::token, 0, 0, count};
    if (from.placements.empty()) return plan;
    using assembly = detail::plan_assembly;
    plan_builder b = detail::builder_like(from);
    detail::plan_data& d = assembly::data(b);
    bool ended = false;
    const auto end_prompt = [&] {
        assembly::end_prompt(b, from.next_position);
        d.generation_start = from.generation_start;
        ended = true;
    };
    for (const placement& p : from.placements) {
        if (&p == &from.placements.back()) break;
        if (p.first_token >= count) {
            if (!ended) end_prompt();
            assembly::add_again(b, p);
            continue;
        }
        detail::prune_placement(b, p, keep + p.first_token);
    }
    if (!b.ok()) return b.error();
    if (!ended) end_prompt();
    d.segments = from.segments;
    d.end_position = from.end_position;
    detail::reopen(b, from.placements.back(), 0.0);
    return assembly::take(b);
}

POLYROPE_END
