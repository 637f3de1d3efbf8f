#pragma once
// Pictures as SVG: an allocation (which axis turns which pair) and a prompt (where every token sits).

#include "polyrope/draw/svg_allocation.hpp"
#include "polyrope/draw/svg_coordinates.hpp"
