#pragma once
// Positions of the next tokens of many requests, each from its own plan, in one call:
//
//     const decode_request step[] = {{&plan_a, token_index{15}}, {&plan_b, token_index{300}}};
//     decode_positions(step, 2, axis_major(positions, 3, 2));         // column i is request i
//
// A request states the index of its token; what position that is, behind images and videos, its plan knows.

#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

/// One token of one request: `token` counts the request's real tokens, prompt and generated.
struct decode_request {
    const position_plan* plan = nullptr;
    token_index token;
};

/// What a scheduler keeps of a plan to place generated tokens itself: token n >= first sits at n + shift on every axis.
struct plan_tail {
    token_index first;
    index_t shift = 0;
    bool uniform = false;  ///< false: the plan's text moves otherwise; ask the plan
};

[[nodiscard]] inline plan_tail tail_of(const position_plan& plan) noexcept {
    const detail::plan_data& d = detail::plan_access::data(plan);
    return {token_index{d.placed_tokens}, d.tail_shift, d.simple_from != index_max};
}

namespace detail {

inline constexpr index_t decoded_together = 256;

/// Positions of requests that stand behind their segments where text moves all axes alike by one: one addition, and the
/// first line of each plan. False where some request is not so simple, or does not fit P.
template <class P>
[[nodiscard]] inline bool decode_simply(const decode_request* requests, index_t count, int axes, P* out) noexcept {
    constexpr auto largest = static_cast<index_t>(position_type<P>::largest);
    bool simple = true;
    for (index_t i = 0; i < count; ++i) {
        if (requests[i].plan == nullptr) return false;
        const plan_data& d = plan_access::data(*requests[i].plan);
        const index_t n = requests[i].token.value;
        // A sum that wraps lies far below zero, so one look at both ends sees it.
        const std::uint64_t at = static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(d.tail_shift);
        constexpr auto most = static_cast<std::uint64_t>(largest);
        simple = simple & (d.axes == axes) & (n >= d.simple_from) & (at + most <= 2 * most);
        out[i] = static_cast<P>(static_cast<index_t>(at));
    }
    return simple;
}

template <class P>
inline void write_alike(const P* positions, index_t begin, index_t end, positions_view<P> out) noexcept {
    for (index_t a = 0; a < out.axes; ++a) {
        P* row = out.data + a * out.axis_stride;
        if (out.token_stride == 1)
            std::memcpy(row + begin, positions, static_cast<std::size_t>(end - begin) * sizeof(P));
        else
            for (index_t i = begin; i < end; ++i) row[i * out.token_stride] = positions[i - begin];
    }
}

}  // namespace detail

/// The position of one token of each request, in column i of out [axes, count]: a decode step, or draft tokens.
template <class P>
status decode_positions(const decode_request* requests, index_t count, positions_view<P> out) noexcept {
    if (count < 0) return {errc::negative_count, operand::request, 0, 0, count};
    if (count > 0 && requests == nullptr) return {errc::null_data, operand::request, 0, 0, count};
    if (out.axes < 0 || out.axes > max_axes)
        return {errc::axis_count_invalid, operand::positions, 0, max_axes, out.axes};
    if (status s = detail::check_output(out, out.axes, count); !s.ok()) return s;
    P positions[detail::decoded_together];
    const int axes = static_cast<int>(out.axes);
    const auto part = [count](index_t n) {
        return count - n < detail::decoded_together ? count - n : detail::decoded_together;
    };
    bool simple = true;
    for (index_t n = 0; n < count && simple; n += part(n))
        simple = detail::decode_simply(requests + n, part(n), axes, positions);
    for (index_t n = 0; n < count && simple; n += part(n)) {
        if (count > detail::decoded_together)
            static_cast<void>(detail::decode_simply(requests + n, part(n), axes, positions));
        detail::write_alike(positions, n, n + part(n), out);
    }
    if (simple) return {};

    for (index_t i = 0; i < count; ++i) {
        if (requests[i].plan == nullptr) return {errc::null_data, operand::request, i, 0, 1};
        const detail::plan_data& d = detail::plan_access::data(*requests[i].plan);
        const index_t n = requests[i].token.value;
        if (d.axes != out.axes) return {errc::extent_mismatch, operand::positions, 0, d.axes, out.axes};
        if (n < 0 || n == index_max) return {errc::range_invalid, operand::request, i, n, n};
        if (status s = detail::check_row<P>({&d, {token_index{n}, token_index{n + 1}}, {}}); !s.ok()) return s;
    }
    for (index_t i = 0; i < count; ++i) {
        const coordinate c = requests[i].plan->coordinates(requests[i].token);
        for (index_t a = 0; a < out.axes; ++a) out.at(a, i) = detail::whole_as<P>(c[static_cast<int>(a)]);
    }
    return {};
}

POLYROPE_END
