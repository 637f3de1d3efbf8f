#pragma once
// What the attention layers of a vision encoder need from this library, in one value. A style is a struct whose fields
// are those of the model's vision_config and whose `make` composes them; hw_halves.hpp is the pattern.
//
//     const auto tower = preset::vision::qwen2_vl.make();
//     const auto rope = make_rotary(tower->frequencies, {phase::float32, tower->round});     // bit for bit the reference
//     const auto patches = tower->order.count(grids, images);
//     tower->order.fill(grids, images, axis_major(at, 3, *patches));                         // at [3, patches]: t, h, w
//     cpu::rotate(*rope, axis_major(at, 3, *patches), q, k);                                 // once per layer

#include <utility>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/patch_order.hpp"
#include "polyrope/layout/patch_segments.hpp"
#include "polyrope/rotary/rounding.hpp"

POLYROPE_BEGIN

namespace preset {
namespace vision {

struct tower {
    patch_order order{};
    attention_span span = attention_span::per_frame;
    rounding round = rounding::float32_unfused;  ///< where the reference rounds
    frequency_table frequencies{};               ///< over positions t, h, w
};

/// Composes a tower from its parts, checked.
template <class Allocation, class Spectrum>
[[nodiscard]] result<tower> make_tower(const patch_order& order, attention_span span, rounding round,
                                       const Allocation& allocation, const Spectrum& spectrum, index_t rotary_dim,
                                       pairing paired) {
    result<frequency_table> table = make_frequency_table(allocation, spectrum, rotary_dim, paired);
    if (!table) return table.error();
    return tower{order, span, round, *std::move(table)};
}

}  // namespace vision
}  // namespace preset

POLYROPE_END
