#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "support/catch.hpp"

using namespace polyrope;

namespace {
position_plan plan_a() {
    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    return *make_plan(layout::mrope{2}, prompt, 3);
}
}  // namespace

TEST_CASE("a plan counts what its segments place") {
    const position_plan plan = plan_a();
    CHECK(plan.size() == 15);
    CHECK(plan.prompt_tokens() == 15);
    CHECK(plan.planned_tokens() == 0);
    CHECK(plan.axes() == 3);
    CHECK(plan.max_position() == 11);
    CHECK(plan.next_position() == 12);
    CHECK(plan.generation_start() == 12);
    CHECK(plan.position_delta() == -3);
    CHECK(plan.position_delta_padded(16) == -4);
    CHECK(plan.is_integral());
    CHECK(plan.has_neutral());
    CHECK(!plan.reuses_positions());
    CHECK(plan.segments() == 3);
    CHECK(plan.segment_of(token_index{3}) == 0);
    CHECK(plan.segment_of(token_index{4}) == 1);
    CHECK(plan.segment_of(token_index{10}) == 2);
    CHECK(plan.segment_of(token_index{15}) == 3);
    CHECK(plan.kind_of(token_index{3}) == modality::text);
    CHECK(plan.kind_of(token_index{9}) == modality::visual);
    CHECK(plan.kind_of(token_index{99}) == modality::text);
    CHECK(plan.tokens_of(1).begin == token_index{4});
    CHECK(plan.tokens_of(1).end == token_index{10});
    CHECK(plan.coordinates(token_index{8})[axis::w] == 5);
    CHECK((*plan.neutral(token_index{8}))[axis::w] == 4);
}
