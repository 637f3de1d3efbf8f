#define ATTENTION_BITS_NAME attention_bits_plain
#include "attention_bits.hpp"
#include "attention_bits_body.hpp"
