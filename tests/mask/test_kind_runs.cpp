#include "layout/prompts.hpp"
#include "polyrope/mask/token_order.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

std::string runs_of(const position_plan& plan, index_t begin, index_t end, run_border border = run_border::kind) {
    std::string out;
    kind_runs runs(plan, {token_index{begin}, token_index{end}}, border);
    for (kind_run run; runs.next(run);)
        out += (run.kind == modality::text ? "t" : "v") + std::to_string(run.tokens.begin.value) + "-" +
               std::to_string(run.tokens.end.value) + " ";
    return out;
}

}  // namespace

TEST_CASE("runs merge what touches and end where the kind changes") {
    const position_plan plan = plan_of(
        layout::mrope{1}, {text(2), text(2), image(token_grid{1, 2, 3}), image(token_grid{1, 1, 2}), text(0), text(5)});
    CHECK(runs_of(plan, 0, 17) == "t0-4 v4-12 t12-17 ");
    CHECK(runs_of(plan, 0, 17, run_border::segment) == "t0-4 v4-10 v10-12 t12-17 ");
    CHECK(runs_of(plan, 2, 5) == "t2-4 v4-5 ");
    CHECK(runs_of(plan, 11, 20) == "v11-12 t12-20 ");
    CHECK(runs_of(plan, 17, 20) == "t17-20 ");
    CHECK(runs_of(plan, 5, 5) == "");
    CHECK(runs_of(position_plan{}, 0, 3) == "t0-3 ");
    CHECK(visual_tokens(plan, {token_index{3}, token_index{11}}) == 7);
}

TEST_CASE("frames with text between are runs of their own, also under segment borders") {
    layout::mrope layout{1};
    layout.video = layout::video_form::frame_by_frame;
    const position_plan plan = plan_of(layout, {with_gap(video(token_grid{3, 1, 2}, untimed), 1)});
    CHECK(runs_of(plan, 0, 8, run_border::segment) == "v0-2 t2-3 v3-5 t5-6 v6-8 ");
}

TEST_CASE("orders list their tokens from the start of the range") {
    const position_plan plan = plan_of(layout::mrope{1}, {text(2), image(token_grid{1, 1, 3}), text(2)});
    const token_range range{token_index{1}, token_index{7}};
    index_t out[6];
    REQUIRE(order_indices(plan, range, token_order::text, out, 3).ok());
    CHECK(std::vector<index_t>(out, out + 3) == std::vector<index_t>{0, 4, 5});
    REQUIRE(order_indices(plan, range, token_order::visual, out, 3).ok());
    CHECK(std::vector<index_t>(out, out + 3) == std::vector<index_t>{1, 2, 3});
    REQUIRE(order_indices(plan, range, token_order::all, out, 6).ok());
    CHECK(out[5] == 5);
    CHECK(order_indices(plan, range, token_order::visual, out, 2) ==
          status{errc::extent_mismatch, operand::output, 0, 3, 2});
    CHECK(order_indices(plan, range, token_order::visual, nullptr, 3).code == errc::null_data);
    CHECK(order_indices(plan, {token_index{3}, token_index{1}}, token_order::all, out, 0).code == errc::range_invalid);
    CHECK(order_size(plan, range, token_order::all) == 6);
}
