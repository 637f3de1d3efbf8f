#pragma once
// A published variant by name: where tokens sit and which axis turns a pair, how fast, in one value. A preset is a
// struct of the numbers that its paper or its code publishes, and `make` composes them; its layout's own switches stay
// within reach, `make(spectrum)` takes another spectrum.
//
//     const auto v = preset::videorope{}.make();
//     if (!v) return v.error();
//     auto plan = make_plan(v->layout, segments, count);
//     auto rope = make_rotary(v->frequencies);

#include <utility>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/layout/is_layout.hpp"

POLYROPE_BEGIN

template <class Layout>
struct variant {
    Layout layout{};
    frequency_table frequencies{};
};

/// Composes a variant from its parts, checked.
template <class Layout, class Allocation, class Spectrum>
[[nodiscard]] result<variant<Layout>> make_variant(const Layout& layout, const Allocation& allocation,
                                                   const Spectrum& spectrum, index_t rotary_dim,
                                                   pairing paired = pairing::half_split) {
    static_assert(is_layout_v<Layout>,
                  "make_variant needs a layout policy: polyrope/layout/is_layout.hpp lists its members");
    result<frequency_table> table = make_frequency_table(allocation, spectrum, rotary_dim, paired);
    if (!table) return table.error();
    return variant<Layout>{layout, *std::move(table)};
}

POLYROPE_END
