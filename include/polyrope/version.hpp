#pragma once
// The version of the library. CMakeLists.txt reads the three numbers from this file, so they are written once.

#include "polyrope/config.hpp"

POLYROPE_BEGIN

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

/// One number to compare: 10203 is version 1.2.3.
inline constexpr int version_number = version_major * 10000 + version_minor * 100 + version_patch;

POLYROPE_END
