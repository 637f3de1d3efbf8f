#pragma once
// The functions of the C library that a table of frequencies needs, without <cmath>: since C++17 that header holds the
// special functions too, and costs every file that includes it a seventh of a second.

#include "polyrope/config.hpp"

#if !(defined(__GNUC__) || defined(__clang__))
#include <cmath>
#endif

#if defined(__GNUC__) || defined(__clang__)
// fma under a name that no compiler knows: clang 14 splits one that it knows into a product and a sum under -ffast-math.
extern "C" double polyrope_library_fma(double, double, double) noexcept __asm__(POLYROPE_C_SYMBOL("fma"));
#endif

POLYROPE_BEGIN
namespace detail::libm {

#if defined(__GNUC__) || defined(__clang__)
[[nodiscard]] inline double pow(double base, double exponent) noexcept { return __builtin_pow(base, exponent); }
[[nodiscard]] inline double log(double x) noexcept { return __builtin_log(x); }
[[nodiscard]] inline double sqrt(double x) noexcept { return __builtin_sqrt(x); }
[[nodiscard]] inline double floor(double x) noexcept { return __builtin_floor(x); }
[[nodiscard]] inline double ceil(double x) noexcept { return __builtin_ceil(x); }
[[nodiscard]] inline float ldexp(float x, int exponent) noexcept { return __builtin_ldexpf(x, exponent); }
#else
using std::ceil;
using std::floor;
using std::ldexp;
using std::log;
using std::pow;
using std::sqrt;
#endif

}  // namespace detail::libm
POLYROPE_END
