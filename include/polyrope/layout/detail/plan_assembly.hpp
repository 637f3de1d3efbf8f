#pragma once
// The steps from a builder to a plan that layout policies do not see.

#include "polyrope/layout/plan_builder.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace detail {

template <class Layout, class = void>
struct generation_of {
    [[nodiscard]] static generation rule(const Layout&) noexcept { return generation::past_everything; }
};
template <class Layout>
struct generation_of<Layout, std::void_t<decltype(std::declval<const Layout&>().continues())>> {
    [[nodiscard]] static generation rule(const Layout& layout) noexcept { return layout.continues(); }
};

struct plan_assembly {
    static void reserve(plan_builder& b, index_t segments) {
        const auto most = static_cast<std::size_t>(segments) + b.data_.placements.size() + 1;
        if (most <= b.data_.placements.capacity()) return;
        // Growing by half keeps many turns amortised.
        const std::size_t grown = b.data_.placements.empty() ? most : most + most / 2;
        b.data_.placements.reserve(grown);
        b.data_.first_tokens.reserve(grown);
    }

    template <class Layout>
    POLYROPE_NOINLINE static typename Layout::cursor place(plan_builder& b, const Layout& layout,
                                                           typename Layout::cursor at, const segment* segments,
                                                           index_t count) {
        for (index_t i = 0; i < count && b.ok(); ++i) {
            ++b.data_.segments;
            at = layout.place(segments[i], at, b);
        }
        return at;
    }

    /// Notes what the prompt's numbers speak of.
    static void end_prompt(plan_builder& b, double next) noexcept {
        plan_data& d = b.data_;
        d.prompt_tokens = d.placed_tokens;
        d.prompt_max = d.highest;
        d.next_position = next;
        d.generation_start = d.start_behind(next);
    }

    [[nodiscard]] static plan_data& data(plan_builder& b) noexcept { return b.data_; }

    /// Adds a placement of another plan, under its segment.
    static void add_again(plan_builder& b, const placement& p) {
        b.data_.segments = p.segment + 1;
        b.add(p);
    }

    /// Where the open placement starts.
    [[nodiscard]] static double open_start(const plan_data& d) noexcept { return d.start_behind(d.end_position); }
    /// Where the open placement of a plan stands. After pruning it is behind what is left of the coordinates.
    [[nodiscard]] static double tail_start(const plan_data& d) noexcept { return d.placements.back().map[0].origin; }

    template <class Layout>
    static void begin(plan_builder& b, const Layout& layout, index_t segments) {
        b.data_.continues = generation_of<Layout>::rule(layout);
        reserve(b, segments);
    }

    template <class Layout>
    static void finish(plan_builder& b, const Layout& layout, typename Layout::cursor at) {
        if (!b.ok()) return;
        b.data_.end_position = layout.position(at);
        const auto start = layout.moved(at, open_start(b.data_));
        close(b, [&](plan_builder& inner) { static_cast<void>(layout.place(text(1), start, inner)); });
    }

    /// Adds the open placement by `add`, which places one token, without letting it count.
    template <class Add>
    static void close(plan_builder& b, Add add) {
        plan_data& d = b.data_;
        const index_t placed = d.placed_tokens;
        const double highest = d.highest, highest_time = d.highest_time, reach = d.reach;
        const bool whole = d.placed_whole, reuses = d.reuses_positions;
        const std::size_t placements = d.placements.size();
        const index_t segments = d.segments++;
        d.max_position = static_cast<index_t>(largest_whole);  // the first token past the prompt may pass the limit
        add(b);
        d.segments = segments;
        if (!b.ok()) return;
        if (d.placements.size() != placements + 1)
            return b.refuse(status{errc::modality_not_placed, operand::plan, 0, 0, 0});
        d.max_position = b.limits_.max_position;
        d.placed_tokens = placed;
        d.highest = highest;
        d.highest_time = highest_time;
        d.reach = reach;
        d.placed_whole = whole;
        d.reuses_positions = reuses;
        open(d);
    }

    /// Opens the last placement.
    static void open(plan_data& d) noexcept {
        placement& tail = d.placements.back();
        tail.count = index_max - tail.first_token;
        tail.grid = {1, 1, index_max};
        d.integral = d.placed_whole && tail.whole;
        bool uniform = tail.whole;
        for (int a = 0; a < d.axes; ++a)
            uniform = uniform && tail.map[a].per_column == 1.0 && tail.map[a].origin == tail.map[0].origin;
        d.simple_from = uniform ? tail.first_token : index_max;
        d.tail_shift = uniform ? static_cast<index_t>(tail.map[0].origin) - tail.first_token : 0;
    }

    static result<position_plan> take(plan_builder& b) {
        if (!b.ok()) return b.error();
        return plan_access::make(std::move(b.data_));
    }

    [[nodiscard]] static status check_list(const segment* segments, index_t count) noexcept {
        if (count < 0) return {errc::negative_count, operand::segment, 0, 0, count};
        if (count > 0 && segments == nullptr) return {errc::null_data, operand::segment, 0, 0, count};
        return {};
    }

    template <class Layout>
    static result<position_plan> append(position_plan&& plan, const Layout& layout, const segment* segments,
                                        index_t count, continue_at where, index_t generated) {
        if (plan.axes() != layout.axes())
            return status{errc::extent_mismatch, operand::plan, 0, layout.axes(), plan.axes()};
        if (plan.placements().empty()) return status{errc::axis_invalid, operand::plan, 0, max_axes, plan.axes()};
        if (status s = check_list(segments, count); !s.ok()) return s;
        if (generated < 0) return status{errc::negative_count, operand::plan, 0, 0, generated};
        auto at = layout.resume(plan);
        plan_data& old = plan_access::data(plan);
        if (where == continue_at::generation_start) at = layout.moved(at, tail_start(old));
        plan_builder b(old.axes, plan_limits{old.max_position, plan_limits{}.max_bytes});
        b.data_ = std::move(old);
        b.data_.placements.pop_back();
        b.data_.first_tokens.pop_back();
        begin(b, layout, count + 1);
        const segment answer = text(generated);
        if (generated > 0) at = place(b, layout, at, &answer, 1);
        at = place(b, layout, at, segments, count);
        if (b.ok()) end_prompt(b, layout.position(at));
        finish(b, layout, at);
        return take(b);
    }
};

}  // namespace detail

POLYROPE_END
