#pragma once
// When a video's temporal grid cell f is, in positions behind the first. The references disagree where seconds are
// scaled, so the rule has a name. S seconds per grid, R positions (tokens) per second:
//
//     by_index                    f                       Qwen2-VL, Qwen3-VL
//     stride(s)                   f * s                   research; s may be a fraction
//     floored_product(R)          floor(f * S * R)        Qwen2.5-VL as released; S is an exact fraction here
//     floored_product_float32(R)  floor(f * (float32(S) * R))     vLLM's arithmetic, in float64 behind the cast
//     truncated_interval(R)       f * floor(S) * R        transformers 4.57.6 and 5.15.0
//     floored_time_float32(R)     floor(f * float32(S) * R)       Qwen2.5-Omni, both products in float32
//     real_time_float32(R)        f * float32(S) * R      Qwen3-Omni, both products in float32; fractions stay
//
//     S = 3/4, R = 2     frame                0 1 2 3 4
//                        floored_product      0 1 3 4 6
//                        truncated_interval   0 0 0 0 0
//                        real_time_float32    0 1.5 3 4.5 6

#include "polyrope/layout/plan_builder.hpp"

POLYROPE_BEGIN

enum class frame_time_rule : std::uint8_t {
    index,
    stride,
    floored_product,
    floored_product_float32,
    truncated_interval,
    floored_time_float32,
    real_time_float32
};

struct frame_time {
    frame_time_rule rule = frame_time_rule::index;
    index_t tokens_per_second = 0;
    double step = 1.0;

    /// Whether a video must state its seconds per grid.
    [[nodiscard]] constexpr bool needs_seconds() const noexcept {
        return rule != frame_time_rule::index && rule != frame_time_rule::stride;
    }
};

[[nodiscard]] constexpr frame_time by_index() noexcept { return {}; }
[[nodiscard]] constexpr frame_time stride(double positions) noexcept { return {frame_time_rule::stride, 0, positions}; }
[[nodiscard]] constexpr frame_time floored_product(index_t tokens_per_second) noexcept {
    return {frame_time_rule::floored_product, tokens_per_second, 1.0};
}
[[nodiscard]] constexpr frame_time floored_product_float32(index_t tokens_per_second) noexcept {
    return {frame_time_rule::floored_product_float32, tokens_per_second, 1.0};
}
[[nodiscard]] constexpr frame_time truncated_interval(index_t tokens_per_second) noexcept {
    return {frame_time_rule::truncated_interval, tokens_per_second, 1.0};
}

[[nodiscard]] constexpr frame_time floored_time_float32(index_t positions_per_second) noexcept {
    return {frame_time_rule::floored_time_float32, positions_per_second, 1.0};
}
[[nodiscard]] constexpr frame_time real_time_float32(index_t positions_per_second) noexcept {
    return {frame_time_rule::real_time_float32, positions_per_second, 1.0};
}

/// What a rule makes of one video: an even step per frame, or a table of times.
struct frame_steps {
    double step = 0.0;         ///< positions per frame where there is no table
    index_t table = no_table;  ///< offset of [frames] times in the plan's arena
    double last = 0.0;         ///< time of the last frame
    bool whole = true;         ///< all times of the table are whole numbers
};

