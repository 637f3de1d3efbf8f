// Positions of VideoRoPE and HoPE: the methods' own code, and the port where every frame of a video is a block of its own.

#include "golden/position_cases.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/videorope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Gives each medium, in reading order over all rows, the step that was drawn for it.
struct drawn_steps {
    case_media media;
    std::vector<double> steps;
    std::size_t drawn = 0;

    result<std::vector<segment>> operator()(const std::int64_t* ids, index_t count, std::size_t row) {
        auto segments = media(ids, count, row);
        if (!segments) return segments;
        for (segment& s : *segments)
            if (!is_text_like(s)) s = with_frame_step(s, steps.at(drawn++));
        return segments;
    }
};

}  // namespace

TEST_CASE("positions of VideoRoPE equal the method's code and the port", "[golden]") {
    check_research_positions<float>(
        "research/videorope.json", "position_cases", video_runs::one_run, [](const json& c) {
            return layout::videorope{c["spatial_merge_size"], c["params"]["scale_factor"].get<double>()};
        });
    check_research_positions<float>(
        "research/videorope.json", "position_cases_mmr", video_runs::run_of_frame, [](const json& c) {
            return layout::videorope{c["spatial_merge_size"], c["params"]["temporal_stride"].get<double>()};
        });
}

TEST_CASE("positions of HoPE equal the method's code", "[golden]") {
    check_research_positions<float>("research/hope.json", "position_cases", video_runs::one_run, [](const json& c) {
        return layout::hope{c["spatial_merge_size"], c["params"]["gamma"].get<double>()};
    });
}

TEST_CASE("a gamma drawn for each medium is the segment's own", "[golden]") {
    const json& all = golden("research/hope.json");
    for (const std::string group : {"position_cases_random", "position_cases_mmr"})
        for (std::size_t i = 0; i < all[group].size(); ++i) {
            golden_case one("research/hope.json", group, i);
            const json& c = one.data();
            INFO(one.name());
            const bool port = group == "position_cases_mmr";
            case_media media = research_media(all, c, port ? video_runs::run_of_frame : video_runs::one_run);
            if (c["params"].contains("temporal_stride_lst")) {
                const layout::hope layout{c["spatial_merge_size"], c["params"]["temporal_stride_lst"][0].get<double>()};
                check_research_case<float>(
                    one, [&](auto... row) { return media(row...); }, layout);
                continue;
            }
            drawn_steps segments{media, c["params"]["gamma_per_visual_block"].get<std::vector<double>>()};
            check_research_case<float>(
                one, [&](auto... row) { return segments(row...); }, layout::hope{c["spatial_merge_size"]});
            CHECK(segments.drawn == segments.steps.size());
        }
}

TEST_CASE("a row of text may stand in a batch of media, where the references raise") {
    for (const std::string file : {"research/videorope.json", "research/hope.json"}) {
        const json &all = golden(file), &c = all["position_cases"][10];
        REQUIRE(c["expect_error"] == true);
        case_media media = research_media(all, c, video_runs::one_run);
        const auto rows = plan_rows(
            c, [&](auto... row) { return media(row...); },
            [&](std::size_t) { return layout::videorope{c["spatial_merge_size"]}; });
        REQUIRE(rows.size() == 3);
        for (index_t n = 0; n < 4; ++n)
            for (int a = 0; a < 3; ++a) CHECK(rows[2].plan.coordinates(token_index{n})[a] == static_cast<double>(n));
    }
}
