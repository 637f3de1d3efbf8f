#pragma once
// Plans and tails of a launch, checked by what the host knows of them and put into a task. `largest` is the position
// that the launch can take; where a token sits that the device alone can look up, it is a promise of the caller's.

#include "polyrope/cuda/detail/plan_points.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

[[nodiscard]] inline int axes_of(const planned_tokens& source) noexcept { return source.plan.axes; }
[[nodiscard]] inline int axes_of(const planned_batch& source) noexcept { return source.facts.axes; }
[[nodiscard]] inline int axes_of(const decode_tails& source) noexcept { return source.axes; }

[[nodiscard]] inline status past_limit(operand what, index_t index, double largest, double reach) noexcept {
    return {errc::position_out_of_range, what, index, static_cast<index_t>(largest),
            reach < 9.2e18 ? static_cast<index_t>(reach) : INT64_MAX};
}

/// Largest magnitude of the text behind a plan up to token `last`, which is not in front of it.
[[nodiscard]] inline double reach_of(const device_tail& tail, int axes, index_t last) noexcept {
    double reach = 0.0;
    for (int a = 0; a < axes; ++a) {
        const auto past = static_cast<double>(last - tail.first);
        for (const double at : {tail.origin[a], pd::step_along(tail.exact != 0, tail.step[a], past, tail.origin[a])}) {
            const double size = at < 0.0 ? -at : at;
            reach = size > reach ? size : reach;
        }
    }
    return reach;
}

/// A list of indices has as many entries as the launch has tokens.
[[nodiscard]] inline status bind_indices(task_plans& to, const index_t* indices, index_t count,
                                         index_t tokens) noexcept {
    if (indices == nullptr) return count == 0 ? status{} : status{errc::null_data, operand::token, 0, 0, count};
    if (count != tokens) return {errc::extent_mismatch, operand::token, 0, tokens, count};
    to.indices = indices;
    return {};
}

[[nodiscard]] inline status bind_plans(task_plans& to, const planned_tokens& source, index_t tokens,
                                       double largest) noexcept {
    const device_plan& plan = source.plan;
    if (const status s = bind_indices(to, source.indices, source.count, tokens); !s.ok()) return s;
    index_t end = 0;
    if (source.first.value < 0 || !checked_add(source.first.value, tokens, end))
        return {errc::range_invalid, operand::plan, 0, source.first.value, index_max};
    if (tokens > 0 && plan.placements == nullptr) return {errc::null_data, operand::plan, 0, 0, plan.count};
    if (plan.count > INT32_MAX) return {errc::capacity_exceeded, operand::plan, 0, INT32_MAX, plan.count};
    if (plan.reach > largest) return past_limit(operand::plan, 0, largest, plan.reach);
    if (source.indices == nullptr && tokens > 0 && end > plan.tail.first)
        if (const double reach = reach_of(plan.tail, plan.axes, end - 1); reach > largest)
            return past_limit(operand::plan, end - 1, largest, reach);
    if (source.which == position_source::neutral && plan.without_neutral != no_segment)
        return {errc::no_neutral_point, operand::segment, plan.without_neutral, 0, 0};
    to.placements = plan.placements;
    to.first_tokens = plan.first_tokens;
    to.arena = plan.arena;
    to.count = static_cast<std::int32_t>(plan.count);
    to.first = source.first.value;
    to.neutral = source.which == position_source::neutral;
    return {};
}

[[nodiscard]] inline status bind_plans(task_plans& to, const planned_batch& source, index_t tokens,
                                       double largest) noexcept {
    const plan_facts& facts = source.facts;
    if (const status s = bind_indices(to, source.indices, source.count, tokens); !s.ok()) return s;
    if (facts.requests < 0 || facts.requests >= INT32_MAX)
        return {errc::capacity_exceeded, operand::request, 0, INT32_MAX - 1, facts.requests};
    const bool indexed = source.indices != nullptr || source.index_firsts != nullptr;
    if (tokens > 0 && (facts.requests == 0 || source.plans == nullptr || source.token_firsts == nullptr || !indexed))
        return {errc::null_data, operand::batch, 0, 0, facts.requests};
    if (facts.reach > largest) return past_limit(operand::request, facts.farthest, largest, facts.reach);
    if (source.which == position_source::neutral && facts.without_neutral != no_segment)
        return {errc::no_neutral_point, operand::request, facts.without_neutral, 0, 0};
    to.each = source.plans;
    to.token_firsts = source.token_firsts;
    to.index_firsts = source.index_firsts;
    to.requests = static_cast<std::int32_t>(facts.requests);
    to.neutral = source.which == position_source::neutral;
    return {};
}

[[nodiscard]] inline status bind_plans(task_plans& to, const decode_tails& source, index_t tokens, double) noexcept {
    if (source.count != tokens) return {errc::extent_mismatch, operand::positions, 1, tokens, source.count};
    if (tokens > 0 && (source.tails == nullptr || source.live == nullptr))
        return {errc::null_data, operand::positions, 0, 0, source.count};
    to.tails = source.tails;
    to.live = source.live;
    return {};
}

/// The first address that a kernel reads, to ask the driver about.
[[nodiscard]] inline const void* first_read(const task_plans& plans) noexcept {
    if (plans.tails != nullptr) return plans.tails;
    return plans.each != nullptr ? static_cast<const void*>(plans.each) : plans.placements;
}

}  // namespace cuda::detail
POLYROPE_END
