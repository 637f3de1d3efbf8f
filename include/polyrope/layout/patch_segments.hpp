#pragma once
// Which tokens of a vision encoder attend to each other: those of one frame, or those of one medium (a clip, as
// Kimi-K2.5 does). Written as the cumulative lengths that attention kernels take (cu_seqlens). Tested against Hugging
// Face transformers v5.15.0, get_vision_cu_seqlens (commit 5eddc12).
//
//     grids 1x2x3 and 2x3x1, per_frame:    0 6 9 12
//                            per_medium:   0 6 12
//
//     const auto segments = segment_count(order, grids, images, attention_span::per_frame);
//     std::vector<std::int32_t> ends(*segments + 1);
//     fill_segments(order, grids, images, attention_span::per_frame, ends.data(), *segments + 1);

#include "polyrope/layout/patch_order.hpp"

POLYROPE_BEGIN

enum class attention_span : std::uint8_t { per_frame, per_medium };

/// Segments of all grids; their cumulative lengths are one number more.
[[nodiscard]] inline result<index_t> segment_count(const patch_order& order, const patch_grid* grids,
                                                   index_t grid_count, attention_span span) noexcept {
    detail::patch_sums sums;
    index_t tokens = 0;
    if (const status s = order.check(grids, grid_count, sums, tokens); !s.ok()) return s;
    return span == attention_span::per_frame ? sums.frames : grid_count;
}

/// Writes the cumulative lengths in tokens, class tokens included, from 0 to all of them.
template <class I>
status fill_segments(const patch_order& order, const patch_grid* grids, index_t grid_count, attention_span span, I* out,
                     index_t entries) noexcept {
    detail::patch_sums sums;
    index_t tokens = 0;
    if (const status s = order.check(grids, grid_count, sums, tokens); !s.ok()) return s;
    const bool by_frame = span == attention_span::per_frame;
    if (const status s = detail::check_output(out, entries, (by_frame ? sums.frames : grid_count) + 1, tokens); !s.ok())
        return s;
    index_t end = 0;
    *out++ = 0;
    for (index_t i = 0; i < grid_count; ++i) {
        const patch_grid& g = grids[i];
        const index_t frame = g.rows * g.columns + order.extra.before + order.extra.after;
        for (index_t f = 0; f < (by_frame ? g.frames : 1); ++f) {
            end += by_frame ? frame : g.frames * frame;
            *out++ = static_cast<I>(end);
        }
    }
    return {};
}

POLYROPE_END
