// A namespace of another name, or the linker would merge these inline functions with those of plain flags.
#define polyrope polyrope_unoptimised
#define ATTENTION_BITS_NAME attention_bits_unoptimised
#include "attention_bits.hpp"
#include "attention_bits_body.hpp"
