#pragma once
// How the angle of a pair is formed. Two meanings are in use, and far from the origin they differ: by up to 2e-4
// at position 4 096 and 6e-2 at a million (docs/numerics.md).

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

enum class phase : std::uint8_t {
    /// The true product of position and frequency. Sine and cosine are right to 1.1e-7 up to |position| 2^20, 1.3e-7 up
    /// to 2^24 and 2e-7 for every int32 position, at frequencies of at most one radian per position.
    exact,
    /// One float32 product of the position and the float32 inv_freq, as Hugging Face transformers forms it; its sine
    /// and cosine are evaluated in float64 and rounded once.
    float32,
};

POLYROPE_END
