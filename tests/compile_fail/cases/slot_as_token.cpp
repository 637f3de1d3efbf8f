// wants: conversion from
#include "polyrope/core/index.hpp"

const polyrope::cache_slot slot{3};

#ifdef SOUND
const polyrope::token_index n = polyrope::token_of(slot, 2);
#else
const polyrope::token_index n = slot;
#endif
