#pragma once
// Many requests in one call: each row is a plan and a range of its tokens, and the rows lie one behind the other in
// positions [axes, total tokens]. Boundaries are stated, never guessed from positions.
//
//     batch rows(3);
//     rows.add(plan_a, {token_index{0}, token_index{15}});
//     rows.add(plan_b, {token_index{256}, token_index{512}});          // a chunk
//     rows.fill(axis_major(positions, 3, rows.tokens()), {ith, nth});  // worker ith of nth
//     rows.cu_seqlens()                                                // 0 15 271
//
// A batch refers to its plans; they must outlive it. fill is const and may run in many threads at once.

#include "polyrope/core/partition.hpp"
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

class batch {
public:
    explicit batch(int axes) : axes_(axes), offsets_(1, 0) {}

    /// Adds a row. A plan of other axes, a range that is none, padding below zero are refused.
    status add(const position_plan& plan, token_range tokens, const fill_options& options = {}) {
        const index_t row = rows();
        if (plan.axes() != axes_) return {errc::extent_mismatch, operand::plan, row, axes_, plan.axes()};
        if (tokens.begin.value < 0 || tokens.end < tokens.begin)
            return {errc::range_invalid, operand::request, row, tokens.begin.value, tokens.end.value};
        if (options.left < 0 || options.right < 0)
            return {errc::extent_negative, operand::request, row, 0, options.left < 0 ? options.left : options.right};
        index_t end = 0;
        if (!checked_add(offsets_.back(), tokens.size(), end) || !checked_add(end, options.left, end) ||
            !checked_add(end, options.right, end))
            return {errc::size_overflow, operand::request, row, 0, 0};
        rows_.push_back({&detail::plan_access::data(plan), tokens, options});
        offsets_.push_back(end);
        return {};
    }
    /// A plan that dies with the statement cannot be referred to.
    status add(const position_plan&&, token_range, const fill_options& = {}) = delete;
    void clear() noexcept {
        rows_.clear();
        offsets_.resize(1);
    }

    [[nodiscard]] index_t rows() const noexcept { return static_cast<index_t>(rows_.size()); }
    [[nodiscard]] int axes() const noexcept { return axes_; }
    /// Columns of all rows, padding included.
    [[nodiscard]] index_t tokens() const noexcept { return offsets_.back(); }
    /// [rows + 1]: row i is columns [offset i, offset i + 1).
    [[nodiscard]] const std::vector<index_t>& cu_seqlens() const noexcept { return offsets_; }
    /// The same as 32-bit numbers, as attention kernels take them. `out` holds rows() + 1.
    [[nodiscard]] status cu_seqlens(std::int32_t* out, index_t count) const noexcept {
        if (count != rows() + 1) return {errc::extent_mismatch, operand::output, 0, rows() + 1, count};
        if (out == nullptr) return {errc::null_data, operand::output, 0, 0, count};
        if (tokens() > INT32_MAX) return {errc::capacity_exceeded, operand::output, 0, INT32_MAX, tokens()};
        for (index_t i = 0; i < count; ++i) out[i] = static_cast<std::int32_t>(offsets_[static_cast<std::size_t>(i)]);
        return {};
    }

    /// Writes the share of worker `part` in out [axes, tokens()]. Every worker checks all rows, so that all of them
    /// refuse together and nothing is written.
    template <class P>
    status fill(positions_view<P> out, partition part = {}) const noexcept {
        if (part.nth < 1 || part.ith < 0 || part.ith >= part.nth)
            return {errc::partition_invalid, operand::batch, 0, part.nth, part.ith};
        if (status s = detail::check_output(out, axes_, tokens()); !s.ok()) return s;
        for (const detail::planned_row& row : rows_)
            if (status s = detail::check_row<P>(row); !s.ok()) return s;
        const token_range mine = share({token_index{0}, token_index{tokens()}}, part);
        std::size_t i = 0;
        for (std::size_t left = rows_.size(); left > 1;) {
            const std::size_t half = left / 2;
            i = offsets_[i + half] <= mine.begin.value ? i + half : i;
            left -= half;
        }
        for (index_t n = mine.begin.value; n < mine.end.value; ++i) {
            const index_t end = offsets_[i + 1] < mine.end.value ? offsets_[i + 1] : mine.end.value;
            if (n < end) detail::fill_columns(rows_[i], n - offsets_[i], end - offsets_[i], out.sub(n, end));
            n = end;
        }
        return {};
    }

private:
    int axes_;
    std::vector<detail::planned_row> rows_;
    std::vector<index_t> offsets_;
};

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
