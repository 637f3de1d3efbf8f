// A namespace of another name, or the linker would merge these inline functions with those of plain flags.
#define polyrope polyrope_fast_math
#define ATTENTION_BITS_NAME attention_bits_fast_math
#include "attention_bits.hpp"
#include "attention_bits_body.hpp"
#if !defined(__FAST_MATH__)
#error "this file is compiled with -ffast-math"
#endif
