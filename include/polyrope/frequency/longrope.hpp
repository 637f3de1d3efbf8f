#pragma once
// LongRoPE: every pair has a divisor of its own, one list for sequences up to the original length and one for longer
// ones. Ding et al., arXiv:2402.13753; tested against Hugging Face transformers v4.57.6 and v5.15.0 (`longrope`), which
// start with the short list and differ in where the attention scaling takes its factor from. A sequence that outgrows
// the original length turns all its positions by the other table, also those already cached.
//
//     spectrum::longrope<double> rule{10000.0, short_list, long_list, 48, 4096, 131072};
//     make_frequency_table(sections, rule.at_length(9000), 96, pairing::half_split)

#include <type_traits>

#include "polyrope/frequency/at_length.hpp"
#include "polyrope/frequency/detail/parameters.hpp"
#include "polyrope/frequency/detail/same_bits.hpp"

POLYROPE_BEGIN

namespace spectrum {

/// Where the attention scaling takes the factor from: the configuration's, or the ratio of the two lengths where it has
/// none (v5.15.0); or always the ratio (v4.57.6 for configurations that state the original length at top level).
enum class longrope_factor : std::uint8_t { configured, ratio };

/// A view: both lists [pairs] must live until the table is made.
template <class T>
struct longrope {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "divisors are handed in as float or double");

    double theta;
    const T* short_factor;
    const T* long_factor;
    index_t pairs;
    index_t original_length;        ///< tokens
    index_t max_length;             ///< tokens, max_position_embeddings
    double factor = 0.0;            ///< 0: the configuration has none
    double attention_factor = 0.0;  ///< the attention scaling; 0: sqrt(1 + ln factor / ln original_length)
    longrope_factor from = longrope_factor::configured;

    /// The spectrum of a sequence of so many tokens.
    [[nodiscard]] of_length<longrope> at_length(index_t tokens) const noexcept { return {*this, tokens}; }

    [[nodiscard]] status validate(index_t rotary_dim) const noexcept {
        if (const status s = detail::check_theta(theta); !s.ok()) return s;
        if (const status s = check_list(short_factor, operand::short_factor, rotary_dim); !s.ok()) return s;
        if (const status s = check_list(long_factor, operand::long_factor, rotary_dim); !s.ok()) return s;
        if (original_length < 2) return {errc::parameter_invalid, operand::original_length, 0, 1, original_length};
        if (const status s = detail::check_length(max_length, operand::max_length); !s.ok()) return s;
        return factor == 0.0 ? status{} : detail::check_positive(factor, operand::factor);
    }
    [[nodiscard]] double frequency(index_t l, index_t rotary_dim, index_t tokens) const noexcept {
        const T divisor = tokens > original_length ? long_factor[l] : short_factor[l];
        return detail::quotient(detail::geometric_frequency(theta, l, rotary_dim), static_cast<double>(divisor));
    }
    [[nodiscard]] double attention_scaling() const noexcept {
        if (attention_factor != 0.0) return attention_factor;
        const auto original = static_cast<double>(original_length);
        const double longer = from == longrope_factor::configured && factor != 0.0
                                  ? factor
                                  : detail::quotient(static_cast<double>(max_length), original);
        if (longer <= 1.0) return 1.0;
        return detail::square_root(
            detail::sum(1.0, detail::quotient(detail::logarithm(longer), detail::logarithm(original))));
    }

private:
    [[nodiscard]] status check_list(const T* list, operand what, index_t rotary_dim) const noexcept {
        if (pairs != rotary_dim / 2) return {errc::extent_mismatch, what, 0, rotary_dim / 2, pairs};
        if (list == nullptr) return {errc::null_data, what, 0, 0, pairs};
        for (index_t l = 0; l < pairs; ++l)
            if (!detail::check_positive(static_cast<double>(list[l]), what).ok())
                return {errc::entry_invalid, what, l, 0, 0};
        return {};
    }
};

}  // namespace spectrum

POLYROPE_END
