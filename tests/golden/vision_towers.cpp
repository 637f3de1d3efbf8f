// Vision encoders: the order of patches and windows, and queries and keys turned in each style. Where a file stores no
// frequencies, they are the library's own.

#include "golden/rotation_cases.hpp"
#include "polyrope/layout/window_order.hpp"
#include "polyrope/preset/vision/gemma4.hpp"
#include "polyrope/preset/vision/hw_halves.hpp"
#include "polyrope/preset/vision/kimi_k25.hpp"
#include "polyrope/preset/vision/llama4.hpp"
#include "polyrope/preset/vision/minimax_m3.hpp"
#include "polyrope/preset/vision/muse_glimmer.hpp"
#include "polyrope/preset/vision/pixtral.hpp"

using namespace polyrope;
using namespace polyrope::test;
namespace vision = preset::vision;

namespace {

const std::string file = "models/vision_towers.json";

std::vector<patch_grid> grids_of(const json& list) {
    std::vector<patch_grid> all;
    for (const json& g : list) all.push_back({g.at(0).get<index_t>(), g.at(1).get<index_t>(), g.at(2).get<index_t>()});
    return all;
}
index_t size_of(const std::vector<patch_grid>& grids) { return static_cast<index_t>(grids.size()); }

/// Positions [t, h, w] of all tokens, one row per axis.
std::vector<std::int32_t> positions_of(const patch_order& order, const std::vector<patch_grid>& grids) {
    const auto tokens = order.count(grids.data(), size_of(grids));
    REQUIRE(tokens.ok());
    std::vector<std::int32_t> at(static_cast<std::size_t>(3 * *tokens));
    REQUIRE(order.fill(grids.data(), size_of(grids), axis_major(at.data(), 3, *tokens)).ok());
    return at;
}

void compare_row(golden_case& one, const std::vector<std::int32_t>& at, int axis, const json& right) {
    REQUIRE(at.size() == 3 * right.size());
    std::int64_t wrong = 0;
    for (std::size_t n = 0; n < right.size(); ++n)
        wrong += at[static_cast<std::size_t>(axis) * right.size() + n] != right[n].get<std::int32_t>() ? 1 : 0;
    CHECK(one.compared(static_cast<std::int64_t>(right.size()), wrong));
}

template <class Style>
result<vision::tower> tower_of(const Style& style, const json& c) {
    if (!c.contains("inv_freq")) return style.make();
    const auto stored = c["inv_freq"].get<std::vector<float>>();
    return style.make(
        spectrum::per_axis{spectrum::explicit_frequencies{stored.data(), static_cast<index_t>(stored.size())}});
}

result<vision::tower> tower_of(const json& c) {
    const std::string style = c.at("style");
    const auto head_dim = c.at("head_dim").get<index_t>();
    const auto theta = c.at("rope_theta").get<double>();
    const index_t merge = c.value("spatial_merge_size", index_t{1});
    if (style == "hw_halves_neox") return tower_of(vision::hw_halves{head_dim, merge, theta}, c);
    if (style == "pixtral") return vision::pixtral{head_dim, theta}.make();
    if (style == "llama4_vision") return tower_of(vision::llama4{head_dim, theta}, c);
    if (style == "split_halves_each_neox") return tower_of(vision::gemma4{head_dim, theta}, c);
    if (style == "wh_alternating_neox") return tower_of(vision::kimi_k25{head_dim, theta}, c);
    if (style == "w_then_h_halves_neox_positions_plus_one") return tower_of(vision::muse_glimmer{head_dim, theta}, c);
    REQUIRE(style == "thw_bands_neox_tail_pass");
    const vision::minimax_m3 bands{head_dim, merge, theta};
    CHECK(2 * bands.band() == c.at("axis_dim").get<index_t>());
    return tower_of(bands, c);
}

/// The grids of a case, from whatever it states.
std::vector<patch_grid> media_of(const json& c) {
    if (c.contains("grid_thw")) return grids_of(c["grid_thw"]);
    std::vector<patch_grid> all;
    if (c.contains("image_patch_grids")) {
        for (const json& g : c["image_patch_grids"]) all.push_back({1, g.at(0).get<index_t>(), g.at(1).get<index_t>()});
    } else if (c.contains("patches_per_side")) {
        const auto side = c["patches_per_side"].get<index_t>();
        all.push_back({1, side, side});
    } else {
        all.push_back({1, c.at("axis1").back().get<index_t>() + 1, c.at("axis0").back().get<index_t>() + 1});
    }
    return all;
}

}  // namespace

