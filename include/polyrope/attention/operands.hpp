#pragma once
// What attention reads under a coordinate selection: queries and keys at their text-vision positions, and the visual
// ones again at their vision-vision positions, as cpu/banks.hpp writes them. A selection that is not mixed has no
// second bank.
//
//     text(2), image [1, 1, 3], text(1)      q, k, v   t t v v v t      visual_q, visual_k   v v v

#include "polyrope/core/heads_memory.hpp"
#include "polyrope/mask/attention_calls.hpp"

POLYROPE_BEGIN

/// Query heads are a multiple of key heads: query head m reads key head m * key heads / query heads. Views of one
/// region: rows of q are its queries, rows of k and v its keys, rows of visual_q and visual_k the visual ones among
/// them.
template <class T>
struct attention_operands {
    heads_view<const T> q, k;                ///< [queries, query heads, head_dim], [keys, key heads, head_dim]
    heads_view<const T> v;                   ///< [keys, key heads, channels]
    heads_view<const T> visual_q, visual_k;  ///< absent unless the selection is mixed
};

/// Output of an attention call. `log_sum_exp` is of the scaled and capped scores, natural logarithm, and may be null.
struct attention_output {
    heads_view<float> out;         ///< [queries, query heads, channels of v]
    float* log_sum_exp = nullptr;  ///< [queries, query heads]
};

struct attention_options {
    double scale = 0.0;     ///< factor of every score, 2^-60 to 2^60; 0: 1 / sqrt(head_dim)
    double soft_cap = 0.0;  ///< scores become soft_cap * tanh(score / soft_cap), 2^-60 to 2^60; 0: none
    visibility sees = visibility::causal;
};

namespace detail {

/// Exponent of 2 that bounds both factors, so that their quotient and its products with scores stay in float32.
inline constexpr index_t factor_exponent = 60;

[[nodiscard]] inline status check_factors(const attention_options& options) noexcept {
    // Positive numbers are in the order of their bits, and a NaN is seen under -ffast-math too.
    const auto least = bit_copy<std::uint64_t>(0x1p-60), most = bit_copy<std::uint64_t>(0x1p60);
    const auto in_range = [&](double factor) {
        const auto bits = bit_copy<std::uint64_t>(factor);
        return bits << 1 == 0 || (bits >= least && bits <= most);
    };
    if (!in_range(options.scale)) return {errc::factor_out_of_range, operand::scale, 0, factor_exponent, 0};
    if (!in_range(options.soft_cap)) return {errc::factor_out_of_range, operand::soft_cap, 0, factor_exponent, 0};
    return {};
}

/// What is wrong with the operands of a region; ok if nothing is.
template <class T>
[[nodiscard]] status check_attention(const position_plan& plan, coordinate_selection which,
                                     const attention_region& region, const attention_operands<T>& in,
                                     const attention_options& options) noexcept {
    if (const auto calls = attention_calls::make(plan, which, region, options.sees); !calls.ok()) return calls.error();
    const index_t queries = region.queries.size(), keys = region.keys.size();
    struct expected {
        const heads_view<const T>& view;
        index_t tokens;
        operand name;
    };
    const bool mixed = which.is_mixed();
    const expected all[] = {{in.q, queries, operand::q},
                            {in.k, keys, operand::k},
                            {in.v, keys, operand::v},
                            {in.visual_q, mixed ? visual_tokens(plan, region.queries) : 0, operand::visual_q},
                            {in.visual_k, mixed ? visual_tokens(plan, region.keys) : 0, operand::visual_k}};
    for (const expected& each : all) {
        if (each.view.tokens != each.tokens)
            return {errc::extent_mismatch, each.name, 0, each.tokens, each.view.tokens};
        if (const status s = explain_heads(each.view, 0, each.name); !s.ok()) return s;
    }
    if (queries == 0) return {};
    const index_t extents[2] = {in.q.heads, in.q.head_dim};
    for (int e = 0; e < 2; ++e)
        if (extents[e] == 0) return {errc::extent_zero, operand::q, e + 1, 0, 0};
    if (in.k.heads < 1 || in.q.heads % in.k.heads != 0)
        return {errc::heads_not_divisible, operand::k, 1, in.q.heads, in.k.heads};
    if (in.v.heads != in.k.heads) return {errc::extent_mismatch, operand::v, 1, in.k.heads, in.v.heads};
    if (in.k.head_dim != in.q.head_dim) return {errc::extent_mismatch, operand::k, 2, in.q.head_dim, in.k.head_dim};
    const auto same_heads = [](const heads_view<const T>& bank, const heads_view<const T>& whole, operand name) {
        if (bank.tokens == 0) return status{};
        if (bank.heads != whole.heads) return status{errc::extent_mismatch, name, 1, whole.heads, bank.heads};
        if (bank.head_dim != whole.head_dim)
            return status{errc::extent_mismatch, name, 2, whole.head_dim, bank.head_dim};
        return status{};
    };
    if (const status s = same_heads(in.visual_q, in.q, operand::visual_q); !s.ok()) return s;
    if (const status s = same_heads(in.visual_k, in.k, operand::visual_k); !s.ok()) return s;
    return check_factors(options);
}

/// What is wrong with where an answer goes. It shares no memory with what is read, which other workers still read.
template <class T>
[[nodiscard]] status check_output(const attention_operands<T>& in, const attention_output& to) noexcept {
    const index_t expected[3] = {in.q.tokens, in.q.heads, in.v.head_dim},
                  found[3] = {to.out.tokens, to.out.heads, to.out.head_dim};
    for (int e = 0; e < 3; ++e)
        if (found[e] != expected[e]) return {errc::extent_mismatch, operand::output, e, expected[e], found[e]};
    if (const status s = explain_heads(to.out, 0, operand::output); !s.ok()) return s;
    const index_t rows = to.log_sum_exp == nullptr ? 0 : in.q.tokens;
    const heads_view<float> sums = compact_heads(to.log_sum_exp, rows, in.q.heads, 1);
    bool meets = meet(to.out, sums);
    for (const heads_view<const T>& each : {in.q, in.k, in.v, in.visual_q, in.visual_k})
        meets = meets || meet(to.out, each) || meet(sums, each);
    return meets ? status{errc::overlap, operand::output, 0, 0, 0} : status{};
}

}  // namespace detail
POLYROPE_END
