#pragma once
// MM-RoPE of Lumos-1, arXiv:2507.08801. Tested against alibaba-damo-academy/Lumos f7c9cd2. The port in
// JJJYmmm/Multimodal-RoPEs cd413b9 is M-RoPE with steps in place of a shared grid, and its pattern repeats over eight
// pairs; its default steps are 1, and 4, 8, 8 imitate Lumos.
//
//     tttthhwwhhwwhhwwtttthhwwhhwwhhwwtttthhwwhhwwhhwwtttthhwwhhwwhhww     theta 1e4
//     tthwhwhwtthwhwhwtthwhwhwtthwhwhwtthwhwhwtthwhwhwtthwhwhwtthwhwhw     the port, theta 1e6

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/layout/mmrope.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct mmrope {
    double theta = 1e4;
    index_t rotary_dim = 128;  ///< a multiple of 32
    layout::mmrope grids{};

    [[nodiscard]] layout::mmrope layout() const noexcept { return grids; }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mmrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::mm_rope, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mmrope>> make() const { return make(spectrum::geometric{theta}); }
};

struct mmrope_port {
    double theta = 1e6;
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    double frame_step = 1.0, row_step = 1.0, column_step = 1.0;  ///< positions

    [[nodiscard]] layout::mrope layout() const noexcept {
        layout::mrope grids{spatial_merge, stride(frame_step)};
        grids.row_step = row_step;
        grids.column_step = column_step;
        return grids;
    }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::mrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::mm_rope_by_pair, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::mrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
