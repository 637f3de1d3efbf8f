#define TURNS_BITS_NAME turns_bits_plain
#include "turns_bits.hpp"
#include "turns_bits_body.hpp"
