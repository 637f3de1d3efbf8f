#pragma once
// Angle of a grid point and point of an angle in float64, with the same bits on every machine and under every flag:
// layouts that bend a grid keep their promise of equal positions everywhere. Errors stay below 6e-16.

#include "polyrope/core/fma.hpp"
#include "polyrope/core/index.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {

/// c[0] + c[1] x + ... by Horner's rule.
template <int Count>
[[nodiscard]] inline double polynomial(const double (&c)[Count], double x) noexcept {
    double sum = c[Count - 1];
    for (int i = Count - 2; i >= 0; --i) sum = fma(sum, x, c[i]);
    return sum;
}

/// Angle of (x, y) in radians, in (-pi, pi]; 0 at the origin. x and y are whole numbers, so there is no -0.
[[nodiscard]] inline double angle_of(index_t y, index_t x) noexcept {
    constexpr double pi = 3.141592653589793, tan_pi_8 = 0.41421356237309503;
    // atan(z) / z in powers of z^2, for |z| <= tan(pi / 16)
    constexpr double arc[] = {1.0,      -1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11,
                              1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23};
    const double a = static_cast<double>(y < 0 ? -y : y), b = static_cast<double>(x < 0 ? -x : x);
    const double least = a < b ? a : b, most = a < b ? b : a;
    if (most == 0.0) return 0.0;
    // Turned back by 0, pi / 8 or pi / 4: what is left is small.
    const double ratio = opaque(least / opaque(most));
    const double back = ratio > 0.668 ? 1.0 : ratio > 0.1989 ? tan_pi_8 : 0.0;
    const double z = opaque(fma(-back, most, least) / opaque(fma(back, least, most)));
    double angle = opaque(z * polynomial(arc, opaque(z * z)));
    angle = opaque(angle + (back == 0.0 ? 0.0 : back == 1.0 ? pi / 4 : pi / 8));
    if (a > b) angle = opaque(pi / 2 - angle);
    if (x < 0) angle = opaque(pi - angle);
    return y < 0 ? -angle : angle;
}

/// Sine and cosine of `turns` whole turns, |turns| < 2^50.
inline void sincos_of_turns(double turns, double& sine, double& cosine) noexcept {
    constexpr double two_pi = 6.283185307179586;
    constexpr double s[] = {1.0,          -1.0 / 6,        1.0 / 120,        -1.0 / 5040,
                            1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
    constexpr double c[] = {1.0,
                            -1.0 / 2,
                            1.0 / 24,
                            -1.0 / 720,
                            1.0 / 40320,
                            -1.0 / 3628800,
                            1.0 / 479001600,
                            -1.0 / 87178291200,
                            1.0 / 20922789888000};
    const double quarters = round_even(opaque(turns * 4.0));
    const double x = opaque(fma(quarters, -0.25, turns) * two_pi), square = opaque(x * x);
    const double along = opaque(x * polynomial(s, square)), across = polynomial(c, square);
    const auto q = static_cast<std::uint64_t>(static_cast<std::int64_t>(quarters));
    sine = (q & 1) != 0 ? across : along;
    cosine = (q & 1) != 0 ? along : across;
    if ((q & 2) != 0) sine = -sine;
    if (((q + 1) & 2) != 0) cosine = -cosine;
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
