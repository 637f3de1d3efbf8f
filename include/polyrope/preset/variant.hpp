#pragma once
// A research variant by name: where its tokens sit and how its pairs turn, in one value. Unlike a model
// (preset/multimodal.hpp) it has no weights, heads or token ids of its own.
//
//     const auto circle = preset::circle_rope{}.make();
//     if (!circle) return circle.error();
//     auto plan = make_plan(circle->layout, segments, count);
//     auto rope = make_rotary(circle->frequencies);

#include <utility>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/make_plan.hpp"

POLYROPE_BEGIN

template <class Layout>
struct variant {
    Layout layout{};
    frequency_table frequencies{};
};

/// Composes a variant from its parts, checked.
template <class Layout, class Allocation, class Spectrum>
[[nodiscard]] result<variant<Layout>> make_variant(const Layout& layout, const Allocation& allocation,
                                                   const Spectrum& spectrum, index_t rotary_dim, pairing paired) {
    result<frequency_table> table = make_frequency_table(allocation, spectrum, rotary_dim, paired);
    if (!table) return table.error();
    return variant<Layout>{layout, *std::move(table)};
}

POLYROPE_END
