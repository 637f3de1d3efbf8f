#pragma once
// Where values are rounded on the way through a rotation. Cosine c and sine s, pair (x, y), element type A,
// r = round to A.

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

enum class rounding : std::uint8_t {
    /// Fused multiply-add in float32, one rounding to A. The most accurate: half a unit of A + 4e-7 (|x| + |y|).
    once,
    /// Float32 table, each operation rounded to float32, one rounding to A. Vision towers of Qwen, ERNIE's text model.
    float32_unfused,
    /// c and s rounded to A; then as float32_unfused. Hunyuan's text model.
    table_cast_float32,
    /// c and s rounded to A, then r(r(x c) - r(y s)) and r(r(y c) + r(x s)). The text models of
    /// Qwen, GLM and PaddleOCR-VL.
    table_cast_each,
};

POLYROPE_END
