#pragma once
// Attention under a coordinate selection without a matrix of scores: keys come in tiles of 64 of one kind, so that each
// tile has one bank, and a running maximum and sum replace the softmax over a row. Milakov and Gimelshein,
// arXiv:1805.02867. Tested against attention/reference.hpp.
//
//     text(2), image [1, 1, 3], text(2)      query blocks t t t t | v v v      key tiles t t t t | v v v
//
// Runs of every length are gathered: two banks cost what one does at runs of 256 tokens and of 16
// (benchmarks/attention.cpp), so that tiles cut at the borders of long runs have nothing to win. Sums in float32.
// Scratch is below 1 MiB of stack, whatever the length; nothing is allocated.

#include "polyrope/attention/detail/streaming_block.hpp"
#include "polyrope/core/partition.hpp"

POLYROPE_BEGIN
namespace attention {

/// How a streaming call runs: worker `part.ith` of `part.nth` takes its share of the blocks. Any partition and any
/// level give the same bits.
struct streaming_options {
    attention_options attend{};
    partition part{};
    cpu::level use = cpu::level::automatic;
};

/// Widest head and widest row of values.
inline constexpr index_t streaming_channels = detail::widest_head;

/// Attends the queries of a region; see attention/operands.hpp for what it reads.
/// @return ok, or what is wrong: nothing is written then.
template <class T>
status streaming(const position_plan& plan, coordinate_selection which, const attention_region& region,
                 const attention_operands<T>& in, const attention_output& out,
                 const streaming_options& options = {}) noexcept {
    if (const status s = detail::check_attention(plan, which, region, in, options.attend); !s.ok()) return s;
    if (!cpu::supports(options.use))
        return {errc::unsupported, operand::level, static_cast<index_t>(options.use), 0, 0};
    if (options.part.nth < 1 || options.part.ith < 0 || options.part.ith >= options.part.nth)
        return {errc::partition_invalid, operand::none, 0, options.part.nth, options.part.ith};
    if (in.q.head_dim > streaming_channels)
        return {errc::capacity_exceeded, operand::head_dim, 0, streaming_channels, in.q.head_dim};
    if (in.v.head_dim > streaming_channels)
        return {errc::capacity_exceeded, operand::v, 0, streaming_channels, in.v.head_dim};
    if (const status s = detail::check_output(in, out); !s.ok()) return s;
    if (region.queries.size() == 0) return {};

    const index_t group = in.q.heads / in.k.heads, heads = group < 8 ? group : 8;
    const index_t each = detail::streaming_block<T>::queries_of(heads), heads_blocks = (group + heads - 1) / heads;
    const bool mixed = which.is_mixed();
    const index_t visual = mixed ? visual_tokens(plan, region.queries) : 0;
    const index_t text = region.queries.size() - visual;
    const index_t text_blocks = (text + each - 1) / each, blocks = text_blocks + (visual + each - 1) / each;
    const token_range mine = share({token_index{0}, token_index{blocks * in.k.heads * heads_blocks}}, options.part);
    static_assert(sizeof(detail::streaming_block<T>) <= 1 << 20, "the scratch of a block must fit 1 MiB of stack");
    detail::streaming_block<T> block(plan, which, region, in, out, options.attend, options.use);
    for (index_t u = mine.begin.value; u < mine.end.value; ++u) {
        const index_t b = u % blocks, key_head = u / blocks / heads_blocks, part = u / blocks % heads_blocks;
        const bool second = b >= text_blocks;
        const index_t first = (second ? b - text_blocks : b) * each, rest = (second ? visual : text) - first;
        const token_order order = !mixed ? token_order::all : second ? token_order::visual : token_order::text;
        const index_t left = group - part * heads;
        block.run(order, first, rest < each ? rest : each, key_head, key_head * group + part * heads,
                  left < heads ? left : heads);
    }
    return {};
}

}  // namespace attention
POLYROPE_END
