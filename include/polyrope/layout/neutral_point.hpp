#pragma once
// Layouts that put a medium on the text trajectory itself (sequential, V2PE, TAD-RoPE) have no point where the
// trajectory passes it: its tokens are the trajectory. Such a layout is told by name what to say instead.

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN
namespace layout {

/// Where the text trajectory is said to pass a medium that has no such point of its own.
enum class neutral_point : std::uint8_t {
    none,           ///< asking for it is refused
    segment_start,  ///< the position of the medium's first token
};

}  // namespace layout
POLYROPE_END
