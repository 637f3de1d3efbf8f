#pragma once
// What one thread of the fill does: the position of one token on every axis. A function of an explicit index, so that
// the host runs it too: the bits of position_plan::fill.

#include "polyrope/cuda/detail/bind_plans.hpp"
#include "polyrope/cuda/detail/task.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

struct fill_task {
    task_plans plans;
    void* out = nullptr;  // coordinate a of token n at [a * axis_stride + n * token_stride]
    index_t axis_stride = 0, token_stride = 0, tokens = 0;
    std::int32_t axes = 0;
    position_element type = position_element::int32;
};

/// Integers are cut toward zero, a float is rounded once.
POLYROPE_DEVICE_FUNCTION void put_position(const fill_task& task, index_t at, double value) {
    if (task.type == position_element::int32)
        static_cast<std::int32_t*>(task.out)[at] = static_cast<std::int32_t>(static_cast<std::int64_t>(value));
    else if (task.type == position_element::int64)
        static_cast<std::int64_t*>(task.out)[at] = static_cast<std::int64_t>(value);
    else static_cast<float*>(task.out)[at] = static_cast<float>(value);
}
template <class Point>
POLYROPE_DEVICE_FUNCTION void put_point(const fill_task& task, index_t n, const Point& point) {
    if (point.skipped()) return;
    for (std::int32_t a = 0; a < task.axes; ++a)
        put_position(task, a * task.axis_stride + n * task.token_stride, point.at(a));
}
POLYROPE_DEVICE_FUNCTION void fill_token(const fill_task& task, index_t n) {
    if (task.plans.tails != nullptr) put_point(task, n, tail_point(task.plans, n));
    else put_point(task, n, plan_point(task.plans, n));
}

[[nodiscard]] inline status check_whole(const planned_tokens& source) noexcept {
    const device_plan& plan = source.plan;
    const index_t segment = source.which == position_source::neutral ? plan.neutral_not_whole : plan.not_whole;
    if (segment == no_segment) return {};
    return {errc::coordinate_not_integral, operand::segment, segment, 0, 0};
}
[[nodiscard]] inline status check_whole(const planned_batch& source) noexcept {
    const plan_facts& facts = source.facts;
    const index_t request = source.which == position_source::neutral ? facts.neutral_not_whole : facts.not_whole;
    if (request == no_segment) return {};
    return {errc::coordinate_not_integral, operand::request, request, 0, 0};
}
[[nodiscard]] inline status check_whole(const decode_tails& source) noexcept {
    if (source.whole || source.count == 0) return {};
    return {errc::coordinate_not_integral, operand::request, 0, 0, 0};
}

/// Everything is checked here that the host can know.
template <class P, class Tokens>
[[nodiscard]] status bind_fill(fill_task& task, const Tokens& source, const positions_view<P>& out,
                               fraction fractions) noexcept {
    static_assert(std::is_same_v<P, std::int32_t> || std::is_same_v<P, std::int64_t> || std::is_same_v<P, float>,
                  "positions on the device are filled as std::int32_t, std::int64_t or float");
    const int axes = axes_of(source);
    if (const status s = bind_plans(task.plans, source, out.tokens, pd::position_type<P>::largest); !s.ok()) return s;
    if (std::is_integral_v<P> && fractions == fraction::refused)
        if (const status s = check_whole(source); !s.ok()) return s;
    if (out.tokens < 0) return {errc::extent_negative, operand::positions, 1, 0, out.tokens};
    if (const status s = pd::check_output(out, axes, out.tokens); !s.ok()) return s;
    task.out = out.data;
    task.axis_stride = out.axes > 1 ? out.axis_stride : 0;
    task.token_stride = out.tokens > 1 ? out.token_stride : 0;
    task.tokens = out.tokens;
    task.axes = axes;
    task.type = position_element_of<P>;
    return {};
}

inline constexpr std::int32_t fill_threads = 256;

/// One thread a token: the grid along x, and the threads of a block.
struct fill_shape {
    index_t blocks = 0;
    std::int32_t threads = 0;
};
[[nodiscard]] inline status shape_fill(fill_shape& shape, const fill_task& task) noexcept {
    shape = {};
    if (task.tokens == 0 || task.axes == 0) return {};
    shape.threads = task.tokens < fill_threads ? static_cast<std::int32_t>(task.tokens) : fill_threads;
    shape.blocks = (task.tokens - 1) / shape.threads + 1;
    if (shape.blocks > INT32_MAX)
        return {errc::capacity_exceeded, operand::token, 0, index_t{INT32_MAX} * shape.threads, task.tokens};
    return {};
}

}  // namespace cuda::detail
POLYROPE_END
