#pragma once
// 64-bit arithmetic that says when it does not fit. Sizes that come from a prompt go through here.

#include <cstdint>

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

inline constexpr index_t index_max = INT64_MAX;

/// `out = a + b`, false when it does not fit; `out` is worthless then. a and b of either sign.
[[nodiscard]] constexpr bool checked_add(index_t a, index_t b, index_t& out) noexcept {
    if (b > 0 ? a > index_max - b : a < INT64_MIN - b) return false;
    out = a + b;
    return true;
}

/// `out = a * b` for a, b >= 0; false when either is negative or the product does not fit; `out` is worthless then.
[[nodiscard]] constexpr bool checked_multiply(index_t a, index_t b, index_t& out) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    return ((a | b) >= 0) && !__builtin_mul_overflow(a, b, &out);  // without the division
#else
    if (a < 0 || b < 0 || (a != 0 && b > index_max / a)) return false;
    out = a * b;
    return true;
#endif
}

namespace detail {
/// Tells the compiler what was looked at before, where it cannot see it.
POLYROPE_ALWAYS_INLINE void assume(bool holds) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    if (!holds) __builtin_unreachable();
#else
    static_cast<void>(holds);
#endif
}
}  // namespace detail

POLYROPE_END
