// Where generated text goes on: past every coordinate, or at the next text position where the layout says so.

#include "layout/prompts.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/serialise.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Grids far above the text, which counts tokens.
struct tower : layout::sequential {
    generation rule = generation::at_next_position;
    [[nodiscard]] generation continues() const noexcept { return rule; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) return sequential::place(s, at, builder);
        builder.grid({s.frames, s.rows, s.columns}, [&](placement& p) {
            for (int a = 0; a < axis_count; ++a) p.map[a].origin = p.neutral[a].origin = at.next;
            p.map[0].per_row = 100.0;
        });
        return {at.next + static_cast<double>(s.frames * s.rows * s.columns)};
    }
};

const std::vector<segment> prompt = {text(2), image(token_grid{1, 3, 2}), text(1)};

}  // namespace

TEST_CASE("generated text goes on where the layout says") {
    const position_plan past = plan_of(tower{{1, 3}, generation::past_everything}, prompt);
    CHECK(past.max_position() == 202);
    CHECK(past.next_position() == 9);
    CHECK(past.generation_start() == 203);
    CHECK(row(past, 0, 9, 11) == numbers{203, 204});

    const position_plan at = plan_of(tower{{1, 3}}, prompt);
    CHECK(at.max_position() == 202);
    CHECK(at.generation_start() == 9);
    CHECK(at.position_delta() == 0);
    CHECK(row(at, 0, 9, 11) == numbers{9, 10});
    CHECK(past != at);
}

TEST_CASE("the rule outlives append, clip, prune and bytes") {
    const tower layout{{1, 3}};
    const position_plan plan = plan_of(layout, prompt);
    const segment more[] = {text(2)};
    const auto longer = plan.append(layout, more, 1, continue_at::generation_start, 3);
    REQUIRE(longer.ok());
    CHECK(row(*longer, 0, 8, 15) == numbers{8, 9, 10, 11, 12, 13, 14});
    CHECK(longer->generation_start() == 14);
    const auto shorter = clip(plan, 4);
    REQUIRE(shorter.ok());
    CHECK(shorter->size() == 4);
    const char keep[9] = {1, 1, 0, 0, 1, 1, 1, 1, 1};
    const auto pruned = prune(plan, keep, 9);
    REQUIRE(pruned.ok());
    CHECK(row(*pruned, 0, 6, 9) == numbers{8, 9, 10});
    for (const position_plan& each : {plan, *longer, *shorter, *pruned}) {
        const auto bytes = serialise(each);
        const auto again = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
        REQUIRE(again.ok());
        CHECK(*again == each);
        CHECK(again->generation_start() == each.generation_start());
    }
    auto bytes = serialise(plan);
    bytes[56] = 2;
    CHECK(deserialise(bytes.data(), static_cast<index_t>(bytes.size())).error().code == errc::bad_serialisation);
}

TEST_CASE("a pruned plan whose largest coordinate is gone still says where its generated tokens stand") {
    layout::mrope rule{1};
    rule.behind = layout::advance::past_rows_and_columns;
    const position_plan plan = plan_of(rule, {text(1), video(token_grid{6, 1, 1}, untimed), text(1)});
    const unsigned char keep[] = {1, 1, 1, 0, 0, 0, 0, 1};
    const auto pruned = prune(plan, keep, 8);
    REQUIRE(pruned.ok());
    CHECK(pruned->coordinates(token_index{4})[0] == 7.0);
    const auto longer = pruned->append(rule, nullptr, 0, continue_at::generation_start, 2);
    REQUIRE(longer.ok());
    for (index_t n = 4; n < 6; ++n) CHECK(longer->coordinates(token_index{n}) == pruned->coordinates(token_index{n}));
    const auto shorter = clip(*pruned, 3);
    REQUIRE(shorter.ok());
    CHECK(shorter->coordinates(token_index{3})[0] == shorter->generation_start());
}

TEST_CASE("a plan without axes takes no next turn, whatever the layout says of its axes") {
    layout::sequential none{1};
    none.axis_count = 0;
    const segment turn = text(1);
    CHECK(position_plan().append(none, &turn, 1, continue_at::generation_start).error() ==
          status{errc::axis_invalid, operand::plan, 0, max_axes, 0});
}

TEST_CASE("audio is text to a layout that has no rule for it") {
    const position_plan plan = plan_of(layout::mrope{2}, {text(2), audio(3), image(patch_grid{1, 4, 4}), audio(1)});
    CHECK(row(plan, 0) == numbers{0, 1, 2, 3, 4, 5, 5, 5, 5, 7});
    CHECK(plan.kind_of(token_index{3}) == modality::text);
}

TEST_CASE("what a layout does not read of a medium is refused") {
    const segment grid = image(patch_grid{1, 4, 4}), clip = video(patch_grid{2, 4, 4}, untimed);
    for (const segment& medium : {with_frame_step(clip, 2.0), with_span(grid, 4.0), with_audio(clip, 5)}) {
        const segment all[] = {text(1), medium};
        for (const status& s :
             {make_plan(layout::mrope{2}, all, 2).error(), make_plan(layout::sequential{2}, all, 2).error()}) {
            CHECK(s == status{errc::extra_not_read, operand::segment, 1, 0, 0});
            CHECK(std::string(to_string(s).c_str()) ==
                  "segment 1: it states a frame step, a span or audio, which this layout does not read");
        }
    }
}
