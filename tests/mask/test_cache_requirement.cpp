#include "layout/prompts.hpp"
#include "polyrope/mask/cache_requirement.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

std::string banks(const cache_requirement_t& r) {
    return std::string(r.original ? "original " : "") + (r.neutral ? "neutral" : "");
}

}  // namespace

TEST_CASE("once the last visual query is done, one bank serves text") {
    const position_plan plan = plan_a();  // tokens 4 to 9 are an image
    const auto of = [&](coordinate_selection which, index_t begin, index_t end) {
        return banks(cache_requirement(plan, which, {token_index{begin}, token_index{end}}));
    };
    CHECK(of(selection::original, 15, index_max) == "original ");
    CHECK(of(selection::without_tv_spatial, 15, index_max) == "neutral");
    CHECK(of(selection::without_vv_spatial, 15, index_max) == "original ");
    CHECK(of(selection::without_both_spatial, 15, index_max) == "neutral");
    CHECK(of(selection::without_tv_spatial, 10, index_max) == "neutral");

    // The image is half done: its other half asks for the second bank.
    CHECK(of(selection::without_tv_spatial, 7, index_max) == "original neutral");
    CHECK(of(selection::without_vv_spatial, 7, index_max) == "original neutral");
    CHECK(of(selection::original, 7, index_max) == "original ");
    CHECK(of(selection::without_both_spatial, 7, index_max) == "neutral");
    CHECK(of(selection::without_tv_spatial, 7, 9) == "original ");  // nothing but visual queries
    CHECK(of(selection::without_tv_spatial, 20, 20) == "");
}

TEST_CASE("images that are still to be generated ask for both banks") {
    const segment prompt[] = {text(4)}, target[] = {image(patch_grid{1, 4, 4})};
    plan_options options;
    options.planned = target;
    options.planned_count = 1;
    const position_plan plan = *make_plan(layout::mrope{2}, prompt, 1, options);
    CHECK(cache_requirement(plan, selection::without_tv_spatial, {token_index{4}, token_index{index_max}}).banks() ==
          2);
}

TEST_CASE("bytes of a token's keys") {
    const position_plan plan = plan_a();
    const auto half = cache_requirement(plan, selection::without_tv_spatial, {token_index{7}, token_index{index_max}});
    CHECK(half.key_bytes(modality::visual, 8, 128, 2) == 4096);
    CHECK(half.key_bytes(modality::text, 8, 128, 2) == 2048);
    const auto done = cache_requirement(plan, selection::without_tv_spatial, {token_index{15}, token_index{index_max}});
    CHECK(done.key_bytes(modality::visual, 8, 128, 2) == 2048);
    CHECK(cache_requirement_t{}.key_bytes(modality::text, 8, 128, 2) == 0);
}