TEST_CASE("golden: patches sit where transformers puts them, and segments end there") {
    for (std::size_t i = 0; i < golden(file).at("patch_position_cases").size(); ++i) {
        golden_case one(file, "patch_position_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto grids = grids_of(c["grid_thw"]);
        const patch_order order{c["spatial_merge_size"].get<index_t>()};
        const auto at = positions_of(order, grids);
        compare_row(one, at, 1, c["h"]);
        compare_row(one, at, 2, c["w"]);
        const auto segments = segment_count(order, grids.data(), size_of(grids), attention_span::per_frame);
        std::vector<std::int32_t> ends(static_cast<std::size_t>(*segments + 1));
        REQUIRE(
            fill_segments(order, grids.data(), size_of(grids), attention_span::per_frame, ends.data(), *segments + 1)
                .ok());
        CHECK(one.equal(ends, c["cu_seqlens"].get<std::vector<std::int32_t>>()));
    }
    golden_case one(file, "patch_position_cases_3d", 0);
    const json& c = one.data();
    const auto at = positions_of({c["spatial_merge_size"].get<index_t>()}, grids_of(c["grid_thw"]));
    compare_row(one, at, 0, c["t"]);
    compare_row(one, at, 1, c["h"]);
    compare_row(one, at, 2, c["w"]);
}

TEST_CASE("golden: windows are those of transformers") {
    for (std::size_t i = 0; i < golden(file).at("window_index_cases").size(); ++i) {
        golden_case one(file, "window_index_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto grids = grids_of(c["grid_thw"]);
        const auto order = window_order::of_pixels(c["window_size"].get<index_t>(), c["patch_size"].get<index_t>(),
                                                   c["spatial_merge_size"].get<index_t>());
        const auto all = order.count(grids.data(), size_of(grids));
        REQUIRE(all.ok());
        std::vector<std::int32_t> cells(static_cast<std::size_t>(all->cells)),
            ends(static_cast<std::size_t>(all->windows + 1));
        REQUIRE(order.fill(grids.data(), size_of(grids), cells.data(), all->cells, ends.data(), all->windows + 1).ok());
        const auto index = c["window_index"].get<std::vector<std::int32_t>>(),
                   lengths = c["cu_window_seqlens"].get<std::vector<std::int32_t>>();
        CHECK(one.compared(static_cast<std::int64_t>(index.size()), cells == index ? 0 : 1));
        CHECK(one.compared(static_cast<std::int64_t>(lengths.size()), ends == lengths ? 0 : 1));
    }
}

TEST_CASE("golden: every style of tower turns queries and keys as its reference does") {
    std::int64_t told_apart = 0;
    for (std::size_t i = 0; i < golden(file).at("rotation_cases").size(); ++i) {
        golden_case one(file, "rotation_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto tower = tower_of(c);
        INFO(to_string(tower.error()).c_str());
        REQUIRE(tower.ok());
        const auto at = positions_of(tower->order, media_of(c));
        if (c.contains("axis0")) {
            compare_row(one, at, 2, c["axis0"]);
            compare_row(one, at, 1, c["axis1"]);
        }
        told_apart += check_tower(one, tower->frequencies, tower->round, at);
        if (!c.contains("cos")) continue;
        json tokens;
        const std::size_t count = at.size() / 3;
        for (std::size_t n = 0; n < count; ++n)
            tokens.push_back(
                {{"pos", {at[n], at[count + n], at[2 * count + n]}}, {"cos", c["cos"][n]}, {"sin", c["sin"][n]}});
        check_cosines_and_sines(one, make_rotary(tower->frequencies, {phase::float32, tower->round}).value(), tokens);
    }
    CHECK(told_apart > 0);
}

TEST_CASE("the original weights of Pixtral turn alike, neighbour with neighbour") {
    const auto halves = vision::pixtral{}.make(), neighbours = vision::pixtral{64, 1e4, pairing::adjacent}.make();
    CHECK(neighbours->frequencies.paired() == pairing::adjacent);
    for (index_t l = 0; l < 32; ++l) {
        CHECK(neighbours->frequencies.at(0, l).which == halves->frequencies.at(0, l).which);
        CHECK(neighbours->frequencies.at(0, l).inv_freq == halves->frequencies.at(0, l).inv_freq);
    }
}