namespace detail {

[[nodiscard]] constexpr index_t common_divisor(index_t a, index_t b) noexcept {
    while (b != 0) {
        const index_t r = a % b;
        a = b, b = r;
    }
    return a;
}

/// floor(f * whole + f * rest / denominator) for every frame, exactly and without a product: the rest is carried.
inline frame_steps floored_times(index_t whole, index_t rest, index_t denominator, index_t frames,
                                 plan_builder& builder) {
    if (rest == 0)
        return {static_cast<double>(whole), no_table, static_cast<double>(whole) * static_cast<double>(frames - 1)};
    frame_steps steps;
    double* times = builder.table(frames, steps.table);
    if (times == nullptr) return {};
    index_t time = 0, carried = 0;
    for (index_t f = 0; f < frames; ++f) {
        if (time > builder.max_position()) {
            builder.refuse(errc::position_overflow, builder.max_position(), time);
            return {};
        }
        times[f] = static_cast<double>(time);
        steps.last = times[f];
        carried += rest - denominator;  // in (-denominator, denominator): no overflow
        time += whole + (carried >= 0 ? 1 : 0);
        carried += carried >= 0 ? 0 : denominator;
    }
    return steps;
}

/// floor(f * step) in float64.
inline frame_steps floored_times_float64(double step, index_t frames, plan_builder& builder) {
    const double last = step * static_cast<double>(frames - 1), limit = static_cast<double>(builder.max_position());
    if (last > limit) {
        builder.refuse(errc::position_overflow, builder.max_position(),
                       last < 9.2e18 ? static_cast<index_t>(last) : index_max);
        return {};
    }
    if (is_whole(step)) return {step, no_table, last};
    frame_steps steps;
    double* times = builder.table(frames, steps.table);
    if (times == nullptr) return {};
    for (index_t f = 0; f < frames; ++f)
        times[f] = static_cast<double>(static_cast<index_t>(static_cast<double>(f) * step));
    steps.last = times[frames - 1];
    return steps;
}

/// f * seconds * rate, each product rounded to float32, cut to whole numbers or not.
inline frame_steps times_float32(float seconds, float rate, bool floored, index_t frames, plan_builder& builder) {
    const double last = static_cast<double>(frames - 1) * static_cast<double>(seconds);
    const double furthest = last * static_cast<double>(rate), limit = static_cast<double>(builder.max_position());
    if (furthest > limit) {
        builder.refuse(errc::position_overflow, builder.max_position(),
                       furthest < 9.2e18 ? static_cast<index_t>(furthest) : index_max);
        return {};
    }
    // Up to 2^24 products of whole numbers are exact.
    if (is_whole(static_cast<double>(seconds)) && last <= 16777216.0 && furthest <= 16777216.0)
        return {static_cast<double>(seconds) * static_cast<double>(rate), no_table, furthest};
    frame_steps steps;
    double* times = builder.table(frames, steps.table);
    if (times == nullptr) return {};
    for (index_t f = 0; f < frames; ++f) {
        const float time = opaque(opaque(static_cast<float>(f) * seconds) * rate);
        times[f] = floored ? static_cast<double>(static_cast<index_t>(time)) : static_cast<double>(time);
        steps.whole = steps.whole && is_whole(times[f]);
    }
    steps.last = times[frames - 1];
    return steps;
}

POLYROPE_NOINLINE inline frame_steps timed_steps_of(const frame_time& time, const segment& s, index_t frames,
                                                    plan_builder& builder) {
    constexpr frame_steps one_by_one{1.0, no_table, 0.0};
    const double last = static_cast<double>(frames - 1);
    const auto refused = [&](errc code, index_t expected, index_t found) {
        builder.refuse(code, expected, found);
        return frame_steps{};
    };
    if (time.rule == frame_time_rule::stride) {
        if (!is_in_range(time.step)) return refused(errc::step_invalid, 0, 0);
        return frames == 1 ? one_by_one : frame_steps{time.step, no_table, opaque(time.step * last)};
    }
    const index_t rate = time.tokens_per_second, limit = builder.max_position();
    index_t n = s.seconds.numerator, d = s.seconds.denominator;
    if (rate < 0)
        return builder.refuse(status{errc::value_invalid, operand::tokens_per_second, 0, 0, rate}), frame_steps{};
    if (!s.timed) return refused(errc::seconds_missing, 0, 0);
    if (n < 0 || d < 1) return refused(errc::seconds_invalid, d, n);
    if (frames == 1) return one_by_one;
    const auto seconds = static_cast<float>(static_cast<double>(n) / static_cast<double>(d));
    if (time.rule == frame_time_rule::floored_time_float32 || time.rule == frame_time_rule::real_time_float32)
        return times_float32(seconds, static_cast<float>(rate), time.rule == frame_time_rule::floored_time_float32,
                             frames, builder);
    if (time.rule == frame_time_rule::floored_product_float32)
        return floored_times_float64(opaque(static_cast<double>(seconds) * static_cast<double>(rate)), frames, builder);
    if (time.rule == frame_time_rule::truncated_interval) n /= d, d = 1;
    if (n / d > limit && rate > 0) return refused(errc::position_overflow, limit, n / d);
    const index_t common = common_divisor(n, d);
    n /= common, d /= common;
    const index_t shared = common_divisor(rate, d);
    d /= shared;
    index_t product = 0;
    if (!checked_multiply(n, rate / shared, product)) return refused(errc::size_overflow, 0, 0);
    if (product / d > limit) return refused(errc::position_overflow, limit, product / d);
    return floored_times(product / d, product % d, d, frames, builder);
}

}  // namespace detail

/// Applies a rule to a video of `frames` >= 1 cells. A refusal is the builder's.
[[nodiscard]] inline frame_steps steps_of(const frame_time& time, const segment& s, index_t frames,
                                          plan_builder& builder) {
    if (time.rule == frame_time_rule::index) return {1.0, no_table, static_cast<double>(frames - 1)};
    return detail::timed_steps_of(time, s, frames, builder);
}

/// The same as a table [frames] at `offset` of the arena, for layouts that cut a video in time; valid until the next
/// table is made. nullptr where the builder had to refuse.
[[nodiscard]] inline const double* time_table_of(const frame_time& time, const segment& s, index_t frames,
                                                 plan_builder& builder, index_t& offset) {
    const frame_steps steps = steps_of(time, s, frames, builder);
    offset = steps.table;
    if (!builder.ok()) return nullptr;
    if (offset != no_table) return builder.numbers() + offset;
    if (!detail::is_in_range(steps.last)) return builder.refuse(errc::step_invalid), nullptr;
    double* times = builder.table(frames, offset);
    if (times == nullptr) return nullptr;
    for (index_t f = 0; f < frames; ++f) times[f] = detail::opaque(steps.step * static_cast<double>(f));
    return times;
}

POLYROPE_END
