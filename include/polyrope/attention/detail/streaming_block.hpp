#pragma once
// One block of queries on its way through all keys: they are gathered by kind into tiles of 64, and a running maximum
// and sum replace the softmax over a row. Everything lies in the block itself.

#include <cmath>

#include "polyrope/attention/detail/tile.hpp"
#include "polyrope/attention/operands.hpp"
#include "polyrope/core/exponential.hpp"

POLYROPE_BEGIN
namespace detail {

inline constexpr index_t widest_head = 256;

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
    static constexpr index_t tile = 64, most_rows = 128, padded_rows = 132, widest = widest_head;
    static constexpr index_t ahead = 6;  // rows fetched early

    streaming_block(const position_plan& plan, coordinate_selection which, const attention_region& region,
                    const attention_operands<T>& in, const attention_output& out, const attention_options& options,
                    cpu::level use) noexcept
        : plan_(plan),
          which_(which),
          region_(region),
          in_(in),
          out_(out),
          options_(options),
          kernels_(cpu::detail::tile_kernels_of(use)) {
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

    // Rows of other heads lie between, often a page of them: the processor does not foresee the next row.
    static void fetch(const T* row, index_t channels) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        for (index_t c = 0; c < channels; c += 64 / static_cast<index_t>(sizeof(T))) __builtin_prefetch(row + c);
#else
        static_cast<void>(row), static_cast<void>(channels);
#endif
    }

    void walk_keys(token_order order, bool second) noexcept {
        index_t visual = 0, filled = 0;
        kind_runs runs(plan_, {region_.keys.begin, token_index{region_.keys.begin.value + end_}});
        for (kind_run run; runs.next(run);) {
            const index_t size = run.tokens.size(), begin = run.tokens.begin.value - region_.keys.begin.value;
            for (index_t i = 0; holds(order, run.kind) && i < size; ++i) {
                key_[filled] = begin + i;
                const auto key_at = [&](index_t token) {
                    return second ? in_.visual_k.at(visual + token, key_head_) : in_.k.at(begin + token, key_head_);
                };
                if (i + ahead < size) {
                    fetch(key_at(i + ahead), in_.k.head_dim);
                    fetch(in_.v.at(begin + i + ahead, key_head_), in_.v.head_dim);
                }
                const T* const k = key_at(i);
                const T* const v = in_.v.at(begin + i, key_head_);
                for (index_t c = 0; c < in_.k.head_dim; ++c) keys_[c * tile + filled] = widened(k[c]);
                if constexpr (std::is_same_v<T, float>)
                    std::memcpy(values_ + filled * widest, v, static_cast<std::size_t>(in_.v.head_dim) * sizeof(float));
                else
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
POLYROPE_END
