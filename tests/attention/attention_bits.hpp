#pragma once
// The bits of exponentials, merges and streaming attention, from translation units with flags of their own.

#include <cstdint>
#include <vector>

std::vector<std::uint32_t> attention_bits_plain();
std::vector<std::uint32_t> attention_bits_unoptimised();
std::vector<std::uint32_t> attention_bits_fast_math();
