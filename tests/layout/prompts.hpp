#pragma once
// What the layout tests share: prompts in the notation of the fault list, rows of positions as
// text, and random prompts.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

namespace polyrope::test {

using numbers = std::vector<double>;

/// Axis a of tokens [begin, end), through fill.
inline numbers row(const position_plan& plan, int a, index_t begin, index_t end, fill_options options = {}) {
    const index_t columns = end - begin + options.left + options.right;
    numbers all(static_cast<std::size_t>(columns * plan.axes()));
    const status s =
        plan.fill(token_index{begin}, token_index{end}, axis_major(all.data(), plan.axes(), columns), options);
    INFO(to_string(s).c_str());
    REQUIRE(s.ok());
    return numbers(all.begin() + a * columns, all.begin() + (a + 1) * columns);
}
inline numbers row(const position_plan& plan, int a) { return row(plan, a, 0, plan.size()); }

/// count times x, followed by `rest`.
inline numbers operator+(numbers x, const numbers& rest) {
    x.insert(x.end(), rest.begin(), rest.end());
    return x;
}
inline numbers times(std::size_t count, double x) { return numbers(count, x); }
inline numbers steps(double from, double to) {
    numbers x;
    for (; from <= to; from += 1.0) x.push_back(from);
    return x;
}

/// T4 I(1,4,6) T5 with merge 2: 15 tokens, next position 12, delta -3.
inline position_plan plan_a() {
    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    return *make_plan(layout::mrope{2}, prompt, 3);
}

template <class Layout>
position_plan plan_of(const Layout& layout, const std::vector<segment>& prompt, const plan_options& options = {}) {
    const auto plan = make_plan(layout, prompt.data(), static_cast<index_t>(prompt.size()), options);
    INFO(to_string(plan.error()).c_str());
    REQUIRE(plan.ok());
    return *plan;
}

template <class Layout>
status error_of(const Layout& layout, const std::vector<segment>& prompt, const plan_options& options = {}) {
    return make_plan(layout, prompt.data(), static_cast<index_t>(prompt.size()), options).error();
}

inline std::string sentence_of(const status& s) { return to_string(s).c_str(); }

/// A prompt of up to `most` segments: text, images, timed videos where they are wanted; empty text and single cells
/// included.
class random_prompts {
public:
    explicit random_prompts(unsigned seed, bool videos = true) : engine_(seed), videos_(videos) {}

    index_t number(index_t least, index_t most) { return std::uniform_int_distribution<index_t>(least, most)(engine_); }

    std::vector<segment> prompt(index_t most, bool gaps = false) {
        std::vector<segment> out;
        for (index_t i = number(0, most); i > 0; --i) {
            const patch_grid grid{number(1, 5), 2 * number(1, 6), 2 * number(1, 6)};
            const index_t kind = number(0, 4);
            if (kind < 2) out.push_back(text(number(0, 12)));
            else if (kind == 2 || !videos_) out.push_back(image(patch_grid{1, grid.rows, grid.columns}));
            else out.push_back(video(grid, seconds_per_grid{number(0, 7), number(1, 5)}));
            if (gaps && out.back().kind == segment_kind::video) out.back() = with_gap(out.back(), number(0, 3));
        }
        return out;
    }

    std::mt19937& engine() { return engine_; }

private:
    std::mt19937 engine_;
    bool videos_;
};

}  // namespace polyrope::test
