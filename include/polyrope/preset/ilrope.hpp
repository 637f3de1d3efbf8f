#pragma once
// IL-RoPE of Mogao, arXiv:2505.05472, which has no public code: the axes take turns, a quarter of the pairs for rows
// and for columns, and text stands at (t, 0, 0). The port in JJJYmmm/Multimodal-RoPEs cd413b9 keeps text on the
// diagonal, goes on past the larger side and has sections 24, 20, 20; its tables and positions are what this is tested
// against.
//
//     thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttttttttttttttt     theta 1e6
//     thwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwthwtttt     the port, theta 1e6

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct ilrope {
    double theta = 1e6;
    index_t rotary_dim = 128;
    thw sections = allocation::quarters(64);  ///< pairs
    index_t spatial_merge = 2;
    layout::text_axes words = layout::text_axes::time_alone;
    layout::step_behind behind = layout::step_behind::one;

    /// Multimodal-RoPEs' form.
    [[nodiscard]] static constexpr ilrope port() noexcept {
        ilrope p;
        p.sections = {24, 20, 20};
        p.words = layout::text_axes::diagonal;
        p.behind = layout::step_behind::larger_side;
        return p;
    }

    [[nodiscard]] layout::ilrope layout() const noexcept { return {spatial_merge, words, behind}; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::ilrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::interleaved{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::ilrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
