#pragma once
// Checks of the parameters of spectra, each an error that names the parameter as configurations do.

#include "polyrope/core/status.hpp"
#include "polyrope/frequency/turns.hpp"

POLYROPE_BEGIN

namespace detail {

/// ok where a parameter is finite and above zero.
[[nodiscard]] inline status check_positive(double value, operand what) noexcept {
    if (is_finite(value) && value > 0.0) return {};
    return {errc::parameter_invalid, what, 0, 0, 0};
}

[[nodiscard]] inline status check_theta(double theta) noexcept {
    if (is_finite(theta) && theta > 0.0) return {};
    return {errc::theta_invalid, operand::rope_theta, 0, 0, 0};
}

/// ok where a length in tokens is above zero.
[[nodiscard]] constexpr status check_length(index_t length, operand what) noexcept {
    if (length > 0) return {};
    return {errc::parameter_invalid, what, 0, 0, length};
}

/// ok where theta and factor are, and a spectrum that stretches its base has a second pair to stretch.
[[nodiscard]] inline status check_stretch(double theta, double stretch, operand what, index_t rotary_dim) noexcept {
    if (const status s = check_theta(theta); !s.ok()) return s;
    if (const status s = check_positive(stretch, what); !s.ok()) return s;
    if (rotary_dim < 4) return {errc::rotary_dim_too_small, operand::rotary_dim, 0, 4, rotary_dim};
    return {};
}

}  // namespace detail

POLYROPE_END
