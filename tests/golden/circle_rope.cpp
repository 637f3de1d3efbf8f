// Circle-RoPE: the ring of a grid, and positions of the method's own code, its M-RoPE layers and the port.

#include "golden/position_cases.hpp"
#include "polyrope/layout/circle_rope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr const char* file = "research/circle_rope.json";
constexpr double tolerance = 2e-5;  // the references work in float32

/// The reference's parameters, with the defaults of its code.
layout::ring ring_of(const json& params) {
    layout::ring ring;
    ring.radius = layout::fixed_radius(-1);
    if (params.contains("radius") && params["radius"].is_string()) {
        const auto text = params["radius"].get<std::string>();
        REQUIRE(text.rfind("auto", 0) == 0);
        ring.radius = layout::extent_radius(text == "auto" ? 1.0 : std::stod(text.substr(5)));
    } else if (params.contains("radius")) {
        ring.radius = layout::fixed_radius(params["radius"]);
    }
    ring.alpha = params.value("alpha", -1.0);
    ring.centred = params.value("move_to_origin", false);
    if (params.value("method", "circle") == "no_circle") ring.method = layout::ring_method::plane;
    if (params.contains("dff_rate"))
        ring.plane_share = params["dff_rate"] == true ? 1.0 : params["dff_rate"].get<double>();
    if (params.contains("move_to_positive")) {
        const json& to = params["move_to_positive"];
        ring.positive = layout::shifted_to(to == "auto" ? 0.0 : to == true ? 1.0 : to.get<double>());
    }
    return ring;
}

}  // namespace

TEST_CASE("rings of Circle-RoPE equal the paper's code", "[golden]") {
    for (std::size_t i = 0; i < golden(file)["projection_cases"].size(); ++i) {
        golden_case one(file, "projection_cases", i);
        const json& c = one.data();
        INFO(one.name() << " " << c["config"]);
        const token_grid grid{1, c["grid_hw_after_merge"][0], c["grid_hw_after_merge"][1]};
        const segment prompt[] = {image(grid)};
        const auto plan = make_plan(layout::circle_rope{1, ring_of(c["params"])}, prompt, 1);
        REQUIRE(plan.ok());
        const json& right = c["coords_thw"];
        REQUIRE(right.size() == 3);
        for (std::size_t a = 0; a < 3; ++a) {
            REQUIRE(static_cast<index_t>(right[a].size()) == plan->size());
            for (std::size_t n = 0; n < right[a].size(); ++n)
                CHECK(one.within(plan->coordinates(token_index{static_cast<index_t>(n)})[static_cast<int>(a)],
                                 right[a][n], tolerance));
        }
    }
}

TEST_CASE("positions of Circle-RoPE equal the paper's code and the port", "[golden]") {
    check_research_positions<float>(
        file, "position_cases", video_runs::one_run,
        [](const json& c) {
            return layout::circle_rope{c["spatial_merge_size"], ring_of(c["params"]), layout::ring_video::refused};
        },
        tolerance);
    check_research_positions<float>(
        file, "position_cases_mmr", video_runs::run_of_frame,
        [](const json& c) {
            return layout::circle_rope{c["spatial_merge_size"], ring_of(c["params"]), layout::ring_video::stacked,
                                       c["params"]["temporal_stride"]};
        },
        tolerance);
}

TEST_CASE("positions of the M-RoPE layers of Circle-RoPE equal its code", "[golden]") {
    check_research_positions<float>(
        file, "position_cases_m_index", video_runs::one_run,
        [](const json& c) {
            return layout::mrope{c["spatial_merge_size"], floored_time_float32(c["params"]["tokens_per_second"])};
        },
        0.0, true);
}

TEST_CASE("the flat grid of several frames has a place, where the port raises") {
    for (const std::size_t i : {std::size_t{16}, std::size_t{27}}) {
        const json& c = golden(file)["position_cases_mmr"][i];
        REQUIRE(c["expect_error"] == true);
        const case_media media{grids_of(c["image_grid_thw_before_merge"]),
                               {},
                               {},
                               special_of(golden(file)["token_ids"]),
                               c["spatial_merge_size"]};
        CHECK_FALSE(is_refused(c, media, layout::circle_rope{c["spatial_merge_size"], ring_of(c["params"])}));
    }
}
