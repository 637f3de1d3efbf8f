#pragma once
// Attention under a coordinate selection without a matrix of scores: keys come in tiles of 64 of one kind, so that each
// tile has one bank, and a running maximum and sum replace the softmax over a row. Milakov and Gimelshein,
// arXiv:1805.02867. Tested against attention/reference.hpp.
//
//     text(2), image [1, 1, 3], text(2)      query blocks t t t t | v v v      key tiles t t t t | v v v
//
// Sums in float32. Scratch is below 1 MiB of stack, whatever the length; nothing is allocated.

#include <cmath>

#include "polyrope/attention/detail/tile.hpp"
#include "polyrope/attention/operands.hpp"
#include "polyrope/core/exponential.hpp"
#include "polyrope/core/partition.hpp"

POLYROPE_BEGIN
namespace attention {

/// How a streaming call runs: worker `part.ith` of `part.nth` takes its share of the blocks. Any partition and any level
/// give the same bits.
struct streaming_options {
    attention_options attend{};
    partition part{};
    cpu::level use = cpu::level::automatic;
};

/// Widest head and widest row of values.
inline constexpr index_t streaming_channels = 256;

}  // namespace attention

namespace detail {

template <class T>
[[nodiscard]] float widened(T x) noexcept {
    if constexpr (element_traits<T>::kind == element::float32) return x;
    else if constexpr (element_traits<T>::kind == element::bfloat16)
        return bit_copy<float>(static_cast<std::uint32_t>(bit_copy<std::uint16_t>(x)) << 16);
    else return float16_value(bit_copy<std::uint16_t>(x));
}

/// One block of queries of one order against all keys that it sees.
template <class T>
class streaming_block {
public:
    static constexpr index_t tile = 64, most_rows = 128, padded_rows = 132, widest = attention::streaming_channels;

    streaming_block(const position_plan& plan, coordinate_selection which, const attention_region& region,
                    const attention_operands<T>& in, const attention_output& out,
                    const attention::streaming_options& options) noexcept
        : plan_(plan),
          which_(which),
          region_(region),
          in_(in),
          out_(out),
          options_(options.attend),
          kernels_(cpu::detail::tile_kernels_of(options.use)) {
        channels_ = (in.v.head_dim + tile - 1) / tile * tile;
        const double scale =
            options_.scale > 0.0 ? options_.scale : opaque(1.0 / opaque(std::sqrt(static_cast<double>(in.q.head_dim))));
        const double cap = options_.soft_cap;
        map_.scale = static_cast<float>(cap > 0.0 ? opaque(scale / cap) : opaque(scale * log2_e));
        map_.cap = static_cast<float>(opaque(cap * log2_e));
    }

    /// Queries of a block where `heads` heads share a key.
    [[nodiscard]] static index_t queries_of(index_t heads) noexcept { return most_rows / heads; }

    void run(token_order order, index_t first, index_t count, index_t key_head, index_t head, index_t heads) noexcept {
        heads_ = heads;
        head_ = head;
        key_head_ = key_head;
        rows_ = count * heads;
        find_queries(order, first, count);
        for (index_t r = 0; r < padded_rows; ++r) highest_[r] = -3e38f;
        std::memset(sums_, 0, sizeof(sums_));
        std::memset(output_, 0, sizeof(output_));
        for (const token_order keys : {token_order::text, token_order::visual}) {
            if (!which_.is_mixed() && keys == token_order::visual) break;
            const bool second = which_.is_mixed() && order == token_order::visual && keys == token_order::visual;
            load_queries(second);
            walk_keys(which_.is_mixed() ? keys : token_order::all, second);
        }
        finish();
    }

private:
    static constexpr double log_2 = 0.6931471805599453, log2_e = 1.4426950408889634;

    void find_queries(token_order order, index_t first, index_t count) noexcept {
        index_t seen = 0, visual = 0, found = 0;
        kind_runs runs(plan_, {region_.queries.begin, region_.keys.end}, run_border::segment);
        for (kind_run run; found < count && runs.next(run);) {
            const bool is_visual = run.kind == modality::visual, kept = holds(order, run.kind);
            const index_t size = run.tokens.size();
            for (index_t i = kept && first > seen ? first - seen : 0; kept && i < size && found < count; ++i) {
                const index_t n = run.tokens.begin.value + i;
                query_[found] = n - region_.queries.begin.value;
                visual_query_[found] = visual + i;
                const bool whole = options_.sees == visibility::whole_image && is_visual;
                limit_[found++] = (whole ? run.tokens.end.value : n + 1) - region_.keys.begin.value;
            }
            seen += kept ? size : 0;
            visual += is_visual ? size : 0;
        }
        end_ = 0;
        for (index_t i = 0; i < count; ++i) end_ = limit_[i] > end_ ? limit_[i] : end_;
    }

