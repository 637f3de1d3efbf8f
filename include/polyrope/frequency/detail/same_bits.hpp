#pragma once
// Arithmetic in double that gives the same bits under every optimisation level and -ffast-math. What a compiler knows
// or may reorder it works out otherwise: a power of a known base becomes exp2(log2(base) * exponent), a product joins a
// sum, a division becomes a product with the inverse. Each step here hides its operands and its result.

#include "polyrope/core/fma.hpp"
#include "polyrope/core/index.hpp"
#include "polyrope/core/libm.hpp"

POLYROPE_BEGIN

namespace detail {

[[nodiscard]] inline double power(double base, double exponent) noexcept {
    return opaque(libm::pow(opaque(base), opaque(exponent)));
}
[[nodiscard]] inline double logarithm(double x) noexcept { return opaque(libm::log(opaque(x))); }
[[nodiscard]] inline double square_root(double x) noexcept { return opaque(libm::sqrt(opaque(x))); }
[[nodiscard]] inline double product(double a, double b) noexcept { return opaque(opaque(a) * opaque(b)); }
[[nodiscard]] inline double quotient(double a, double b) noexcept { return opaque(opaque(a) / opaque(b)); }
[[nodiscard]] inline double sum(double a, double b) noexcept { return opaque(opaque(a) + opaque(b)); }
[[nodiscard]] inline double difference(double a, double b) noexcept { return opaque(opaque(a) - opaque(b)); }

/// base^(-2 l / rotary_dim), the frequency of pair l that every spectrum starts from.
[[nodiscard]] inline double geometric_frequency(double base, index_t l, index_t rotary_dim) noexcept {
    return power(base, quotient(static_cast<double>(-2 * l), static_cast<double>(rotary_dim)));
}

/// base * stretch^(rotary_dim / (rotary_dim - 2)): the base under which the slowest pair turns `stretch` times slower.
[[nodiscard]] inline double stretched_base(double base, double stretch, index_t rotary_dim) noexcept {
    return product(base,
                   power(stretch, quotient(static_cast<double>(rotary_dim), static_cast<double>(rotary_dim - 2))));
}

}  // namespace detail

POLYROPE_END
