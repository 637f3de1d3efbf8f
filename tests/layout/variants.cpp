// VideoRoPE, HoPE, TAD-RoPE and V2PE over random prompts: every way to ask and to build gives the same coordinates, and
// each equals its rule, walked token by token.

#include <algorithm>
#include <cmath>

#include "layout/prompts.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/serialise.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/layout/v2pe.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

struct walked {
    std::vector<std::vector<double>> tokens;  // [token][axis]
    double next = 0.0;
};

/// Calls words(count) and block(segment, frames, rows, columns); a gap parts a video into blocks.
template <class Words, class Block>
void each_block(const std::vector<segment>& prompt, index_t merge, Words words, Block block) {
    for (const segment& s : prompt) {
        if (is_text_like(s)) {
            words(s.count);
            continue;
        }
        const bool parted = s.gap != 0;
        for (index_t f = 0; f < (parted ? s.frames : 1); ++f) {
            if (f > 0) words(s.gap);
            block(s, parted ? 1 : s.frames, s.rows / merge, s.columns / merge);
        }
    }
}

walked walk(const layout::videorope& layout, const std::vector<segment>& prompt) {
    walked w;
    const bool paper = layout.centre == layout::centring::half_side,
               whole = layout.behind == layout::diagonal_advance::whole_steps;
    const auto middle = [&](index_t side) {
        return paper ? static_cast<double>(side) / 2.0 : std::floor(static_cast<double>(side - 1) / 2.0);
    };
    each_block(
        prompt, layout.spatial_merge,
        [&](index_t count) {
            for (; count > 0; --count, w.next += 1.0) w.tokens.push_back({w.next, w.next, w.next});
        },
        [&](const segment& s, index_t frames, index_t rows, index_t columns) {
            const double step = s.frame_step != 0.0 ? s.frame_step : layout.delta;
            for (index_t f = 0; f < frames; ++f)
                for (index_t r = 0; r < rows; ++r)
                    for (index_t c = 0; c < columns; ++c) {
                        const double t = w.next + step * static_cast<double>(f);
                        w.tokens.push_back({t, t + static_cast<double>(r) - middle(rows),
                                            t + static_cast<double>(c) - middle(columns)});
                    }
            w.next += whole ? step * static_cast<double>(frames) : step * static_cast<double>(frames - 1) + 1.0;
        });
    return w;
}
walked walk(const layout::hope& layout, const std::vector<segment>& prompt) {
    return walk(layout::videorope{layout.spatial_merge, layout.gamma, layout.centre, layout.behind}, prompt);
}

walked walk(const layout::tad_rope& layout, const std::vector<segment>& prompt) {
    walked w;
    double time = 0.0, flat = 0.0;
    const auto put = [&](double x) {
        w.tokens.emplace_back(static_cast<std::size_t>(layout.axis_count), x);
        flat += 1.0;
    };
    each_block(
        prompt, layout.spatial_merge,
        [&](index_t count) {
            for (; count > 0; --count, time += 1.0) put(time + flat);
        },
        [&](const segment&, index_t frames, index_t rows, index_t columns) {
            for (; frames > 0; --frames, time += 1.0)
                for (index_t k = 0; k < rows * columns; ++k) put(time + flat);
        });
    w.next = time + flat;
    return w;
}

walked walk(const layout::v2pe& layout, const std::vector<segment>& prompt) {
    walked w;
    double last = -1.0;
    const auto put = [&](double x) { w.tokens.emplace_back(static_cast<std::size_t>(layout.axis_count), x); };
    each_block(
        prompt, layout.spatial_merge,
        [&](index_t count) {
            for (; count > 0; --count) put(last += 1.0);
        },
        [&](const segment& s, index_t frames, index_t rows, index_t columns) {
            const double span = s.span != 0.0 ? s.span : layout.span, tile = static_cast<double>(rows * columns);
            const bool by_tile = layout.of == layout::span_of::tile;
            const double step = span / (by_tile ? tile : tile * static_cast<double>(frames));
            const double tokens = tile * static_cast<double>(frames);
            for (double i = 1.0; i <= tokens; i += 1.0) put(last + step * i);
            last = std::ceil(static_cast<double>(static_cast<float>(last + step * tokens)));
        });
    w.next = last + 1.0;
    return w;
}

/// What a medium may state under a layout.
segment with_own(const layout::videorope&, segment s, double number) { return with_frame_step(s, number); }
segment with_own(const layout::hope&, segment s, double number) { return with_frame_step(s, number); }
segment with_own(const layout::v2pe&, segment s, double number) { return with_span(s, number); }
segment with_own(const layout::tad_rope&, segment s, double) { return s; }

template <class Layout>
std::vector<segment> prompt_for(const Layout& layout, random_prompts& random, index_t most) {
    std::vector<segment> prompt = random.prompt(most, true);
    for (segment& s : prompt)
        if (!is_text_like(s) && random.number(0, 1) == 1)
            s = with_own(layout, s, 0.25 * static_cast<double>(random.number(1, 9)));
    return prompt;
}

std::vector<double> filled(const position_plan& plan, index_t begin, index_t end) {
    std::vector<double> out(static_cast<std::size_t>(plan.axes() * (end - begin)));
    REQUIRE(plan.fill(token_index{begin}, token_index{end}, axis_major(out.data(), plan.axes(), end - begin)).ok());
    return out;
}

