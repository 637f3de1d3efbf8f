#pragma once
// Catch2, whichever of 2 and 3 is installed. Tests use the part that both have.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
