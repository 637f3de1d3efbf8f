// How many calls a long video takes: linear in its runs.

#include "mask/seen.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("1,000 frames with text between are 2,000 calls and one") {
    layout::mrope layout{1};
    layout.video = layout::video_form::frame_by_frame;
    const position_plan plan =
        plan_of(layout, {text(4), with_gap(video(token_grid{1000, 16, 16}, untimed), 3), text(7)});
    const attention_region all{{token_index{0}, token_index{plan.size()}}, {token_index{0}, token_index{plan.size()}}};
    struct walked {
        index_t calls = 0, rows = 0, causal = 0;
        attention_call last;
    };
    const auto walk = [&](coordinate_selection which, const attention_region& region,
                          visibility sees = visibility::causal) {
        auto calls = *attention_calls::make(plan, which, region, sees);
        walked w;
        for (attention_call c; calls.next(c); ++w.calls) {
            w.rows += c.query_end - c.query_begin;
            w.causal += c.causal ? 1 : 0;
            w.last = c;
        }
        return w;
    };
    for (const coordinate_selection which : {selection::without_tv_spatial, selection::without_vv_spatial}) {
        const walked w = walk(which, all);
        CHECK(w.calls == 2001 + 1);
        CHECK(w.rows == plan.size() + 256000);
        CHECK(w.causal == 1001 + 1);
        CHECK(w.last.query_order == token_order::visual);
        CHECK(w.last.key_order == token_order::visual);
        CHECK(w.last.causal);
        CHECK(w.last.bank == which.vv);
        CHECK(w.last.key_end == 256000);
        // Where a frame is seen whole, its queries see visual keys in a call of their own.
        const walked images = walk(which, all, visibility::whole_image);
        CHECK(images.calls == 1001 + 2 * 1000);
        CHECK(images.rows == plan.size() + 256000);
        CHECK(images.causal == 1001);
        // The last frame of the prompt alone: its rows of text keys, and one call among visual ones.
        const index_t frame = plan.size() - 7 - 256;
        const walked chunk =
            walk(which, {{token_index{frame}, token_index{frame + 256}}, {token_index{0}, token_index{frame + 256}}});
        CHECK(chunk.calls == 2);
        CHECK(chunk.rows == 512);
        CHECK(chunk.last.key_end == 256000);
    }
    for (const coordinate_selection which : {selection::original, selection::without_both_spatial}) {
        CHECK(walk(which, all).calls == 1);
        CHECK(walk(which, all).last.key_end == plan.size());
        CHECK(walk(which, all, visibility::whole_image).calls == 2001);
    }
}

TEST_CASE("1,000 frames side by side are one run") {
    const position_plan plan = plan_of(layout::mrope{1}, {text(4), video(token_grid{1000, 16, 16}, untimed), text(7)});
    const attention_region all{{token_index{0}, token_index{plan.size()}}, {token_index{0}, token_index{plan.size()}}};
    auto calls = *attention_calls::make(plan, selection::without_tv_spatial, all);
    index_t count = 0;
    for (attention_call c; calls.next(c);) ++count;
    CHECK(count == 4);
}
