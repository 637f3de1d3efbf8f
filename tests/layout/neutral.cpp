// layout::neutral over built-in layouts and one of a user: visual tokens at the neutral points that the layout's own
// plan states, to the bit, and text where the layout has it.

#include "polyrope/layout/neutral.hpp"

#include "layout/prompts.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/serialise.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/layout/v2pe.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// A user's own: offsets in a table, frames with times of their own, added as a whole placement.
struct scattered {
    struct cursor {
        double next = 0.0;
    };
    [[nodiscard]] int axes() const noexcept { return 2; }
    [[nodiscard]] cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    [[nodiscard]] double position(cursor at) const noexcept { return at.next; }
    [[nodiscard]] cursor moved(cursor, double to) const noexcept { return {to}; }
    [[nodiscard]] generation continues() const noexcept { return generation::at_next_position; }
    [[nodiscard]] cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (is_text_like(s)) {
            builder.text(at.next, 1.0, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        placement p;
        p.grid = {s.frames, s.rows, s.columns};
        p.count = s.frames * s.rows * s.columns;
        p.kind = modality::visual;
        double* offsets = builder.table(2 * 3, p.cell_offsets);
        if (offsets == nullptr) return at;
        for (int i = 0; i < 6; ++i) offsets[i] = 0.3 * i;
        p.offset_rows = 3;
        double* times = builder.table(s.frames, p.frame_times);
        if (times == nullptr) return at;
        for (index_t f = 0; f < s.frames; ++f) times[f] = 0.7 * static_cast<double>(f * f);
        for (int a = 0; a < 2; ++a) {
            p.map[a].origin = at.next + a;
            p.neutral[a].origin = at.next + 0.1;
            p.map[a].per_frame = 3.0;
            p.neutral[a].per_frame = 0.9;
        }
        builder.add(p);
        return {at.next + 2.5};
    }
};

template <class Layout>
void check(const Layout& layout, const std::vector<segment>& prompt) {
    const layout::neutral still{layout};
    const position_plan own = plan_of(layout, prompt), plan = plan_of(still, prompt);
    REQUIRE(plan.size() == own.size());
    bool same = true;
    for (index_t n = 0; n < own.size() + 5; ++n) {
        const token_index token{n};
        same = same && plan.coordinates(token) == *own.neutral(token) && *plan.neutral(token) == *own.neutral(token) &&
               plan.kind_of(token) == own.kind_of(token);
        if (own.kind_of(token) == modality::text) same = same && plan.coordinates(token) == own.coordinates(token);
    }
    CHECK(same);
    CHECK(plan.next_position() == own.next_position());
    CHECK(plan.generation_start() == own.generation_start());
    CHECK(plan.max_position() <= own.max_position());

    std::vector<segment> twice = prompt;
    twice.insert(twice.end(), prompt.begin(), prompt.end());
    const auto longer =
        plan.append(still, prompt.data(), static_cast<index_t>(prompt.size()), continue_at::next_position);
    REQUIRE(longer.ok());
    CHECK(*longer == plan_of(still, twice));
    const auto bytes = serialise(plan);
    const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
    REQUIRE(back.ok());
    CHECK(*back == plan);
}

}  // namespace

TEST_CASE("every layout with a neutral point can stand on it") {
    random_prompts random(51);
    layout::mrope reset{2, stride(0.3)}, split{2}, seconds{2, floored_product(3)};
    reset.spatial_reset = true;
    split.video = layout::video_form::abutting_frames;
    for (int round = 0; round < 20; ++round) {
        const auto prompt = random.prompt(6);
        check(layout::mrope{2}, prompt);
        check(reset, prompt);
        check(split, prompt);
        check(seconds, prompt);
        check(layout::videorope{2}, prompt);
        check(layout::hope{2, 0.1}, prompt);
        check(layout::sequential{2, 3, layout::neutral_point::segment_start}, prompt);
        check(layout::tad_rope{2, 3, layout::neutral_point::segment_start}, prompt);
        check(layout::v2pe{2, 0.7, layout::span_of::tile, 2, layout::neutral_point::segment_start}, prompt);
        check(scattered{}, prompt);
    }
    const std::vector<segment> heard = {text(3), with_audio(video(token_grid{7, 2, 3}, seconds_per_grid{1, 3}), 40),
                                        text(2)};
    check(layout::tmrope{1, floored_time_float32(25)}, heard);
    check(layout::tmrope{1, real_time_float32(13), layout::audio_order::by_time, layout::span_markers::consecutive},
          heard);
    check(layout::circle_rope{1}, {text(3), image(token_grid{1, 4, 6}), text(2), image(token_grid{1, 3, 3})});
}

TEST_CASE("all cells of a frame share its neutral point") {
    const layout::neutral still{layout::videorope{1, 3.0}};
    const position_plan plan = plan_of(still, {text(2), video(token_grid{2, 1, 3}, untimed), text(1)});
    for (int a = 0; a < 3; ++a) CHECK(row(plan, a) == numbers{0, 1, 2, 2, 2, 5, 5, 5, 6});
}

TEST_CASE("a layout without a neutral point cannot stand on it") {
    const std::vector<segment> prompt = {text(2), image(token_grid{1, 2, 2}), text(1)};
    const layout::neutral vanilla{layout::sequential{1, 3}};
    const status none{errc::no_neutral_point, operand::segment, 1, 0, 0};
    CHECK(error_of(vanilla, prompt) == none);
    CHECK(error_of(layout::neutral<layout::tad_rope>{{1}}, prompt) == none);
    CHECK(error_of(layout::neutral<layout::v2pe>{{1, 1.0}}, prompt) == none);
    CHECK(sentence_of(none) == "segment 1: this layout has no neutral point; ask for the segment's start by name");
    CHECK(plan_of(vanilla, {text(5)}).next_position() == 5.0);
}

TEST_CASE("a neutral layout refuses what its layout refuses") {
    const layout::neutral still{layout::mrope{2}};
    CHECK(error_of(still, {text(1), image(patch_grid{1, 3, 4})}) ==
          status{errc::side_not_divisible, operand::segment, 1, 2, 3});
    CHECK(error_of(layout::neutral<layout::videorope>{{1, 4e9}}, {video(token_grid{2, 1, 1}, untimed)}).code ==
          errc::position_overflow);
}