template <class Layout>
void check(const Layout& layout, unsigned seed, double text_step) {
    random_prompts random(seed);
    for (int round = 0; round < 12; ++round) {
        const auto prompt = prompt_for(layout, random, 6), later = prompt_for(layout, random, 3);
        const position_plan plan = plan_of(layout, prompt);
        const walked w = walk(layout, prompt);
        REQUIRE(plan.size() == static_cast<index_t>(w.tokens.size()));
        double largest = -1.0;
        bool close = true, bounded = true;
        for (index_t n = 0; n < plan.size(); ++n) {
            const coordinate c = plan.coordinates(token_index{n});
            for (int a = 0; a < plan.axes(); ++a) {
                const double right = w.tokens[static_cast<std::size_t>(n)][static_cast<std::size_t>(a)];
                close = close && std::abs(c[a] - right) < 1e-11;
                bounded = bounded && c[a] <= plan.max_position();
                largest = std::max(largest, c[a]);
            }
        }
        CHECK(close);
        CHECK(bounded);
        CHECK(plan.max_position() == largest);
        CHECK(plan.next_position() == Approx(w.next).margin(1e-11));
        CHECK(plan.generation_start() == plan.next_position());
        for (index_t n = 0; n < 4; ++n)
            for (int a = 0; a < plan.axes(); ++a)
                CHECK(plan.coordinates(token_index{plan.size() + n})[a] ==
                      Approx(plan.next_position() + text_step * static_cast<double>(n)).margin(1e-11));

        const index_t count = plan.size() + 9, cut = random.number(0, count);
        const auto whole = filled(plan, 0, count), head = filled(plan, 0, cut), tail = filled(plan, cut, count);
        bool same = true;
        for (index_t n = 0; n < count; ++n)
            for (int a = 0; a < plan.axes(); ++a) {
                const double x = whole[static_cast<std::size_t>(a * count + n)];
                same = same && x == plan.coordinates(token_index{n})[a];
                same = same && x == (n < cut ? head[static_cast<std::size_t>(a * cut + n)]
                                             : tail[static_cast<std::size_t>(a * (count - cut) + n - cut)]);
            }
        CHECK(same);

        std::vector<segment> all = prompt;
        const index_t generated = random.number(1, 5);
        all.push_back(text(generated));
        all.insert(all.end(), later.begin(), later.end());
        for (const auto where : {continue_at::next_position, continue_at::generation_start}) {
            const auto longer = plan.append(layout, later.data(), static_cast<index_t>(later.size()), where, generated);
            REQUIRE(longer.ok());
            CHECK(*longer == plan_of(layout, all));
        }

        const auto bytes = serialise(plan);
        const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
        REQUIRE(back.ok());
        CHECK(*back == plan);
        CHECK(back->generation_start() == plan.generation_start());
    }
}

}  // namespace

TEST_CASE("VideoRoPE and HoPE equal a walk along the diagonal, however they are built and asked") {
    check(layout::videorope{2}, 31, 1.0);
    check(layout::videorope{2, 0.3}, 32, 1.0);
    check(layout::videorope{1, 1.5, layout::centring::half_side, layout::diagonal_advance::whole_steps}, 33, 1.0);
    check(layout::hope{2}, 34, 1.0);
    check(layout::hope{2, 0.1, layout::centring::floored_middle, layout::diagonal_advance::whole_steps}, 35, 1.0);
}

TEST_CASE("TAD-RoPE equals its two counts, however it is built and asked") {
    check(layout::tad_rope{2, 3}, 36, 2.0);
    check(layout::tad_rope{1}, 37, 2.0);
}

TEST_CASE("V2PE equals a walk by fractions, however it is built and asked") {
    check(layout::v2pe{2, 1.0}, 38, 1.0);
    check(layout::v2pe{2, 16.0, layout::span_of::block, 3}, 39, 1.0);
    check(layout::v2pe{1, 0.7, layout::span_of::tile}, 40, 1.0);
}

TEST_CASE("a frame step that is no number is refused, and so is one that passes the limit") {
    const segment clip = video(token_grid{3, 2, 2}, untimed);
    CHECK(error_of(layout::videorope{1, std::nan("")}, {clip}) ==
          status{errc::step_invalid, operand::segment, 0, 0, 0});
    CHECK(error_of(layout::hope{1}, {text(2), with_frame_step(clip, HUGE_VAL)}) ==
          status{errc::step_invalid, operand::segment, 1, 0, 0});
    CHECK(error_of(layout::videorope{1, 4e9}, {clip}).code == errc::position_overflow);
    CHECK(error_of(layout::videorope{1}, {with_span(clip, 2.0)}).code == errc::extra_not_read);
    CHECK(error_of(layout::tad_rope{1}, {with_frame_step(clip, 2.0)}).code == errc::extra_not_read);
}

TEST_CASE("rows and columns may reach below zero and past the text behind them") {
    const position_plan plan = plan_of(layout::videorope{1}, {image(token_grid{1, 9, 3}), text(2)});
    CHECK(row(plan, 1, 0, 4) == numbers{-4, -4, -4, -3});
    CHECK(plan.max_position() == 4.0);
    CHECK(plan.generation_start() == 3.0);
    CHECK(plan.coordinates(token_index{29})[2] == 3.0);
    std::int32_t whole[3 * 30];
    CHECK(plan.fill(token_index{0}, token_index{30}, axis_major(whole, 3, 30)).ok());
    CHECK(whole[30] == -4);
}
