#pragma once
// The loops of a job: tokens outer, heads inner, so that a token's row is made once for all its heads. They hold no
// arithmetic, and are compiled once for all levels, element types and pairings.

#include <cstring>

#include "polyrope/cpu/detail/job.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

// First head of `group` among the heads of an operand: the least m with
// floor((first_head + m) * groups / all_heads) >= group.
[[nodiscard]] inline index_t group_begin(const operand_tensor& o, index_t group, index_t groups) noexcept {
    const index_t m = (group * o.all_heads + groups - 1) / groups - o.first_head;
    return m < 0 ? 0 : m > o.heads ? o.heads : m;
}

// Bytes [begin, end) of every head, which no pair turns.
inline void copy_rest(const head_run& run, index_t begin, index_t end) noexcept {
    for (index_t m = 0; m < run.count && begin < end; ++m)
        std::memcpy(run.target + m * run.target_step + begin, run.source + m * run.source_step + begin,
                    static_cast<std::size_t>(end - begin));
}

// A block of a pairing is turned as a head of its own.
struct block_shape {
    index_t count, pairs, bytes;
};
[[nodiscard]] inline block_shape blocks_of(const rotary& rope, index_t size) noexcept {
    if (rope.paired().is_whole() || rope.paired() == pairing::adjacent)
        return {1, rope.pairs(), rope.rotary_dim() * size};
    const index_t channels = rope.paired().block(rope.rotary_dim());
    return {rope.rotary_dim() / channels, channels / 2, channels * size};
}

// The last pairs of every head, fewer than a unit, in a buffer of one unit.
inline void turn_last_pairs(const head_run& run, const heads_kernel& kernel, index_t half, index_t pairs,
                            const float* c_row, const float* s_row, rounding round) noexcept {
    const auto piece = static_cast<std::size_t>((kernel.halves ? pairs : 2 * pairs) * kernel.size);
    const index_t second = kernel.unit_pairs * kernel.size, apart = half * kernel.size;
    for (index_t m = 0; m < run.count; ++m) {
        const char* from = run.source + m * run.source_step;
        char* to = run.target + m * run.target_step;
        alignas(64) char buffer[unit_bytes] = {};
        std::memcpy(buffer, from, piece);
        if (kernel.halves) std::memcpy(buffer + second, from + apart, piece);
        kernel.units({buffer, buffer, 0, 0, 1}, kernel.unit_pairs, c_row, s_row, 1, round);
        std::memcpy(to, buffer, piece);
        if (kernel.halves) std::memcpy(to + apart, buffer + second, piece);
    }
}

inline void turn_heads(const head_run& run, const heads_kernel& kernel, index_t pairs, const float* c_row,
                       const float* s_row, rounding round) noexcept {
    const index_t pair_bytes = kernel.halves ? kernel.size : 2 * kernel.size, floats = kernel.row_floats;
    index_t l = 0;
    const auto turn = [&](heads_kernel::turn some, index_t of) {
        const index_t count = (pairs - l) / of;
        if (count == 0) return;
        some(run.moved(l * pair_bytes), pairs, c_row + l * floats, s_row + l * floats, count, round);
        l += count * of;
    };
    if (round == rounding::once && kernel.blocks != nullptr) turn(kernel.blocks, kernel.block_pairs);
    if (l < pairs) turn(kernel.units, kernel.unit_pairs);
    if (l < pairs)
        turn_last_pairs(run.moved(l * pair_bytes), kernel, pairs, pairs - l, c_row + l * floats, s_row + l * floats,
                        round);
}

