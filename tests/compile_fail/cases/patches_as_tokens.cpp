// wants: conversion from
#include "polyrope/core/segment.hpp"

polyrope::patch_grid const patches{1, 4, 6};

#ifdef SOUND
polyrope::patch_grid const grid = patches;
#else
polyrope::token_grid const grid = patches;
#endif
