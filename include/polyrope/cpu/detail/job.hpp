#pragma once
// What a kernel is told: plain pointers and strides, checked before.

#include "polyrope/core/scalar.hpp"
#include "polyrope/rotary/direction.hpp"
#include "polyrope/rotary/rotary.hpp"
#include "polyrope/rotary/table.hpp"

POLYROPE_BEGIN
namespace cpu::detail {

namespace pd = polyrope::detail;

// Coordinates of one token in the form the phase kernels read. The value of axis a is
// many[a] * 65536 + low[a] + rest[a]; `many` and `rest` are all zero and not read unless `split`.
struct alignas(32) token_coordinates {
    float low[8];
    float many[8];
    float rest[8];
    std::int32_t split;
};

// One of q and k. Element (n, m, i) at base + n * token_stride + m * head_stride + i, in elements. Where heads is zero
// nothing else is read, and nothing else is set: clearing it would cost a decoded token a tenth of its time.
struct operand_tensor {
    index_t heads = 0;
    index_t head_dim;
    const void* source;
    void* target;
    index_t source_token_stride, source_head_stride;
    index_t target_token_stride, target_head_stride;
    index_t first_head, all_heads;  // of the whole model, for head groups
};

struct job {
    const rotary* rope = nullptr;
    operand_tensor operands[2];
    index_t begin = 0, end = 0;      // tokens
    const index_t* slots = nullptr;  // where token n lies, or null: at n; -1 skips it
    direction way = direction::forward;
    element kind = element::float32;
    bool copies_rest = false;  // channels past rotary_dim are copied: source and target differ

    // Where cosines and sines come from: computed from coordinates, or read from a table.
    const token_coordinates* coordinates = nullptr;  // of token `begin` and later
    const token_coordinates* subtract = nullptr;     // turn by the difference of two float32 angles
    bool turned_before = false;                      // keys that carry their scaling already: it is not applied again
    const float* cos = nullptr;                      // element l of row r at cos[r * row_stride + l * step], or
                                                     // at the first channel of pair l where step is 0
    const float* sin = nullptr;
    index_t row_stride = 0, step = 1;
    index_t first_row = 0;               // rows by token: the row of token `begin`
    const std::int64_t* rows = nullptr;  // rows by position [tokens, 8]: one per axis, from token `begin`
};

// Rows of cosines and sines to be written: value of pair l of row n at cos[n * row_stride + l * step], or at the first
// channel of pair l where step is 0.
struct row_target {
    float* cos = nullptr;
    float* sin = nullptr;
    index_t row_stride = 0, step = 1;
    index_t twin = 0;  // where the second copy of a doubled value lies, in floats after the first; 0: none
};

}  // namespace cpu::detail
POLYROPE_END
