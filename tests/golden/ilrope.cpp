// Positions of IL-RoPE and Omni-RoPE: the port, the papers' text, and OmniGen2's own samples.

#include "golden/position_cases.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/preset/omnirope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

layout::ilrope layout_of(const json& c) {
    layout::ilrope layout{c["spatial_merge_size"]};
    const std::string text = c["params"].value("text_spatial", "diagonal"),
                      advance = c["params"].value("advance", "max_extent");
    REQUIRE((text == "diagonal" || text == "zero"));
    REQUIRE((advance == "max_extent" || advance == "one"));
    layout.words = text == "zero" ? layout::text_axes::time_alone : layout::text_axes::diagonal;
    layout.behind = advance == "one" ? layout::step_behind::one : layout::step_behind::larger_side;
    layout.frame_step = c["params"].value("temporal_stride", 1.0);
    return layout;
}

}  // namespace

TEST_CASE("positions of IL-RoPE and Omni-RoPE equal the port and the papers' text", "[golden]") {
    check_research_positions<float>("research/ilrope.json", "position_cases_mmr", video_runs::run_of_frame, layout_of);
    check_research_positions<float>("research/ilrope.json", "position_cases_paper", video_runs::run_of_frame,
                                    layout_of);
    check_research_positions<float>("research/omnirope.json", "position_cases_mmr", video_runs::run_of_frame,
                                    layout_of);
    check_research_positions<float>("research/omnirope.json", "position_cases_text_zero", video_runs::run_of_frame,
                                    layout_of);
}

TEST_CASE("positions of Omni-RoPE equal OmniGen2's, the target planned behind the prompt", "[golden]") {
    const auto grid_of = [](const json& hw) { return image(token_grid{1, hw[0], hw[1]}); };
    for (std::size_t i = 0; i < golden("research/omnirope.json")["official_cases"].size(); ++i) {
        golden_case one("research/omnirope.json", "official_cases", i);
        INFO(one.name());
        for (const json& sample : one.data()["samples"]) {
            std::vector<segment> prompt = {text(sample["text_tokens"])};
            for (const json& hw : sample["reference_images_hw"]) prompt.push_back(grid_of(hw));
            const segment target = grid_of(sample["target_image_hw"]);
            plan_options options;
            options.planned = &target;
            options.planned_count = 1;
            const auto layout = preset::omnirope{}.layout();
            const auto plan = make_plan(layout, prompt.data(), static_cast<index_t>(prompt.size()), options);
            REQUIRE(plan.ok());
            const auto length = sample["length"].get<index_t>();
            CHECK(one.equal(plan->size(), length));
            std::vector<std::int32_t> got(static_cast<std::size_t>(3 * length));
            REQUIRE(plan->fill(token_index{0}, token_index{length}, axis_major(got.data(), 3, length)).ok());
            for (std::size_t n = 0; n < got.size(); ++n)
                CHECK(one.equal(
                    got[n],
                    sample["position_ids"][n / static_cast<std::size_t>(length)][n % static_cast<std::size_t>(length)]
                        .get<std::int32_t>()));
        }
    }
}
