#pragma once
// The layouts that attention is tested under, each with an allocation and a prompt of images and a video.

#include "polyrope/layout/tmrope.hpp"
#include "variants.hpp"

namespace polyrope::test {

struct one_layout {
    variants::variant variant;
    std::vector<segment> prompt;
};

/// Every variant of the gallery, and layouts and prompts that it does not draw.
inline std::vector<one_layout> all_layouts() {
    const std::vector<segment> images = {
        text(5), image(token_grid{1, 5, 6}), text(4), video(token_grid{2, 3, 4}, untimed), image(token_grid{1, 3, 4}),
        text(4)};
    std::vector<segment> gaps = images, heard = images;
    gaps[3] = with_gap(gaps[3], 2);
    heard[3] = with_audio(video(token_grid{3, 2, 3}, seconds_per_grid{1, 2}), 9);
    heard.push_back(audio(3));

    std::vector<one_layout> all;
    for (variants::variant& v : variants::all()) all.push_back({std::move(v), images});
    const allocation::chunked chunked{thw{16, 24, 24}};
    const auto add = [&](const char* name, const auto& layout, const auto& allocation,
                         const std::vector<segment>& prompt) {
        all.push_back({variants::of(name, layout, allocation), prompt});
    };
    layout::mrope apart{1};
    apart.video = layout::video_form::frame_by_frame;
    add("MRoPE, frames apart", apart, chunked, gaps);
    add("IL-RoPE, time alone", layout::ilrope{1, layout::text_axes::time_alone, layout::step_behind::larger_side},
        chunked, images);
    add("Circle-RoPE, frames apart", layout::circle_rope{1, {}, layout::ring_video::frame_by_frame}, chunked, gaps);
    add("TMRoPE by chunks", layout::tmrope{1, floored_time_float32(4)}, chunked, heard);
    add("TMRoPE by time",
        layout::tmrope{1, real_time_float32(5), layout::audio_order::by_time, layout::span_markers::consecutive},
        chunked, heard);
    const auto start = layout::neutral_point::segment_start;
    add("vanilla, told its points", layout::sequential{1, 1, start}, allocation::single_axis{}, images);
    add("V2PE, told its points", layout::v2pe{1, 4.0, layout::span_of::tile, 1, start}, allocation::single_axis{},
        images);
    add("TAD-RoPE, told its points", layout::tad_rope{1, 1, start}, allocation::single_axis{}, images);
    return all;
}

}  // namespace polyrope::test
