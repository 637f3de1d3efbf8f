#pragma once
// Arguments of fill, by name:
//
//     plan.fill(begin, end, out, fill_options{}.neutral());
//     plan.fill(begin, end, out, fill_options{}.truncated().padded(4, 1.0));

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

/// Which of a token's two positions: where it sits, or the point of the text trajectory it stands at.
enum class position_source : std::uint8_t { coordinates, neutral };

/// What filling an integer type does with a coordinate that is not a whole number.
enum class fraction : std::uint8_t { refused, truncated };

struct fill_options {
    position_source source = position_source::coordinates;
    fraction fractions = fraction::refused;
    index_t left = 0;     ///< slots of padding before the tokens of the range
    index_t right = 0;    ///< and behind them; padding never counts as a token
    double filler = 0.0;  ///< what padding holds; transformers 4 writes 1, transformers 5 writes 0

    [[nodiscard]] constexpr fill_options neutral() const noexcept {
        fill_options o = *this;
        o.source = position_source::neutral;
        return o;
    }
    /// Fractions are cut toward zero, as references do that store integers.
    [[nodiscard]] constexpr fill_options truncated() const noexcept {
        fill_options o = *this;
        o.fractions = fraction::truncated;
        return o;
    }
    [[nodiscard]] constexpr fill_options padded(index_t left_slots, double filler_value,
                                                index_t right_slots = 0) const noexcept {
        fill_options o = *this;
        o.left = left_slots;
        o.right = right_slots;
        o.filler = filler_value;
        return o;
    }
};

POLYROPE_END
