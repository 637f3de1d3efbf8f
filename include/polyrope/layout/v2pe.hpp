#pragma once
// V2PE: one sequence in which a visual token takes less than a whole position. A medium is spread over a span; its i-th
// token stands i steps behind the text before it, and text goes on at the next whole position but one step of its own.
// Ge et al., "V2PE: Improving Multimodal Long-Context Capability of Vision-Language Models with Variable Visual
// Position Encoding", arXiv:2412.09616. Tested against OpenGVLab/V2PE f96f189, where the span is that of a tile (a
// frame of the grid), and JJJYmmm/Multimodal-RoPEs cd413b9, where it is that of the whole block. Both keep positions in
// float32 and make them with a range whose length is rounded: it may hold a token too many, and neighbours meet in long
// prompts. Here positions are float64, one per token; only where text goes on is read from the float32 value, as there.
//
//     v2pe{1, 2}: text(2), image [1, 2, 2], text(2)    next 6, delta -2
//     t  0 1 1.5 2 2.5 3 4 5
//
//     v2pe{1, 1}: text(2), image [2, 1, 2], text(2)    next 6, delta -2
//     t  0 1 1.5 2 2.5 3 4 5
//
//     v2pe{1, 1, span_of::block}: text(2), image [2, 1, 2], text(2)    next 5, delta -3
//     t  0 1 1.25 1.5 1.75 2 3 4

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/media.hpp"
#include "polyrope/layout/neutral_point.hpp"

POLYROPE_BEGIN
namespace layout {

/// What takes up a span.
enum class span_of : std::uint8_t {
    tile,   ///< each frame of a grid: the method's code, which cuts an image into tiles
    block,  ///< all tokens of a medium together: the port
};

struct v2pe {
    index_t spatial_merge;  ///< patches per token, along rows and along columns
    double span;            ///< positions, where a segment does not state its own: tokens times the paper's delta
    span_of of = span_of::tile;
    int axis_count = 1;
    neutral_point neutral = neutral_point::none;

    struct cursor {
        double next = 0.0;
    };

    [[nodiscard]] int axes() const noexcept { return axis_count; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }
    /// A sum in float64 may end just above a whole number that float32 holds.
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }

    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return words(s.count, at, builder);
        token_grid grid;
        medium_extras reads;
        reads.span = true;
        if (!grid_of(s, spatial_merge, grid, builder, reads)) return at;
        const double positions = s.span != 0.0 ? s.span : span;
        if (!(detail::is_in_range(positions) && positions > 0.0)) return builder.refuse(errc::span_invalid), at;
        for_each_block(s, grid, builder, [&](const token_grid& block, index_t gap) {
            const index_t per_tile = block.rows * block.columns, tokens = block.frames * per_tile;
            const bool by_tile = of == span_of::tile;
            const double tiles = by_tile ? static_cast<double>(block.frames) : 1.0;
            const double shared = detail::opaque(static_cast<double>(by_tile ? per_tile : tokens));
            const double step = detail::opaque(positions / shared), last = detail::opaque(at.next - 1.0);
            const double first = position_after(last, step, 1.0);
            // From the span, not from steps: their rounding would show where the sum is zero.
            const double end = detail::opaque(last + detail::opaque(positions * tiles));
            builder.grid({1, 1, tokens}, [&](placement& p) {
                p.has_neutral = neutral == neutral_point::segment_start;
                for (int a = 0; a < axis_count; ++a) {
                    p.map[a].origin = p.neutral[a].origin = first;
                    p.map[a].per_column = step;
                }
            });
            if (!builder.ok()) return;
            at = words(gap, {behind(end)}, builder);
        });
        return at;
    }

private:
    [[nodiscard]] static cursor words(index_t count, cursor at, plan_builder& builder) {
        builder.text(at.next, 1.0, count);
        return {position_after(at.next, 1.0, static_cast<double>(count))};
    }

    /// One past the float32 value of the last token at `end`, rounded up. Where float32 does not hold every whole
    /// number, never before the token itself.
    [[nodiscard]] static double behind(double end) noexcept {
        const double rounded = static_cast<double>(detail::opaque(static_cast<float>(end)));
        const auto cut = static_cast<index_t>(rounded), own = static_cast<index_t>(end);
        const index_t up = static_cast<double>(cut) < rounded ? cut + 1 : cut;
        return static_cast<double>((up > own ? up : own) + 1);
    }
};

}  // namespace layout
POLYROPE_END
