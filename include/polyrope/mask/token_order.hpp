#pragma once
// The three orders in which attention is called: all tokens of a range, its text tokens alone, its visual tokens alone,
// each in token order. An index in an order counts from the start of the range.
//
//     text(2), image [1, 1, 3], text(2)      all 0 1 2 3 4 5 6     text 0 1 5 6     visual 2 3 4

#include "polyrope/core/checked.hpp"
#include "polyrope/mask/kind_runs.hpp"

POLYROPE_BEGIN

enum class token_order : std::uint8_t { all, text, visual };

[[nodiscard]] constexpr bool holds(token_order order, modality kind) noexcept {
    return order == token_order::all || (order == token_order::text) == (kind == modality::text);
}

/// Tokens of a range in an order.
[[nodiscard]] inline index_t order_size(const position_plan& plan, token_range range, token_order order) noexcept {
    if (range.size() <= 0) return 0;
    if (order == token_order::all) return range.size();
    const index_t visual = visual_tokens(plan, range);
    return order == token_order::visual ? visual : range.size() - visual;
}

/// Writes them to out [order_size], each as its token's index from the start of the range: what a gather reads.
[[nodiscard]] inline status order_indices(const position_plan& plan, token_range range, token_order order, index_t* out,
                                          index_t count) noexcept {
    if (range.begin.value < 0 || range.end < range.begin)
        return {errc::range_invalid, operand::plan, 0, range.begin.value, range.end.value};
    const index_t size = order_size(plan, range, order);
    if (count != size) return {errc::extent_mismatch, operand::output, 0, size, count};
    if (count > 0 && out == nullptr) return {errc::null_data, operand::output, 0, 0, count};
    kind_runs runs(plan, range);
    for (kind_run run; runs.next(run);)
        for (index_t n = run.tokens.begin.value; holds(order, run.kind) && n < run.tokens.end.value; ++n)
            *out++ = n - range.begin.value;
    return {};
}

POLYROPE_END
