#pragma once
// The bits of tables over many frequencies, from a translation unit with flags of its own.

#include <cstdint>
#include <vector>

std::vector<std::uint32_t> turns_bits_plain();
std::vector<std::uint32_t> turns_bits_fast_math();
