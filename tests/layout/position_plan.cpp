// Single behaviours of a plan.

#include <cmath>
#include <limits>

#include "layout/prompts.hpp"
#include "polyrope/layout/decode.hpp"
#include "polyrope/layout/sequential.hpp"

using namespace polyrope;
using namespace polyrope::test;

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
    CHECK(plan.tokens_of(3).size() == 0);
    CHECK(plan.coordinates(token_index{8})[axis::w] == 5);
    CHECK((*plan.neutral(token_index{8}))[axis::w] == 4);
    // Below zero is taken as zero: no read before the plan.
    CHECK(plan.coordinates(token_index{-5}) == coordinate{});
}

TEST_CASE("images first, last, adjacent, of one row and of one column") {
    const position_plan plan = plan_of(layout::mrope{2}, {image(patch_grid{1, 2, 6}), image(patch_grid{1, 8, 2}),
                                                          text(0), text(1), image(patch_grid{1, 2, 2})});
    CHECK(row(plan, 0) == numbers{0, 0, 0, 3, 3, 3, 3, 7, 8});
    CHECK(row(plan, 1) == numbers{0, 0, 0, 3, 4, 5, 6, 7, 8});
    CHECK(row(plan, 2) == numbers{0, 1, 2, 3, 3, 3, 3, 7, 8});
    CHECK(plan.next_position() == 9);
    CHECK(plan.position_delta() == 0);
    CHECK(plan.segment_of(token_index{7}) == 3);
    CHECK(plan.tokens_of(2).size() == 0);
}

TEST_CASE("an empty plan answers") {
    const position_plan none;
    CHECK(none.size() == 0);
    CHECK(none.axes() == 0);
    CHECK(none.coordinates(token_index{7}) == coordinate{});
    CHECK(none.neutral(token_index{7}).ok());
    CHECK(none.segment_of(token_index{0}) == 0);
    CHECK(none.fill(token_index{0}, token_index{5}, positions_view<float>{nullptr, 0, 5, 0, 0}).ok());
    CHECK(none.prefix_key(4) == none.prefix_key(4));
    CHECK(none == position_plan{});
}

TEST_CASE("planned segments stand behind the prompt and count apart") {
    const segment later[] = {image(patch_grid{1, 4, 4}), text(1)};
    plan_options options;
    options.planned = later;
    options.planned_count = 2;
    const position_plan plan = plan_of(layout::mrope{2}, {text(3)}, options),
                        prompt = plan_of(layout::mrope{2}, {text(3)});
    CHECK(plan.prompt_tokens() == 3);
    CHECK(plan.planned_tokens() == 5);
    CHECK(plan.size() == 8);
    CHECK(plan.max_position() == prompt.max_position());
    CHECK(plan.generation_start() == 3);
    CHECK(plan.position_delta() == 0);
    CHECK(row(plan, 2, 0, 10) == numbers{0, 1, 2, 3, 4, 3, 4, 5, 6, 7});
    CHECK(plan.segments() == 3);
    CHECK(plan.segment_of(token_index{4}) == 1);
    CHECK(tail_of(plan).first == token_index{8});
    // What was planned is part of the prompt of the next turn.
    const segment more = text(2);
    const auto next = plan.append(layout::mrope{2}, &more, 1, continue_at::generation_start);
    REQUIRE(next.ok());
    CHECK(next->prompt_tokens() == 10);
    CHECK(next->planned_tokens() == 0);
}

TEST_CASE("the next turn continues where it is told") {
    layout::mrope layout{2};
    layout.behind = layout::advance::past_rows_and_columns;
    const position_plan plan = plan_of(layout, {text(1), video(patch_grid{5, 4, 4}, untimed), text(1)});
    const segment turn[] = {text(1), image(patch_grid{1, 4, 4})};
    const auto decoded = plan.append(layout, turn, 2, continue_at::generation_start, 2);
    const auto anew = plan.append(layout, turn, 2, continue_at::next_position, 2);
    REQUIRE(decoded.ok());
    REQUIRE(anew.ok());
    CHECK(row(*decoded, 0, 21, 29) == numbers{3, 6, 7, 8, 9, 9, 9, 9});
    CHECK(row(*anew, 0, 21, 29) == numbers{3, 4, 5, 6, 7, 7, 7, 7});
    CHECK(decoded->segments() == 6);
    CHECK(decoded->segment_of(token_index{22}) == 3);
    CHECK(decoded->next_position() == 11);
    CHECK(plan.size() == 22);  // the value form left it alone
}