    void load_queries(bool second) noexcept {
        std::memset(queries_, 0, sizeof(queries_));
        for (index_t r = 0; r < rows_; ++r) {
            const index_t i = r / heads_, m = head_ + r % heads_;
            const T* const from = second ? in_.visual_q.at(visual_query_[i], m) : in_.q.at(query_[i], m);
            for (index_t c = 0; c < in_.q.head_dim; ++c) queries_[r * widest + c] = widened(from[c]);
        }
    }

    void walk_keys(token_order order, bool second) noexcept {
        index_t visual = 0, filled = 0;
        kind_runs runs(plan_, {region_.keys.begin, token_index{region_.keys.begin.value + end_}});
        for (kind_run run; runs.next(run);) {
            const index_t size = run.tokens.size(), begin = run.tokens.begin.value - region_.keys.begin.value;
            for (index_t i = 0; holds(order, run.kind) && i < size; ++i) {
                key_[filled] = begin + i;
                const T* const k = second ? in_.visual_k.at(visual + i, key_head_) : in_.k.at(begin + i, key_head_);
                const T* const v = in_.v.at(begin + i, key_head_);
                for (index_t c = 0; c < in_.k.head_dim; ++c) keys_[c * tile + filled] = widened(k[c]);
                for (index_t c = 0; c < in_.v.head_dim; ++c) values_[filled * widest + c] = widened(v[c]);
                for (index_t c = in_.v.head_dim; c < channels_; ++c) values_[filled * widest + c] = 0.0f;
                if (++filled == tile) attend(filled), filled = 0;
            }
            visual += run.kind == modality::visual ? size : 0;
        }
        if (filled > 0) attend(filled);
    }

    void attend(index_t filled) noexcept {
        for (index_t c = 0; filled < tile && c < in_.k.head_dim; ++c)
            for (index_t j = filled; j < tile; ++j) keys_[c * tile + j] = 0.0f;
        const index_t rows = (rows_ + 5) / 6 * 6;
        kernels_.product(queries_, widest, keys_, tile, scores_, tile, rows, tile, in_.q.head_dim, false);
        for (index_t r = 0; r < rows; ++r) {
            float* const row = scores_ + r * tile;
            index_t visible = 0;
            if (r < rows_)
                for (visible = filled; visible > 0 && key_[visible - 1] >= limit_[r / heads_];) --visible;
            if (visible == 0) {
                std::memset(row, 0, tile * sizeof(float));
                continue;
            }
            kernels_.softmax_row(row, static_cast<int>(visible), map_, highest_[r], sums_ + r * 16,
                                 output_ + r * widest, channels_);
        }
        kernels_.product(scores_, tile, values_, widest, output_, widest, rows, channels_, filled, true);
    }

    void finish() noexcept {
        for (index_t r = 0; r < rows_; ++r) {
            const index_t n = query_[r / heads_], m = head_ + r % heads_;
            double sum = 0.0;
            for (index_t l = 0; l < 16; ++l) sum = opaque(sum + static_cast<double>(sums_[r * 16 + l]));
            const auto inverse = static_cast<float>(opaque(1.0 / sum));
            float* const to = out_.out.at(n, m);
            for (index_t c = 0; c < in_.v.head_dim; ++c) to[c] = output_[r * widest + c] * inverse;
            if (out_.log_sum_exp != nullptr)
                out_.log_sum_exp[n * out_.out.heads + m] =
                    static_cast<float>(opaque(static_cast<double>(highest_[r]) * log_2) +
                                       static_cast<double>(scalar::log(static_cast<float>(sum))));
        }
    }

    const position_plan& plan_;
    coordinate_selection which_;
    attention_region region_;
    attention_operands<T> in_;
    attention_output out_;
    attention_options options_;
    cpu::detail::tile_kernels kernels_;
    cpu::detail::score_map map_{};
    index_t channels_ = 0, heads_ = 0, head_ = 0, key_head_ = 0, rows_ = 0, end_ = 0;
    index_t query_[most_rows], visual_query_[most_rows], limit_[most_rows], key_[tile];
    float highest_[padded_rows], sums_[padded_rows * 16];
    float queries_[padded_rows * widest], output_[padded_rows * widest], scores_[padded_rows * tile];
    float keys_[widest * tile], values_[tile * widest];
};

}  // namespace detail

namespace attention {

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
    detail::streaming_block<T> block(plan, which, region, in, out, options);
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
