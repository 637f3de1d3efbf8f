#pragma once
// Every input that a layout, a plan or a batch refuses, with its sentence. Read by the tests, and by a program that is
// built without exceptions and without RTTI.

#include <cstring>
#include <vector>

#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/decode.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/mmrope.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/omni_tokens.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/serialise.hpp"
#include "polyrope/layout/shift.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/layout/tokens.hpp"

namespace polyrope::test {

struct refusal {
    const char* name;
    status got;
    const char* sentence;
};

template <class Layout>
status planning(const Layout& layout, const std::vector<segment>& prompt, const plan_options& options = {}) {
    return make_plan(layout, prompt.data(), static_cast<index_t>(prompt.size()), options).error();
}

/// A layout that steps by whatever it is given: what the builder must catch.
struct any_step {
    double step = 1.0, row = 0.0;
    struct cursor {
        double next = 0.0;
    };
    int axis_count = 3;
    int axes() const { return axis_count; }
    cursor resume(const position_plan& plan) const { return {plan.end_position()}; }
    double position(cursor at) const { return at.next; }
    cursor moved(cursor, double to) const { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const {
        if (s.kind == segment_kind::text) builder.text(at.next, step, s.count);
        else
            builder.grid({s.frames, s.rows, s.columns}, [&](placement& p) {
                p.map[0].origin = at.next;
                p.map[0].per_row = row;
                p.frame_times = s.gap > 0 ? s.gap : no_table;
            });
        return at;
    }
};

inline std::vector<refusal> refusals() {
    std::vector<refusal> all;
    const auto add = [&](const char* name, const status& got, const char* sentence) {
        all.push_back({name, got, sentence});
    };
    const layout::mrope m2{2};
    layout::mrope seconds{2, floored_product(2)}, split{2};
    split.video = layout::video_form::frame_by_frame;

    add("count that does not fit the grid", planning(m2, {text(1), image(patch_grid{1, 4, 4}, 5)}),
        "segment 1: its grid needs 4 tokens, the prompt holds 5");
    add("negative count", planning(m2, {text(-1)}), "segment 0: a count of -1 is below zero");
    add("negative count of segments", make_plan(m2, nullptr, -1).error(), "segment 0: a count of -1 is below zero");
    add("no segments where some are counted", make_plan(m2, nullptr, 2).error(),
        "segment: the data pointer is null, and 2 elements are asked for");
    add("zero side", planning(m2, {image(patch_grid{1, 0, 4})}), "segment 0: a grid side of 0 is not positive");
    add("negative side", planning(m2, {image(patch_grid{1, 4, -2})}), "segment 0: a grid side of -2 is not positive");
    add("no frames", planning(m2, {video(patch_grid{0, 4, 4}, untimed)}),
        "segment 0: a grid side of 0 is not positive");
    add("rows not divisible", planning(m2, {image(patch_grid{1, 3, 4})}),
        "segment 0: the grid side 3 is not a multiple of the merge size 2");
    add("columns not divisible", planning(m2, {image(patch_grid{1, 4, 7})}),
        "segment 0: the grid side 7 is not a multiple of the merge size 2");
    add("a merge of zero", planning(layout::mrope{0}, {image(patch_grid{1, 4, 4})}),
        "configuration: spatial_merge_size has the invalid value 0 (entry 0, expected 1)");
    add("cells past 64 bits", planning(m2, {image(token_grid{1, index_t{1} << 40, index_t{1} << 40})}),
        "segment 0: its size does not fit 64 bits");
    add("tokens past 64 bits", planning(layout::sequential{1, 1}, {text(index_max), text(index_max)}),
        "segment 0: position 9223372036854775807 exceeds the limit 2147483647");
    add("a row past the limit", planning(m2, {image(token_grid{1, 1, index_t{1} << 31})}), "");
    all.back().sentence = "ok";  // positions 0 .. 2^31 - 1
    add("one column more", planning(m2, {image(token_grid{1, 1, (index_t{1} << 31) + 1})}),
        "segment 0: position 2147483648 exceeds the limit 2147483647");
    add("text past the limit", planning(m2, {text(5), text(index_t{1} << 31)}),
        "segment 1: position 2147483652 exceeds the limit 2147483647");
    add("a limit past 2^53", planning(m2, {text(1)}, {nullptr, 0, {index_max, 1000}}),
        "plan 0: position 9223372036854775807 exceeds the limit 9007199254740992");
    add("gaps in one block", planning(m2, {with_gap(video(patch_grid{3, 2, 2}, untimed), 1)}),
        "segment 0: its frames leave room for 0 runs of text between them, 2 were given");
    const index_t gaps[] = {1, 2, -1};
    add("too many gaps", planning(split, {with_gaps(video(patch_grid{3, 2, 2}, untimed), gaps, 3)}),
        "segment 0: its frames leave room for 2 runs of text between them, 3 were given");
    add("a negative gap", planning(split, {with_gaps(video(patch_grid{4, 2, 2}, untimed), gaps, 3)}),
        "segment 0: a count of -1 is below zero");
    add("seconds missing", planning(seconds, {video(patch_grid{3, 2, 2}, untimed)}),
        "segment 0: this layout scales time, and the segment states no seconds per grid");
    add("negative seconds", planning(seconds, {video(patch_grid{3, 2, 2}, seconds_per_grid{-1, 2})}),
        "segment 0: seconds per grid must be finite and not negative (numerator -1, denominator 2)");
    add("seconds over zero", planning(seconds, {video(patch_grid{3, 2, 2}, seconds_per_grid{1, 0})}),
        "segment 0: seconds per grid must be finite and not negative (numerator 1, denominator 0)");
    add("time past the limit", planning(seconds, {video(patch_grid{3, 2, 2}, seconds_per_grid{index_t{1} << 30, 1})}),
        "segment 0: position 2147483648 exceeds the limit 2147483647");
    add("time past 64 bits", planning(seconds, {video(patch_grid{3, 2, 2}, seconds_per_grid{index_max, 1})}),
        "segment 0: position 9223372036854775807 exceeds the limit 2147483647");
    add("time whose product passes 64 bits",
        planning(layout::mrope{2, floored_product(100)},
                 {video(patch_grid{3, 2, 2}, seconds_per_grid{index_max, index_max - 1})}),
        "segment 0: its size does not fit 64 bits");
    add("a negative rate",
        planning(layout::mrope{2, floored_product(-1)}, {video(patch_grid{3, 2, 2}, seconds_per_grid{1, 1})}),
        "configuration: tokens_per_second has the invalid value -1 (entry 0, expected 0)");
    add("a stride that is no number",
        planning(layout::mrope{2, stride(static_cast<double>(detail::bit_copy<double>(std::uint64_t{0x7ff8} << 48)))},
                 {video(patch_grid{3, 2, 2}, untimed)}),
        "segment 0: a step must be finite");
    add("an infinite step", planning(any_step{detail::bit_copy<double>(std::uint64_t{0x7ff0} << 48)}, {text(3)}),
        "segment 0: a step must be finite");
    add("a step past 2^53", planning(any_step{1.0, 1e17}, {image(token_grid{1, 2, 2})}),
        "segment 0: a step must be finite");
    add("a table that is not there", planning(any_step{}, {with_gap(image(token_grid{2, 2, 2}), 5)}),
        "cos/sin table: 5 exceeds the capacity of 0");
    add("eight axes", planning(any_step{1.0, 0.0, 8}, {text(1)}), "plan 0: axis 8 is not one of the 7 axes");
    add("more memory than allowed",
        planning(split, {video(token_grid{1 << 20, 1, 1}, untimed)}, {nullptr, 0, {INT32_MAX, 1 << 20}}),
        "plan: 1048577 exceeds the capacity of 1048576");
    add("a table of more memory than allowed",
        planning(seconds, {video(token_grid{1 << 20, 1, 1}, seconds_per_grid{1, 3})},
                 {nullptr, 0, {INT32_MAX, 1 << 20}}),
        "plan: 1048577 exceeds the capacity of 1048576");

    add("frames on one ring",
        planning(layout::circle_rope{2, {}, layout::ring_video::refused}, {video(patch_grid{2, 2, 2}, untimed)}),
        "segment 0: this layout places a single frame, and its grid has 2");
    add("a ring without a radius",
        planning(layout::circle_rope{2, {layout::fixed_radius(detail::bit_copy<double>(std::uint64_t{0x7ff8} << 48))}},
                 {image(patch_grid{1, 2, 2})}),
        "segment 0: radius, alpha, shares, shifts and steps of its ring must be finite");
    add("a ring of more memory than allowed",
        planning(layout::circle_rope{1}, {image(token_grid{1, 1 << 10, 1 << 10})}, {nullptr, 0, {INT32_MAX, 1 << 20}}),
        "plan: 1048577 exceeds the capacity of 1048576");
    add("a count without the new-line tokens", planning(layout::mmrope{}, {image(token_grid{1, 2, 3}, 6)}),
        "segment 0: its grid needs 8 tokens, the prompt holds 6");

    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    const position_plan plan = *make_plan(m2, prompt, 3);
    static std::int32_t out[64];
    const auto view = axis_major(out, 3, 15);
    const token_index first{0}, last{15};
    add("a range that runs backwards", plan.fill(token_index{3}, token_index{2}, view),
        "plan: the range [3, 2) is not a range of tokens");
    add("a range below zero", plan.fill(token_index{-1}, token_index{14}, view),
        "plan: the range [-1, 14) is not a range of tokens");
    add(
        "an index below zero",
        [&] {
            const token_index list[] = {token_index{2}, token_index{-3}};
            return plan.fill(list, 2, axis_major(out, 3, 2));
        }(),
        "plan: the range [-3, 2) is not a range of tokens");
    add("no indices where some are counted", plan.fill(nullptr, 2, axis_major(out, 3, 2)),
        "token: the data pointer is null, and 2 elements are asked for");
    add("too few axes", plan.fill(first, last, axis_major(out, 1, 15)), "positions: entry 0 is 1, and must be 3");
    add("too few columns", plan.fill(first, last, axis_major(out, 3, 14)), "positions: entry 1 is 14, and must be 15");
    add("null output", plan.fill(first, last, axis_major(static_cast<std::int32_t*>(nullptr), 3, 15)),
        "positions: the data pointer is null, and 45 elements are asked for");
    add("rows that overlap", plan.fill(first, last, positions_view<std::int32_t>{out, 3, 15, 14, 1}),
        "positions: a stride of 14 elements is too small for 15");
    add("a stride of zero", plan.fill(first, last, positions_view<std::int32_t>{out, 3, 15, 15, 0}),
        "positions: a stride of 0 elements is too small for 1");
    add("padding below zero", plan.fill(first, last, view, fill_options{}.padded(-1, 0.0)),
        "output: entry 0 is -1, below zero");
    add("a filler that does not fit", plan.fill(first, last, view, fill_options{}.padded(0, 1e10)),
        "output: the position of token 0 is 9223372036854775807, past the limit 2147483647");
    add("past int32", plan.fill(token_index{index_t{1} << 31}, token_index{(index_t{1} << 31) + 15}, view),
        "positions: the position of token 2147483662 is 2147483659, past the limit 2147483647");
    add("past 2^53",
        plan.fill(token_index{index_t{1} << 54}, token_index{(index_t{1} << 54) + 1}, axis_major(out, 3, 1)),
        "positions: the position of token 18014398509481984 is 18014398509481980, past the limit 2147483647");
    add(
        "fractions as integers",
        [&] {
            const segment half[] = {text(1), video(patch_grid{2, 2, 2}, untimed), text(2)};
            return make_plan(layout::mrope{2, stride(1.5)}, half, 3)
                ->fill(first, token_index{5}, axis_major(out, 3, 5));
        }(),
        "segment 1: its coordinates are not whole numbers; fill float32 or float64, or truncate by name");
    add("no neutral point",
        make_plan(layout::sequential{2, 3}, prompt, 3)->fill(first, last, view, fill_options{}.neutral()),
        "segment 1: this layout has no neutral point; ask for the segment's start by name");
    add("no neutral point of a token", make_plan(layout::sequential{2, 3}, prompt, 3)->neutral(token_index{5}).error(),
        "segment 1: this layout has no neutral point; ask for the segment's start by name");
    add("another layout's next turn",
        plan.append(layout::sequential{2, 1}, prompt, 3, continue_at::next_position).error(),
        "plan: entry 0 is 3, and must be 1");
    add("a next turn of a plan without axes", position_plan{}.append(m2, prompt, 3, continue_at::next_position).error(),
        "plan: entry 0 is 0, and must be 3");
    add("generated tokens below zero", plan.append(m2, prompt, 3, continue_at::next_position, -1).error(),
        "plan 0: a count of -1 is below zero");
    add("a clip past the prompt", clip(plan, 16).error(), "plan: the range [16, 15) is not a range of tokens");
    add("flags that do not fit", prune(plan, out, 14).error(), "token: entry 0 is 14, and must be 15");
    add("a batch of other axes", batch(1).add(plan, {first, last}), "plan: entry 0 is 3, and must be 1");
    add("a worker that is none", batch(3).fill(axis_major(out, 3, 0), {2, 2}), "worker 2 of 2 is no partition");
    add(
        "a request without a plan",
        [&] {
            const decode_request request;
            return decode_positions(&request, 1, axis_major(out, 3, 1));
        }(),
        "request: the data pointer is null, and 1 elements are asked for");
    add(
        "a request of other axes",
        [&] {
            const decode_request request{&plan, last};
            return decode_positions(&request, 1, axis_major(out, 1, 1));
        }(),
        "positions: entry 0 is 1, and must be 3");
    add(
        "a request below zero",
        [&] {
            const decode_request request{&plan, token_index{-1}};
            return decode_positions(&request, 1, axis_major(out, 3, 1));
        }(),
        "request: the range [-1, -1) is not a range of tokens");
    add(
        "a request past int32",
        [&] {
            const decode_request request{&plan, token_index{index_t{1} << 32}};
            return decode_positions(&request, 1, axis_major(out, 3, 1));
        }(),
        "positions: the position of token 4294967296 is 4294967293, past the limit 2147483647");
    const int mask[] = {0, 1, 0, 1};
    add("a mask with a hole", padding_of(mask, 4).error(), "token: the range [1, 4) is not a range of tokens");
    layout::tmrope heard{2, floored_time_float32(25)};
    const segment talk = with_audio(video(patch_grid{2, 2, 2}, seconds_per_grid{1, 1}), -1);
    add("audio below zero in a video", planning(heard, {talk}), "segment 0: a count of -1 is below zero");
    add("audio in a video where no audio is read", planning(m2, {talk}),
        "segment 0: it states a frame step, a span or audio, which this layout does not read");
    heard.positions_per_chunk = 0;
    add("chunks of no length", planning(heard, {with_audio(talk, 3)}),
        "configuration: positions_per_chunk has the invalid value 0 (entry 0, expected 1)");
    add("mel frames below zero", qwen2_5_omni_audio_tokens(-3).error(), "audio 0: a count of -3 is below zero");
    const std::int32_t ids[] = {1, 6, 4, 5, 7, 2};
    const patch_grid clip_grid{1, 2, 2};
    const index_t mel_frames[] = {8};
    omni_media media;
    media.visual.videos = &clip_grid;
    media.visual.video_count = media.audio_count = 1;
    media.visual.spatial_merge = 2;
    media.mel_frames = mel_frames;
    media.audio_tokens = qwen2_5_omni_audio_tokens;
    media.audio_in_video = true;
    add("audio tokens that do not fit", omni_segments_of(ids, 6, {1, 2, 3, 4, 6, 7, 5}, media).error(),
        "audio 0: its mel frames make 2 tokens, the prompt holds 1");
    add("no bytes", deserialise(nullptr, 0).error(), "byte 0: the serialised form is damaged (expected 1, found 0)");
    return all;
}

}  // namespace polyrope::test
