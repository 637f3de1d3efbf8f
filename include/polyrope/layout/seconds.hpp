#pragma once
// Seconds per temporal grid cell as an exact fraction, from the floating-point number that a processor reports or from
// the frames per second of a video.
//
//     simplest_seconds(0.08)     2/25, though no double is 0.08
//     seconds_at(2, 2.0)         2/2: two frames to a cell, two frames per second

#include "polyrope/core/segment.hpp"
#include "polyrope/layout/detail/bounds.hpp"

POLYROPE_BEGIN

/// The fraction with the least denominator that reads back as `seconds`: 0.08 is 2/25, though no double is. Numbers
/// that are negative, not finite or above 2^53 give a fraction that every layout refuses.
[[nodiscard]] inline seconds_per_grid simplest_seconds(double seconds) noexcept {
    if (!detail::is_in_range(seconds) || seconds < 0.0) return {-1, 0};
    // The double itself is a fraction of a power of two (cut at 2^-62); walk its continued fraction to the first
    // convergent that reads back, then to the first semiconvergent before that which does.
    double scaled = seconds;
    index_t b = 1;
    for (; !detail::is_whole(scaled) && b < index_t{1} << 62; b *= 2) scaled *= 2.0;
    index_t a = static_cast<index_t>(scaled);
    const seconds_per_grid exact{a, b};
    index_t n0 = 0, d0 = 1, n1 = 1, d1 = 0;
    while (b != 0) {
        const index_t quotient = a / b, rest = a % b;
        const auto reads_back = [&](index_t q) {
            return static_cast<double>(q * n1 + n0) / static_cast<double>(q * d1 + d0) == seconds;
        };
        if (reads_back(quotient)) {
            index_t low = d0 == 0 ? 1 : 0, high = quotient;
            while (low < high) {
                const index_t middle = low + (high - low) / 2;
                if (reads_back(middle)) high = middle;
                else low = middle + 1;
            }
            return {high * n1 + n0, high * d1 + d0};
        }
        const index_t n = quotient * n1 + n0, d = quotient * d1 + d0;  // no larger than the exact fraction
        n0 = n1, d0 = d1, n1 = n, d1 = d;
        a = b, b = rest;
    }
    return exact;
}

/// Seconds per temporal grid cell of a video of `fps` frames per second, `temporal_patch_size` frames to a cell. Zero
/// frames per second, and what simplest_seconds refuses, give a fraction that every layout refuses.
[[nodiscard]] inline seconds_per_grid seconds_at(index_t temporal_patch_size, double fps) noexcept {
    const seconds_per_grid rate = simplest_seconds(fps);
    index_t numerator = 0;
    if (rate.numerator < 1 || !checked_multiply(temporal_patch_size, rate.denominator, numerator)) return {-1, 0};
    return {numerator, rate.numerator};
}

POLYROPE_END
