#pragma once
// Omni-RoPE of OmniGen2, arXiv:2506.18871: text on the diagonal, then reference images, then the target, each with one
// time and rows and columns from zero; three spectra, each from its first frequency, on adjacent channels. Tested
// against VectorSpaceLab/OmniGen2 0f72fa9. The port in JJJYmmm/Multimodal-RoPEs cd413b9 has one spectrum in chunks, on
// channels half a head apart. `words` = time_alone is the text at (t, 0, 0) that surveys describe.
//
//     tttttttttttttttttttthhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwww         theta 1e4
//     tttttttttttttttthhhhhhhhhhhhhhhhhhhhhhhhwwwwwwwwwwwwwwwwwwwwwwww     the port, theta 1e6

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/preset/variant.hpp"

POLYROPE_BEGIN

namespace preset {

struct omnirope {
    double theta = 1e4;
    thw sections{20, 20, 20};  ///< pairs
    index_t rotary_dim = 120;
    index_t spatial_merge = 2;  ///< latents per token, along rows and along columns
    layout::text_axes words = layout::text_axes::diagonal;

    [[nodiscard]] layout::ilrope layout() const noexcept {
        return {spatial_merge, words, layout::step_behind::larger_side};
    }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::ilrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::chunked{sections}, spectrum, rotary_dim, pairing::adjacent);
    }
    [[nodiscard]] result<variant<layout::ilrope>> make() const {
        return make(spectrum::per_axis{spectrum::geometric{theta}});
    }
};

struct omnirope_port {
    double theta = 1e6;
    thw sections{16, 24, 24};  ///< pairs
    index_t rotary_dim = 128;
    index_t spatial_merge = 2;
    layout::text_axes words = layout::text_axes::diagonal;
    double frame_step = 1.0;

    [[nodiscard]] layout::ilrope layout() const noexcept {
        return {spatial_merge, words, layout::step_behind::larger_side, frame_step};
    }

    template <class Spectrum>
    [[nodiscard]] result<variant<layout::ilrope>> make(const Spectrum& spectrum) const {
        return make_variant(layout(), allocation::chunked{sections}, spectrum, rotary_dim);
    }
    [[nodiscard]] result<variant<layout::ilrope>> make() const { return make(spectrum::geometric{theta}); }
};

}  // namespace preset

POLYROPE_END