TEST_CASE("float positions are rounded once, double positions not at all") {
    const index_t start = (index_t{1} << 24) - 3;
    const position_plan plan = plan_of(layout::mrope{1}, {text(start), image(token_grid{1, 3, 5}), text(40)});
    const index_t count = 70;
    std::vector<float> narrow(3 * count);
    std::vector<double> wide(3 * count);
    std::vector<std::int32_t> whole(3 * count);
    const token_index begin{start - 10}, end{start - 10 + count};
    REQUIRE(plan.fill(begin, end, axis_major(narrow.data(), 3, count)).ok());
    REQUIRE(plan.fill(begin, end, axis_major(wide.data(), 3, count)).ok());
    REQUIRE(plan.fill(begin, end, axis_major(whole.data(), 3, count)).ok());
    for (std::size_t i = 0; i < wide.size(); ++i) {
        CHECK(static_cast<double>(whole[i]) == wide[i]);
        CHECK(narrow[i] == static_cast<float>(wide[i]));
    }
    CHECK(wide[44] == 16777237.0);
    CHECK(narrow[44] == 16777236.0f);
}

TEST_CASE("positions up to the last int32 are filled, and the next is refused") {
    constexpr index_t last = INT32_MAX;
    const position_plan plan = plan_of(layout::mrope{1}, {text(last - 20), image(token_grid{1, 4, 4}), text(3)});
    const index_t begin = plan.size() - 30, count = 30 + (last - static_cast<index_t>(plan.next_position())) + 1;
    std::vector<std::int32_t> out(static_cast<std::size_t>(3 * count));
    std::vector<std::int64_t> wide(static_cast<std::size_t>(3 * count));
    REQUIRE(plan.fill(token_index{begin}, token_index{begin + count}, axis_major(out.data(), 3, count)).ok());
    REQUIRE(plan.fill(token_index{begin}, token_index{begin + count}, axis_major(wide.data(), 3, count)).ok());
    CHECK(out.back() == INT32_MAX);
    for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == wide[i]);
    CHECK(plan.fill(token_index{begin}, token_index{begin + count + 1}, axis_major(out.data(), 3, count + 1)).code ==
          errc::position_out_of_range);
    std::vector<std::int64_t> more(static_cast<std::size_t>(3 * count + 3));
    REQUIRE(plan.fill(token_index{begin}, token_index{begin + count + 1}, axis_major(more.data(), 3, count + 1)).ok());
    CHECK(more.back() == index_t{INT32_MAX} + 1);
    const decode_request edge[] = {{&plan, token_index{begin + count - 1}}, {&plan, token_index{begin + count}}};
    CHECK(decode_positions(edge, 1, axis_major(out.data(), 3, 1)).ok());
    CHECK(out[0] == INT32_MAX);
    CHECK(decode_positions(edge, 2, axis_major(out.data(), 3, 2)).code == errc::position_out_of_range);
    CHECK(decode_positions(edge, 2, axis_major(wide.data(), 3, 2)).ok());
}

TEST_CASE("a limit past int32 makes wide plans, and int32 fills refuse the part that does not fit") {
    plan_options wide;
    wide.limits.max_position = index_t{1} << 50;
    const position_plan plan =
        plan_of(layout::mrope{1}, {text(5), text(index_t{1} << 40), image(token_grid{1, 2, 2}), text(2)}, wide);
    std::int32_t out[15];
    std::int64_t large[12];
    CHECK(plan.fill(token_index{0}, token_index{5}, axis_major(out, 3, 5)).ok());
    CHECK(out[4] == 4);
    CHECK(plan.fill(token_index{4}, token_index{6}, axis_major(out, 3, 2)).code == errc::position_out_of_range);
    const token_index list[] = {token_index{2}, token_index{plan.size() - 1}};
    CHECK(plan.fill(list, 1, axis_major(out, 3, 1)).ok());
    CHECK(plan.fill(list, 2, axis_major(out, 3, 2)).code == errc::position_out_of_range);
    REQUIRE(plan.fill(token_index{plan.size() - 4}, token_index{plan.size()}, axis_major(large, 3, 4)).ok());
    CHECK(large[3] == (index_t{1} << 40) + 8);
}

TEST_CASE("fractional coordinates are refused as integers, or cut toward zero by name") {
    const position_plan plan =
        plan_of(layout::mrope{2, stride(1.5)}, {text(2), video(patch_grid{2, 2, 2}, untimed), text(1)});
    CHECK(!plan.is_integral());
    CHECK(row(plan, 0) == numbers{0, 1, 2, 3.5, 4.5});
    std::int32_t out[15];
    CHECK(plan.fill(token_index{0}, token_index{5}, axis_major(out, 3, 5)).code == errc::coordinate_not_integral);
    REQUIRE(plan.fill(token_index{0}, token_index{5}, axis_major(out, 3, 5), fill_options{}.truncated()).ok());
    CHECK(out[3] == 3);
    CHECK(out[4] == 4);
    CHECK(plan.generation_start() == 5.5);
    CHECK(plan.coordinates(token_index{6})[2] == 6.5);
    const decode_request request{&plan, token_index{6}};
    double position[3];
    REQUIRE(decode_positions(&request, 1, axis_major(position, 3, 1)).ok());
    CHECK(position[1] == 6.5);
    CHECK(decode_positions(&request, 1, axis_major(out, 3, 1)).code == errc::coordinate_not_integral);
    CHECK(!tail_of(plan).uniform);
}

