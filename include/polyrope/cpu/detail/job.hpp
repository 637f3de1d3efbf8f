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

// Where the cosines and sines of a job come from. A template argument: a file compiles the rows of its own sources
// alone.
enum class row_source : std::uint8_t {
    coordinates,  ///< computed
    differences,  ///< computed twice and subtracted: keys that are turned on
    table,        ///< read
};

// Consecutive heads of a token, or a part of each of them.
struct head_run {
    const char* source;
    char* target;
    index_t source_step, target_step;  // bytes from head to head
    index_t count;

    [[nodiscard]] POLYROPE_HOST_DEVICE head_run part(index_t first, index_t heads) const noexcept {
        return {source + first * source_step, target + first * target_step, source_step, target_step, heads};
    }
    [[nodiscard]] POLYROPE_HOST_DEVICE head_run moved(index_t bytes) const noexcept {
        return {source + bytes, target + bytes, source_step, target_step, count};
    }
};

// What a level has for an element type and a pairing. A unit is the fewest pairs that fill its registers, a block as
// many units as they hold.
struct heads_kernel {
    // Turns `count` of them in every head of a run that starts at their first channel.
    using turn = void (*)(const head_run& run, index_t half, const float* c_row, const float* s_row, index_t count,
                          rounding round);
    turn blocks;  // rounding::once alone; null where a block is a unit
    turn units;
    // Brings a row from the order of pairs to that of registers; null: they are the same.
    void (*arrange)(const float* c, const float* s, index_t pairs, float* c_out, float* s_out);
    void (*cast)(float* row, index_t pairs);  // to the precision of the elements; null: float32
    index_t block_pairs, unit_pairs;
    index_t size;        // bytes of an element
    index_t row_floats;  // of one pair in an arranged row
    bool halves;         // x and y lie half a head apart; otherwise side by side
};
inline constexpr std::size_t unit_bytes = 128;  // of the widest unit

using row_kernel = void (*)(const job& j, index_t i, index_t group, float* c_row, float* s_row);

struct token_kernel {
    const heads_kernel& heads;
    row_kernel make_row;
};

}  // namespace cpu::detail
POLYROPE_END
