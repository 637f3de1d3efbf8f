// A layout and an allocation of one's own: two structs. Everything takes them as it takes the library's.
#include <cstdio>
#include <vector>
#include "polyrope/draw/text.hpp"
#include "polyrope/draw/text_measures.hpp"
#include "polyrope/mask/attention_calls.hpp"
#include "polyrope/metric/neutrality.hpp"
#include "polyrope/polyrope.hpp"
using namespace polyrope;
// A medium takes one step of time per frame; rows and columns lie around the running position, half a grid to a side.
struct centred {
    struct cursor {
        double next = 0.0;
    };
    int axes() const noexcept { return 3; }
    cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    double position(cursor at) const noexcept { return at.next; }
    cursor moved(cursor, double to) const noexcept { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const noexcept {
        if (is_text_like(s)) return builder.text(at.next, 1.0, s.count), cursor{at.next + static_cast<double>(s.count)};
        token_grid grid;
        if (!grid_of(s, 1, grid, builder) || !has_no_gaps(s, builder)) return at;
        builder.grid(grid, [&](placement& p) {
            for (int a = 0; a < 3; ++a)
                p.map[a].origin = p.neutral[a].origin = at.next, p.map[a].per_frame = p.neutral[a].per_frame = 1.0;
            p.map[1].origin -= 0.5 * static_cast<double>(grid.rows - 1);
            p.map[2].origin -= 0.5 * static_cast<double>(grid.columns - 1);
            p.map[1].per_row = p.map[2].per_column = 1.0;
        });
        return {at.next + static_cast<double>(grid.frames)};
    }
};

// Time gets the slowest pairs; rows and columns share the fast ones in turns.
struct time_slowest {
    index_t pairs, slow;
    int axes() const noexcept { return 3; }
    index_t groups() const noexcept { return 1; }
    status validate(index_t all) const noexcept {
        return pairs == all && slow <= all ? status{} : status{errc::section_mismatch, operand::section, 0, all, pairs};
    }
    axis operator()(index_t l, index_t) const noexcept {
        return l >= pairs - slow ? axis::t : l % 2 == 0 ? axis::h : axis::w;
    }
};
int main() {
    const segment prompt[] = {text(3), image(token_grid{1, 3, 4}), text(2)};
    const auto plan = make_plan(centred{}, prompt, 3), flat = make_plan(layout::neutral<centred>{}, prompt, 3);
    const auto table = make_frequency_table(time_slowest{32, 8}, spectrum::geometric{10000.0}, 64, pairing::half_split);
    std::vector<float> q(17 * 4 * 64, 1.0f);
    const status done = cpu::rotate(*make_rotary(*table), cpu::planned(*plan, {}), compact_heads(q.data(), 17, 4, 64));
    const token_range all{token_index{0}, token_index{17}};
    const auto calls = attention_calls::make(*plan, selection::without_tv_spatial, {all, all});
    const double bent = metric::phase_difference(*plan, *table, 1)->value;
    const double even = metric::phase_difference(*flat, *table, 1)->value;
    std::printf("%s\none head: %s\n%s\nturned: %s, phases inside the image differ by %.3f and %.3f\n",
                draw::rows(*plan, token_index{0}, token_index{19}).c_str(), draw::letters(*table).c_str(),
                draw::bias(*plan, *table, token_index{16}, 1)->c_str(), to_string(done).c_str(), bent, even);
    return done.ok() && calls.ok() && bent > 0.0 && even == 0.0 && plan->generation_start() == 6.0 ? 0 : 1;
}
