#pragma once
// Frequencies that were worked out elsewhere, one per rotary pair: `inv_freq` of a checkpoint, in float32, to follow
// its reference bit for bit (the angle of a float32 frequency is exact, its double is the definition), or any numbers
// in double.

#include <type_traits>

#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace spectrum {

/// A view: `inv_freq` [pairs], radians per unit of position, must live until the table is made.
template <class T>
struct explicit_frequencies {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "frequencies are handed in as float or double");

    const T* inv_freq;
    index_t pairs;
    double scaling = 1.0;  ///< attention scaling

    [[nodiscard]] constexpr status validate(index_t rotary_dim) const noexcept {
        if (pairs != rotary_dim / 2) return {errc::extent_mismatch, operand::inv_freq, 0, rotary_dim / 2, pairs};
        if (inv_freq == nullptr) return {errc::null_data, operand::inv_freq, 0, 0, pairs};
        return {};
    }
    [[nodiscard]] constexpr double frequency(index_t l, index_t) const noexcept {
        return static_cast<double>(inv_freq[l]);
    }
    [[nodiscard]] constexpr double attention_scaling() const noexcept { return scaling; }
};
template <class T>
explicit_frequencies(const T*, index_t) -> explicit_frequencies<T>;
template <class T>
explicit_frequencies(const T*, index_t, double) -> explicit_frequencies<T>;

}  // namespace spectrum

POLYROPE_END
