// GLM-Image: positions of its prompts, and of every step of generating the images behind them. The reference stores a
// delta of 0 that nothing reads: its decoding goes by the table.

#include "golden/position_cases.hpp"
#include "polyrope/preset/glm_image.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("prompts and planned images of GLM-Image stand where the reference decodes them", "[golden]") {
    const std::string file = "models/glm_image.json";
    const json& all = golden(file);
    for (std::size_t i = 0; i < all.at("glm_image_cases").size(); ++i) {
        golden_case one(file, "glm_image_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto grids = grids_of(c["image_grid_thw"]);
        const auto layout = preset::glm_image{}.layout();
        std::size_t first = 0;  // grid of a row
        for (std::size_t r = 0; r < c["input_ids"].size(); ++r) {
            const auto ids = c["input_ids"][r].get<std::vector<std::int64_t>>();
            const auto mask = c["attention_mask"][r].get<std::vector<int>>();
            const auto padding = padding_of(mask.data(), static_cast<index_t>(mask.size()));
            REQUIRE(padding.ok());
            const auto images = c["images_per_sample"][r].get<std::size_t>();
            prompt_media media;
            media.images = grids.data() + first;
            media.image_count = static_cast<index_t>(images);
            const special_tokens special{all["special_tokens"]["begin_of_image"], all["special_tokens"]["image"], -1};
            media_taken taken;
            const auto segments = take_segments(ids.data() + padding->left, padding->tokens, special, media, taken);
            REQUIRE(segments.ok());
            const auto targets =
                preset::glm_image::planned(media.images + taken.images, media.image_count - taken.images);
            plan_options options;
            options.planned = targets.data();
            options.planned_count = static_cast<index_t>(targets.size());
            const auto plan = make_plan(layout, segments->data(), static_cast<index_t>(segments->size()), options);
            INFO(to_string(plan.error()).c_str());
            REQUIRE(plan.ok());
            REQUIRE(plan->prompt_tokens() == padding->tokens);
            CHECK(compare_positions<std::int32_t>(one, {*plan, *padding}, c["position_ids"], r, 1.0));
            const json& steps = c["decode_position_ids"][r];
            REQUIRE(static_cast<std::size_t>(plan->planned_tokens()) == steps[0].size());
            for (std::size_t n = 0; n < steps[0].size(); ++n)
                for (int a = 0; a < 3; ++a)
                    CHECK(one.equal(plan->coordinates(token_index{plan->prompt_tokens() + static_cast<index_t>(n)})[a],
                                    steps[static_cast<std::size_t>(a)][n].get<double>()));
            first += images;
        }
        CHECK(first == grids.size());
    }
}
