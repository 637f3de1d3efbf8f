#pragma once
// Spectra that depend on the length of the context. Such a rule is not a spectrum; its `at_length(tokens)` is one. The
// length is that of one sequence, its largest position on any axis plus one, and every position of the sequence turns
// by the table of that length: one that changes makes cached keys of the old table wrong. Tables are made by the
// caller, when the caller says so; nothing here remembers.
//
//     spectrum::table_length kept{4096};                                    // with a sequence
//     if (kept.update(sequence_length))                                     // after it grew
//         table = make_frequency_table(sections, rule.at_length(kept.tokens), 128, pairing::half_split);

#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

/// A rule at one length. A rule has validate(rotary_dim), frequency(l, rotary_dim, tokens) and attention_scaling().
template <class Rule>
struct of_length {
    Rule rule;
    index_t tokens;

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept { return rule.validate(rotary_dim); }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim) const noexcept {
        return rule.frequency(l, rotary_dim, tokens);
    }
    [[nodiscard]] double attention_scaling() const noexcept { return rule.attention_scaling(); }
};

/// When Hugging Face transformers makes a new table of dynamic NTK: a longer sequence than any before it grows the
/// table, and one shorter than the original length after that starts over. A sequence in between keeps the table of a
/// longer one, so what a sequence gets depends on those before it; an engine gives each sequence a table_length of its
/// own.
struct table_length {
    index_t original;           ///< the model's, tokens
    index_t tokens = original;  ///< that the current table is for

    /// Takes the length of the sequence at hand; true where a new table must be made.
    [[nodiscard]] constexpr bool update(index_t length) noexcept {
        const index_t before = tokens;
        if (length > tokens) tokens = length;
        if (length < original && tokens > original) tokens = original;
        return tokens != before;
    }
};

}  // namespace spectrum

POLYROPE_END