inline void turn_tokens(const job& j, const token_kernel& kernel) noexcept {
    // The last block's row is read in whole registers: 32 pairs more.
    alignas(64) float c_pairs[pd::most_pairs + 32], s_pairs[pd::most_pairs + 32];
    alignas(64) float c_arranged[2 * pd::most_pairs], s_arranged[2 * pd::most_pairs];
    const rotary& rope = *j.rope;
    const rounding round = rope.round();
    const index_t padded = 16 * rope.lane_blocks(), groups = rope.frequencies().groups(), size = kernel.heads.size;
    const block_shape blocks = blocks_of(rope, size);
    const index_t arranged = blocks.count == 1 ? padded : (blocks.pairs + 31) / 32 * 32;
    const bool casts =
        kernel.heads.cast != nullptr && (round == rounding::table_cast_each || round == rounding::table_cast_float32);
    // Rows of a table that need no change are read where they lie.
    const bool in_place_rows = kernel.heads.arrange == nullptr && j.coordinates == nullptr && j.rows == nullptr &&
                               j.step == 1 && j.way == direction::forward &&
                               (blocks.pairs & (kernel.heads.unit_pairs - 1)) == 0 && j.kind != element::bfloat16 &&
                               !casts;
    if (blocks.count != 1)
        for (index_t l = padded; l < padded + 32; ++l) c_pairs[l] = s_pairs[l] = 0.0f;
    for (index_t n = j.begin; n < j.end; ++n) {
        const index_t place = j.slots == nullptr ? n : j.slots[n];
        if (place < 0) continue;
        for (index_t group = 0; group < groups; ++group) {
            const float *c_row = c_pairs, *s_row = s_pairs;
            if (in_place_rows) {
                c_row = j.cos + (j.first_row + n - j.begin) * j.row_stride;
                s_row = j.sin + (j.first_row + n - j.begin) * j.row_stride;
            } else {
                kernel.make_row(j, n - j.begin, group, c_pairs, s_pairs);
                if (casts) {
                    kernel.heads.cast(c_pairs, padded);
                    kernel.heads.cast(s_pairs, padded);
                }
            }
            for (index_t block = 0; block < blocks.count; ++block) {
                const float *c = c_row + block * blocks.pairs, *s = s_row + block * blocks.pairs;
                if (kernel.heads.arrange != nullptr) {
                    kernel.heads.arrange(c, s, arranged, c_arranged, s_arranged);
                    c = c_arranged;
                    s = s_arranged;
                }
                for (const operand_tensor& o : j.operands) {
                    if (o.heads == 0) continue;
                    const index_t first = groups == 1 ? 0 : group_begin(o, group, groups);
                    const index_t last = groups == 1 ? o.heads : group_begin(o, group + 1, groups);
                    if (first >= last) continue;
                    const head_run run{static_cast<const char*>(o.source) +
                                           (place * o.source_token_stride + first * o.source_head_stride) * size,
                                       static_cast<char*>(o.target) +
                                           (place * o.target_token_stride + first * o.target_head_stride) * size,
                                       o.source_head_stride * size, o.target_head_stride * size, last - first};
                    if (j.copies_rest && block == 0) copy_rest(run, rope.rotary_dim() * size, o.head_dim * size);
                    turn_heads(run.moved(block * blocks.bytes), kernel.heads, blocks.pairs, c, s, round);
                }
            }
        }
    }
}

// Writes the rows of the job's tokens into a table of head group 0.
inline void write_rows(const job& j, row_kernel make_row, const row_target& to) noexcept {
    alignas(64) float c[pd::most_pairs], s[pd::most_pairs];
    const index_t pairs = j.rope->pairs();
    const bool in_place = to.step == 1 && to.twin == 0 && pairs == 16 * j.rope->lane_blocks();
    for (index_t n = j.begin; n < j.end; ++n) {
        float* cos = to.cos + n * to.row_stride;
        float* sin = to.sin + n * to.row_stride;
        make_row(j, n - j.begin, 0, in_place ? cos : c, in_place ? sin : s);
        if (in_place) continue;
        if (to.step == 1) {
            std::memcpy(cos, c, static_cast<std::size_t>(pairs) * sizeof(float));
            std::memcpy(sin, s, static_cast<std::size_t>(pairs) * sizeof(float));
        } else {
            for (index_t l = 0; l < pairs; ++l) {
                const index_t at = to.step == 0 ? first_channel(j.rope->paired(), l) : 2 * l;
                cos[at] = c[l];
                sin[at] = s[l];
            }
        }
        if (to.twin == 0) continue;
        for (index_t l = 0; l < pairs; ++l) {
            const index_t at = to.step == 0 ? first_channel(j.rope->paired(), l) : l * to.step;
            cos[at + to.twin] = c[l];
            sin[at + to.twin] = s[l];
        }
    }
}

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
