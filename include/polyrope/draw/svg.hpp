#pragma once
// Pictures as SVG. Of a prompt: its coordinates over the tokens, as grids of numbers per image, as points in space. Of
// heads: which axis turns which pair, at which wavelength. Of both: what a text token sees in an image for its place
// alone, and how that falls off with distance. A sheet holds several pictures.

#include "polyrope/draw/svg_allocation.hpp"
#include "polyrope/draw/svg_bands.hpp"
#include "polyrope/draw/svg_bias.hpp"
#include "polyrope/draw/svg_coordinates.hpp"
#include "polyrope/draw/svg_decay.hpp"
#include "polyrope/draw/svg_grids.hpp"
#include "polyrope/draw/svg_scatter.hpp"
#include "polyrope/draw/svg_sheet.hpp"
