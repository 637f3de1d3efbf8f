#pragma once
// The variants that the gallery draws and the measures are printed for, each a
// layout and an allocation. One line adds one; nothing else knows their number.

#include <functional>
#include <string>
#include <vector>

#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/layout/mmrope.hpp"
#include "polyrope/layout/neutral.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/layout/v2pe.hpp"
#include "polyrope/layout/videorope.hpp"
#include "polyrope/layout/xdrope.hpp"
#include "polyrope/polyrope.hpp"

namespace variants {

using namespace polyrope;

constexpr double theta = 1e6;        // of every variant but those that say another, so
                                     // that pictures compare
constexpr index_t rotary_dim = 128;  // likewise, in channels

struct variant {
    std::string name;
    std::function<result<position_plan>(const std::vector<segment>&)> plan;
    frequency_table table;
    frequency_table one_dimensional;  // as many pairs and the same theta on one
                                      // axis: what text is held against
};

template <class Layout, class Allocation, class Spectrum = spectrum::geometric>
variant of(const std::string& name, const Layout& layout, const Allocation& allocation,
           const Spectrum& spectrum = {theta}, index_t dim = rotary_dim, double base = theta,
           pairing paired = pairing::half_split) {
    return {name,
            [layout](const std::vector<segment>& prompt) {
                auto plan = make_plan(layout, prompt.data(), static_cast<index_t>(prompt.size()));
                if (plan.error().code != errc::frames_not_placed) return plan;
                std::vector<segment> stills = prompt;  // a layout of images alone: the first frame stands for
                                                       // a video
                for (segment& s : stills)
                    if (s.kind == segment_kind::video) s = image(token_grid{1, s.rows, s.columns});
                return make_plan(layout, stills.data(), static_cast<index_t>(stills.size()));
            },
            make_frequency_table(allocation, spectrum, dim, paired).value(),
            make_frequency_table(allocation::single_axis{}, spectrum::geometric{base}, dim, paired).value()};
}

inline layout::mrope reset() {
    layout::mrope layout{1};
    layout.spatial_reset = true;
    return layout;
}

inline std::vector<variant> all() {
    const allocation::chunked chunked{thw{16, 24, 24}};
    const allocation::interleaved interleaved{thw{24, 20, 20}};
    const layout::ilrope omni{1, layout::text_axes::diagonal, layout::step_behind::larger_side};
    const allocation::spatial_first low_time{thw{16, 24, 24}};
    const allocation::spatial_first still_time{thw{16, 24, 24}, temporal_pairs::still};
    const allocation::chunked four_axes{{{axis::t, 16}, {axis::w, 16}, {axis::h, 16}, {axis::u, 16}}};
    return {
        of("vanilla", layout::sequential{}, allocation::single_axis{}),
        of("MRoPE", layout::mrope{1}, chunked),
        of("MRoPE-I", reset(), interleaved),
        of("MRoPE-I, no reset", layout::mrope{1}, interleaved),
        of("MHRoPE", reset(), allocation::per_head{thw{2, 3, 3}, 8}),
        of("VideoRoPE, delta 2", layout::videorope{1}, low_time),
        of("HoPE, gamma 1.5", layout::hope{1, 1.5}, still_time),
        of("V2PE, span 4", layout::v2pe{1, 4.0}, allocation::single_axis{}),
        of("TAD-RoPE", layout::tad_rope{1}, allocation::single_axis{}),
        of("IL-RoPE", layout::ilrope{1}, allocation::interleaved{allocation::quarters(rotary_dim / 2)}),
        of("Omni-RoPE at theta 1e4", omni, allocation::chunked{thw{20, 20, 20}},
           spectrum::per_axis<spectrum::geometric>{{1e4}}, 120, 1e4, pairing::adjacent),
        of("MM-RoPE", layout::mmrope{}, allocation::mm_rope),
        of("XD-RoPE", layout::xdrope{1}, four_axes),
        of("Circle-RoPE, radius 10", layout::circle_rope{1}, chunked),
        of("neutral MRoPE", layout::neutral<layout::mrope>{{1}}, chunked),
        of("neutral MRoPE-I", layout::neutral<layout::mrope>{reset()}, interleaved),
    };
}

/// System prompt, video, text, image, text, image, text, image, text.
inline std::vector<segment> interleaved_prompt() {
    return {text(3), video(token_grid{4, 3, 4}, untimed), text(2), image(token_grid{1, 4, 5}),
            text(2), image(token_grid{1, 3, 4}),          text(2), image(token_grid{1, 5, 4}),
            text(3)};
}

/// One image and text behind it; the last token is the query.
inline std::vector<segment> one_image(index_t rows, index_t columns, index_t behind) {
    return {text(4), image(token_grid{1, rows, columns}), text(behind)};
}

}  // namespace variants
