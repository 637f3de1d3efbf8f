#pragma once
// Position cases of the models with audio, from token ids on.

#include "golden/position_cases.hpp"
#include "polyrope/layout/omni_tokens.hpp"
#include "polyrope/layout/tmrope.hpp"

namespace polyrope::test {

inline omni_special_tokens omni_special_of(const json& ids) {
    return {ids.at("vision_start"), ids.at("vision_end"), ids.at("image"), ids.at("video"),
            ids.at("audio_start"),  ids.at("audio_end"),  ids.at("audio")};
}

/// The media of a case, which omni_media points into.
struct omni_case {
    std::vector<patch_grid> images, videos;
    std::vector<seconds_per_grid> seconds;
    std::vector<index_t> mel_frames;
    omni_media media;
    omni_case(const json& c, index_t spatial_merge, audio_token_rule audio_tokens)
        : images(grids_of(c["image_grid_thw"])), videos(grids_of(c["video_grid_thw"])), seconds(videos.size(), {1, 1}) {
        if (c["second_per_grid_ts"].is_array())
            for (std::size_t v = 0; v < videos.size(); ++v)
                seconds[v] = simplest_seconds(c["second_per_grid_ts"][v].get<double>());
        if (c["audio_seqlens"].is_array()) mel_frames = c["audio_seqlens"].get<std::vector<index_t>>();
        media.visual = {images.data(),  static_cast<index_t>(images.size()),
                        videos.data(),  static_cast<index_t>(videos.size()),
                        seconds.data(), spatial_merge};
        media.mel_frames = mel_frames.data();
        media.audio_count = static_cast<index_t>(mel_frames.size());
        media.audio_tokens = audio_tokens;
        media.audio_in_video = c["use_audio_in_video"];
    }
    omni_case(const omni_case&) = delete;
    omni_case& operator=(const omni_case&) = delete;
};

/// Every position case of a file whose two labels agree: positions, deltas and the next three tokens. P is what the
/// reference stores: integers, or sums in float32, which the library keeps in double and rounds once. `filler(case)` is
/// what its padding holds.
template <class P, class Filler>
void check_omni_positions(const std::string& file, const layout::tmrope& layout, audio_token_rule audio_tokens,
                          Filler filler) {
    const json& all = golden(file);
    const omni_special_tokens special = omni_special_of(all["special_tokens"]);
    for (std::size_t i = 0; i < all.at("position_cases").size(); ++i) {
        golden_case one(file, "position_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const json both = {"hf-4.57.6", "hf-5.15.0"};
        for (const auto& [what, entries] : c.at("expected").items()) {
            INFO(what);
            REQUIRE(entries.size() == 1);
            REQUIRE(entries[0]["refs"] == both);
        }
        omni_case given(c, layout.spatial_merge, audio_tokens);
        omni_taken taken;
        const auto rows = plan_rows(
            c,
            [&](const std::int64_t* ids, index_t count, std::size_t) {
                return take_omni_segments(ids, count, special, given.media, taken);
            },
            [&](std::size_t) { return layout; });
        CHECK(taken.visual.images == given.media.visual.image_count);
        CHECK(taken.visual.videos == given.media.visual.video_count);
        CHECK(taken.audios == given.media.audio_count);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const planned_row& row = rows[r];
            const auto ids = c["input_ids"][r].get<std::vector<std::int64_t>>();
            CHECK(check_order(row.plan, ids.data() + row.padding.left, row.padding.tokens, special).ok());
            const json& expected = c["expected"];
            CHECK(compare_positions<P>(one, row, expected["position_ids"][0]["value"], r, filler(c)));
            if (std::is_integral_v<P>)
                CHECK(compare_positions<double>(one, row, expected["position_ids"][0]["value"], r, filler(c)));
            CHECK(one.equal(row.plan.position_delta(), expected["rope_deltas"][0]["value"][r].get<double>()));
            double decoded[9];
            const index_t n = row.padding.tokens;
            REQUIRE(row.plan.fill(token_index{n}, token_index{n + 3}, axis_major(decoded, 3, 3)).ok());
            for (std::size_t k = 0; k < 9; ++k)
                CHECK(one.equal(decoded[k], expected["decode_next_3"][0]["value"][r][k % 3].get<double>()));
        }
    }
}

}  // namespace polyrope::test
