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

POLYROPE_END
