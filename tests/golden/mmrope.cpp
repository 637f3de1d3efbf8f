// Positions of MM-RoPE: Lumos-1's own code, and the port.

#include "golden/position_cases.hpp"
#include "polyrope/layout/mmrope.hpp"
#include "polyrope/preset/mmrope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Text and images of a row: content tokens are 3, and 5 closes a row of them.
std::vector<segment> segments_of_row(const std::vector<int>& ids) {
    std::vector<segment> out;
    for (std::size_t n = 0; n < ids.size();) {
        const auto is_visual = [&](std::size_t i) { return ids[i] == 3 || ids[i] == 5; };
        std::size_t end = n;
        index_t rows = 0;
        for (; end < ids.size() && is_visual(end) == is_visual(n); ++end) rows += ids[end] == 5 ? 1 : 0;
        const auto count = static_cast<index_t>(end - n);
        if (rows == 0) out.push_back(text(count));
        else out.push_back(image(token_grid{1, rows, count / rows - 1}, count));
        n = end;
    }
    return out;
}

}  // namespace

TEST_CASE("positions of MM-RoPE equal Lumos-1's code", "[golden]") {
    for (std::size_t i = 0; i < golden("research/mmrope.json")["official_cases"].size(); ++i) {
        golden_case one("research/mmrope.json", "official_cases", i);
        const json& c = one.data();
        INFO(one.name());
        REQUIRE(c["input_ids"].size() == 1);
        const auto segments = segments_of_row(c["input_ids"][0].get<std::vector<int>>());
        const json& steps = c["params"]["position_stride_thw"];
        const layout::mmrope layout{1, steps[0], steps[1], steps[2]};
        const auto plan = make_plan(layout, segments.data(), static_cast<index_t>(segments.size()));
        REQUIRE(plan.ok());
        const index_t count = plan->size();
        CHECK(one.equal(static_cast<std::size_t>(count), c["input_ids"][0].size()));
        std::vector<std::int64_t> got(static_cast<std::size_t>(3 * count));
        REQUIRE(plan->fill(token_index{0}, token_index{count}, axis_major(got.data(), 3, count)).ok());
        index_t first = 0;
        while (first < count && plan->kind_of(token_index{first}) == modality::text) ++first;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
                const std::int64_t x = got[a * static_cast<std::size_t>(count) + n];
                const bool visual = plan->kind_of(token_index{static_cast<index_t>(n)}) == modality::visual;
                CHECK(one.equal(x, c["effective_position_ids"][a][0][n].get<std::int64_t>()));
                CHECK(one.equal(x, c["offset_position_ids"][a][0][n].get<std::int64_t>()));
                CHECK(one.equal(visual ? x - first : 0, c["local_position_ids"][a][0][n].get<std::int64_t>()));
                CHECK(one.equal(visual ? 1 : 0, c["visual_flag"][0][n].get<int>()));
                if (!visual) CHECK(one.equal(x, c["text_position_ids"][0][n].get<std::int64_t>()));
            }
        CHECK(plan->generation_start() == static_cast<double>(count));
    }
}

TEST_CASE("positions of MM-RoPE's port equal its code", "[golden]") {
    check_research_positions<float>(
        "research/mmrope.json", "position_cases_mmr", video_runs::run_of_frame, [](const json& c) {
            const json &scale = c["params"]["position_scale"], &steps = c["params"]["temporal_stride"];
            preset::mmrope_port port;
            port.spatial_merge = c["spatial_merge_size"];
            port.frame_step = steps.get<double>() * scale[0].get<double>();
            port.row_step = scale[1];
            port.column_step = scale[2];
            return port.layout();
        });
}
