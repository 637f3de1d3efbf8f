#pragma once
// A batch whose tokens turn by different tables, in one call: sequences of different lengths under dynamic NTK or
// LongRoPE (frequency/at_length.hpp). Every token names its rotary; runs of tokens that name the same one are turned
// together, so a prompt costs no more than alone and a decoded token one look. Several tables without a choice per
// token cannot be handed over: one rotary is one table.
//
//     const rotary tables[] = {short_rope, long_rope};
//     const index_t which[] = {0, 0, 0, 1, 1};                                   // of tokens 0 to 4
//     cpu::rotate(cpu::rotary_choice{tables, 2, which, 5}, positions, q, k);
//
// Where cosines and sines are made once per forward pass, each sequence fills its range of the rows by its own rotary
// (rotate_options::tokens of fill_table), and any of them turns by the rows.

#include "polyrope/cpu/rotate.hpp"

POLYROPE_BEGIN
namespace cpu {

/// Token n of a call turns by rotaries[which[n]]. The rotaries have one shape: rotary_dim, axes, head groups, pairing.
struct rotary_choice {
    const rotary* rotaries = nullptr;
    index_t count = 0;
    const index_t* which = nullptr;
    index_t tokens = 0;
};

namespace detail {
inline namespace POLYROPE_AMBIENT {

/// A source that says where tokens sit: a row of cosines and sines has its table in it already.
template <class Source>
struct says_positions : std::true_type {};
template <class T>
struct says_positions<cos_sin_view<T>> : std::false_type {};
template <class P>
struct says_positions<table_lookup<P>> : std::false_type {};

template <class Source>
[[nodiscard]] auto positions_of(const Source& positions) noexcept {
    static_assert(is_source<Source>::value && says_positions<Source>::value,
                  "a choice of rotaries needs positions: a positions_view or planned(plan, first); rows of cosines and "
                  "sines have their table in them");
    return source_of(positions);
}

[[nodiscard]] POLYROPE_COLD inline status check_rotaries(const rotary_choice& choice) noexcept {
    if (choice.rotaries == nullptr) return {errc::null_data, operand::frequency_table, 0, 0, choice.count};
    if (choice.count < 1) return {errc::extent_mismatch, operand::frequency_table, 0, 1, choice.count};
    if (choice.tokens != 0 && choice.which == nullptr)
        return {errc::null_data, operand::table_choice, 0, 0, choice.tokens};
    const rotary& first = choice.rotaries[0];
    for (index_t i = 1; i < choice.count; ++i) {
        const rotary& other = choice.rotaries[i];
        if (other.rotary_dim() != first.rotary_dim() || other.axes() != first.axes() ||
            other.paired() != first.paired() || other.frequencies().groups() != first.frequencies().groups())
            return {errc::tables_differ, operand::frequency_table, i, 0, 0};
    }
    return {};
}

template <class T, class Source>
[[nodiscard]] status rotate_chosen(const rotary_choice& choice, const Source& source, const operand_pair<T>& q,
                                   const operand_pair<T>& k, const rotate_options& options) noexcept {
    if (const status s = check_rotaries(choice); !s.ok()) return s;
    const rotary& first = choice.rotaries[0];
    job j;
    index_t tokens = 0;
    if (const status s = bind_call(j, first, q, k, options, tokens); !s.ok()) return s;
    if (choice.tokens != tokens) return {errc::extent_mismatch, operand::table_choice, 0, tokens, choice.tokens};
    const index_t end = j.end;
    for (index_t n = j.begin; n < end; ++n)
        if (choice.which[n] < 0 || choice.which[n] >= choice.count)
            return {errc::choice_out_of_range, operand::table_choice, n, choice.count, choice.which[n]};
    if (const status s = source.check(first, tokens, j.begin, end); !s.ok()) return s;
    if (first.rotary_dim() == 0 && !j.copies_rest) return {};
    const token_kernel kernel = kernel_of<T, Source::rows_from>(options.use, j);
    for (index_t begin = j.begin, stop = begin; begin < end; begin = stop) {
        while (stop < end && choice.which[stop] == choice.which[begin]) ++stop;
        j.rope = &choice.rotaries[choice.which[begin]];
        j.begin = begin;
        j.end = stop;
        run(j, source, kernel);
    }
    return {};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail

/// rotate with a rotary per token. With a slot list, which[n] is that of token n of the list.
template <class T, class Source>
status rotate(const rotary_choice& choice, const Source& positions, heads_view<T> q, heads_view<T> k = {},
              const rotate_options& options = {}) noexcept {
    return detail::rotate_chosen<T>(choice, detail::positions_of(positions),
                                    {nullptr, q, options.q_shard, operand::q, operand::q},
                                    {nullptr, k, options.k_shard, operand::k, operand::k}, options);
}

/// rotate_to with a rotary per token.
template <class T, class Source>
status rotate_to(const rotary_choice& choice, const Source& positions, heads_view<const T> q, heads_view<const T> k,
                 heads_view<T> q_out, heads_view<T> k_out, const rotate_options& options = {}) noexcept {
    return detail::rotate_chosen<T>(choice, detail::positions_of(positions),
                                    {&q, q_out, options.q_shard, operand::q, operand::q_out},
                                    {&k, k_out, options.k_shard, operand::k, operand::k_out}, options);
}

}  // namespace cpu
POLYROPE_END
