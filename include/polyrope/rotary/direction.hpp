#pragma once
// Which way to turn. The gradient and the inverse differ where an attention scaling is in force.

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

enum class direction : std::uint8_t {
    forward,    ///< turn by the angle, times the attention scaling
    transpose,  ///< turn back, times the attention scaling: the gradient of forward
    undo,       ///< turn back, divided by the attention scaling: the inverse of forward
};

POLYROPE_END
