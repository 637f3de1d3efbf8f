// wants: conversion from
#include "polyrope/core/segment.hpp"

const polyrope::patch_grid patches{1, 4, 6};

#ifdef SOUND
const polyrope::patch_grid grid = patches;
#else
const polyrope::token_grid grid = patches;
#endif
