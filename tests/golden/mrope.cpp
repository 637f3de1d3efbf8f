// Positions of vanilla RoPE, M-RoPE, MRoPE-I and MHRoPE. The references store integers and cut fractions, but keep them in the
// running position.

#include "golden/position_cases.hpp"
#include "polyrope/layout/sequential.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("positions of vanilla RoPE, M-RoPE, MRoPE-I and MHRoPE equal the papers' code", "[golden]") {
    check_research_positions<std::int32_t>("research/vanilla.json", "position_cases", video_runs::run_of_frame,
                                           [](const json& c) {
                                               return layout::sequential{c["spatial_merge_size"], 3};
                                           });
    const auto mrope = [](const json& c) {
        layout::mrope layout{c["spatial_merge_size"]};
        layout.time = stride(c["params"].value("temporal_stride", 1.0));
        layout.spatial_reset = c["params"].value("spatial_reset", false);
        return layout;
    };
    check_research_positions<std::int32_t>("research/mrope.json", "position_cases", video_runs::run_of_frame, mrope);
    check_research_positions<std::int32_t>("research/mrope.json", "position_cases_contiguous_video",
                                           video_runs::one_run, mrope);
    check_research_positions<std::int32_t>("research/mrope_i.json", "position_cases", video_runs::run_of_frame, mrope);
    check_research_positions<std::int32_t>("research/mhrope.json", "position_cases", video_runs::run_of_frame, mrope);
}

TEST_CASE("a medium with spatial reset may be the last of a prompt, where the reference raises") {
    const json& c = golden("research/mrope_i.json")["position_cases"][28];
    REQUIRE(c["expect_error"] == true);
    case_media media{grids_of(c["image_grid_thw_before_merge"]),
                     {},
                     {},
                     special_of(golden("research/mrope_i.json")["token_ids"]),
                     c["spatial_merge_size"]};
    layout::mrope layout{c["spatial_merge_size"]};
    layout.spatial_reset = true;
    const auto rows = plan_rows(
        c, [&](auto... row) { return media(row...); }, [&](std::size_t) { return layout; });
    CHECK(rows[0].plan.next_position() == 6);
}
