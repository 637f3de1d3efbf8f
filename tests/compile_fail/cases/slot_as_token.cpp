// wants: conversion from
#include "polyrope/core/index.hpp"

polyrope::cache_slot const slot{3};

#ifdef SOUND
polyrope::token_index const n = polyrope::token_of(slot, 2);
#else
polyrope::token_index const n = slot;
#endif