namespace {

/// A ring of cells around a centre, one for each frame, and text that moves the first axis alone: tables and steps that
/// M-RoPE does not use.
struct ring {
    index_t cells = 4;
    int axis_count = 3;
    struct cursor {
        double next = 0.0;
    };
    int axes() const { return axis_count; }
    cursor resume(const position_plan& plan) const { return {plan.end_position()}; }
    double position(cursor at) const { return at.next; }
    cursor moved(cursor, double to) const { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (s.kind == segment_kind::text) {
            coordinate origin, step;
            origin[0] = at.next;
            step[0] = 1.0;
            builder.text(origin, step, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        index_t offsets = no_table, times = no_table;
        if (double* t = builder.table(s.frames, times))
            for (index_t f = 0; f < s.frames; ++f) t[f] = static_cast<double>(f * f);
        if (double* o = builder.table(cells * axis_count, offsets))
            for (index_t i = 0; i < cells; ++i)
                for (int a = 0; a < axis_count; ++a) *o++ = a == 0 ? 0.0 : 0.25 * static_cast<double>(i * (a + 1));
        builder.grid({s.frames, 1, cells}, [&](placement& p) {
            p.frame_times = times;
            p.cell_offsets = offsets;
            p.offset_rows = cells;
            p.map[0].origin = p.neutral[0].origin = at.next;
            p.map[0].per_frame = p.neutral[0].per_frame = 2.0;
        });
        return {at.next + 2.0 * static_cast<double>((s.frames - 1) * (s.frames - 1)) + 1.0};
    }
};

}  // namespace

TEST_CASE("tables, steps per axis and any number of axes") {
    for (const int axes : {1, 2, 3, 5, 7}) {
        const position_plan plan = plan_of(ring{4, axes}, {text(2), video(token_grid{3, 1, 4}, untimed), text(3)});
        CHECK(plan.size() == 17);
        CHECK(plan.is_integral() == (axes == 1));
        CHECK(plan.max_position() == 13);
        CHECK(plan.next_position() == 14);
        CHECK(row(plan, 0, 0, 19) ==
              numbers{0, 1} + times(4, 2) + times(4, 4) + times(4, 10) + numbers{11, 12, 13, 14, 15});
        if (axes > 1)
            CHECK(row(plan, 1, 0, 19) == numbers{0, 0, 0, .5, 1, 1.5, 0, .5, 1, 1.5, 0, .5, 1, 1.5, 0, 0, 0, 0, 0});
        CHECK((*plan.neutral(token_index{7}))[0] == 4);
        if (axes > 1) CHECK((*plan.neutral(token_index{7}))[1] == 0);
        // Every chunk, in both orders, equals coordinates().
        for (index_t begin = 0; begin < 19; ++begin)
            for (index_t end = begin; end <= 19; ++end) {
                std::vector<double> out(static_cast<std::size_t>(axes * (end - begin)));
                const auto view = token_major(out.data(), axes, end - begin);
                REQUIRE(plan.fill(token_index{begin}, token_index{end}, view).ok());
                bool same = true;
                for (index_t n = begin; n < end; ++n)
                    for (int a = 0; a < axes; ++a)
                        same = same && view.at(a, n - begin) == plan.coordinates(token_index{n})[a];
                REQUIRE(same);
            }
    }
    // (1, 0, 0) text is no uniform tail.
    const position_plan plan = plan_of(ring{}, {text(2)});
    CHECK(!tail_of(plan).uniform);
    const decode_request request{&plan, token_index{9}};
    std::int32_t out[3];
    REQUIRE(decode_positions(&request, 1, axis_major(out, 3, 1)).ok());
    CHECK(out[0] == 9);
    CHECK(out[1] == 0);
}

namespace {

/// A frame of one line that starts late.
struct late : ring {
    cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (s.kind == segment_kind::text) return ring::place(s, at, builder);
        index_t times = no_table;
        if (double* t = builder.table(1, times)) *t = 5.0;
        builder.grid({1, 1, s.columns}, [&](placement& p) {
            p.frame_times = times;
            for (int a = 0; a < axis_count; ++a) p.map[a].per_frame = static_cast<double>(a);
            p.map[2].per_column = 1.0;
        });
        return at;
    }
};

}  // namespace

TEST_CASE("a single line of cells stands at the time of its frame") {
    const position_plan plan = plan_of(late{}, {image(token_grid{1, 1, 4})});
    CHECK(row(plan, 0) == times(4, 0));
    CHECK(row(plan, 1) == times(4, 5));
    CHECK(row(plan, 2) == numbers{10, 11, 12, 13});
    CHECK(plan.coordinates(token_index{3})[2] == 13);
}

TEST_CASE("a plan of nearly 2^63 tokens is decoded, and views past the address space are refused") {
    const index_t side = index_t{1} << 31;
    plan_options options;
    options.limits.max_position = index_t{1} << 53;
    const position_plan plan =
        plan_of(layout::mrope{1}, {image(token_grid{1, side, side}), image(token_grid{1, side, side - 1})}, options);
    std::int64_t out[6] = {};
    decode_request request{&plan, token_index{plan.size() + 5}};
    REQUIRE(decode_positions(&request, 1, axis_major(out, 3, 1)).ok());
    CHECK(out[0] == 2 * side + 5);
    CHECK(decode_positions(&request, 1, axis_major(out, 3 + (index_t{1} << 32), 1)).code == errc::axis_count_invalid);
    CHECK(decode_positions(&request, 1, axis_major(out, -1, 1)).code == errc::axis_count_invalid);

    const token_index none{0}, all{plan.size()};
    CHECK(plan.fill(none, all, axis_major<std::int64_t>(nullptr, 3, plan.size())).code == errc::size_overflow);
    CHECK(plan.fill(none, all, positions_view<std::int64_t>{out, 3, plan.size(), plan.size(), 1}).code ==
          errc::size_overflow);
}

TEST_CASE("vanilla RoPE has no neutral point unless it is named") {
    const std::vector<segment> prompt = {text(3), image(patch_grid{1, 4, 4}), text(2)};
    CHECK(!plan_of(layout::sequential{2, 3}, prompt).has_neutral());
    const position_plan plan = plan_of(layout::sequential{2, 3, layout::neutral_point::segment_start}, prompt);
    CHECK(row(plan, 0) == steps(0, 8));
    CHECK(row(plan, 0, 0, 9, fill_options{}.neutral()) == numbers{0, 1, 2, 3, 3, 3, 3, 7, 8});
    CHECK(plan_of(layout::sequential{2, 3}, {text(5)}).has_neutral());
}

TEST_CASE("a video in pieces of text and frames is vanilla too") {
    const position_plan plan =
        plan_of(layout::sequential{2, 1}, {with_gap(video(patch_grid{3, 2, 4}, untimed), 2), text(1)});
    CHECK(row(plan, 0) == steps(0, 10));
    CHECK(plan.kind_of(token_index{1}) == modality::visual);
    CHECK(plan.kind_of(token_index{2}) == modality::text);
    CHECK(plan.kind_of(token_index{4}) == modality::visual);
}

TEST_CASE("abutting frames are one placement") {
    layout::mrope layout{2};
    layout.video = layout::video_form::abutting_frames;
    const position_plan plan = plan_of(layout, {text(1), video(patch_grid{3, 4, 6}, untimed), text(1)});
    std::vector<segment> frames = {text(1)};
    for (int f = 0; f < 3; ++f) frames.push_back(image(patch_grid{1, 4, 6}));
    frames.push_back(text(1));
    const position_plan apart = plan_of(layout::mrope{2}, frames);
    CHECK(plan.placements().size() == 4);
    for (int a = 0; a < 3; ++a) {
        CHECK(row(plan, a) == row(apart, a));
        CHECK(row(plan, a, 0, 20, fill_options{}.neutral()) == row(apart, a, 0, 20, fill_options{}.neutral()));
    }
    CHECK(plan.prefix_key(20) == apart.prefix_key(20));
}

TEST_CASE("the span of a segment is how far text moves over it") {
    layout::mrope layout{2, floored_product(2)};
    const position_plan plan = plan_of(layout, {text(4), image(patch_grid{1, 4, 6}),
                                                video(patch_grid{3, 4, 4}, seconds_per_grid{5, 2}), text(0), text(5)});
    CHECK(plan.span(0) == 4);
    CHECK(plan.span(1) == 3);
    CHECK(plan.span(2) == 11);
    CHECK(plan.span(3) == 0);
    CHECK(plan.span(4) == 5);
    CHECK(plan.span(5) == 0);
    CHECK(plan.span(-1) == 0);
}
