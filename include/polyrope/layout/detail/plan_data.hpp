#pragma once
// What a plan holds. Made by plan_builder, checked there, read everywhere else.

#include <vector>

#include "polyrope/layout/placement.hpp"

POLYROPE_BEGIN

class position_plan;

/// In place of a segment's index where there is none.
inline constexpr index_t no_segment = -1;

/// Where generated text continues behind a prompt.
enum class generation : std::uint8_t {
    past_everything,   ///< one past the largest coordinate, and never before the next text position
    at_next_position,  ///< where more prompt would continue, whatever coordinates a medium reached
};

namespace detail {

struct plan_data {
    // Decode reads these four and nothing else while text moves all axes alike by one.
    index_t placed_tokens = 0;        ///< first token of the open placement
    index_t tail_shift = 0;           ///< coordinate minus index of a token there
    index_t simple_from = index_max;  ///< placed_tokens where that holds on all axes for every token there
    std::int32_t axes = 0;

    std::vector<index_t> first_tokens;  ///< of each placement: what a search reads
    std::vector<placement> placements;
    std::vector<double> arena;

    index_t prompt_tokens = 0;
    index_t segments = 0;
    index_t without_neutral = no_segment;  ///< first segment that states no neutral point
    index_t max_position = INT32_MAX;      ///< limit that the plan was built for
    double next_position = 0.0;
    double generation_start = 0.0;
    double prompt_max = -1.0;    ///< over the prompt
    double end_position = 0.0;   ///< where the walk stands behind all segments, planned ones too
    double highest = -1.0;       ///< largest coordinate of all placements but the open one
    double highest_time = -1.0;  ///< the same, of the first axis alone
    double reach = 0.0;          ///< largest magnitude of a coordinate or neutral point there
    double step_reach = 0.0;     ///< largest magnitude of a step, the open placement's too
    bool placed_whole = true;    ///< every placement but the open one is whole
    bool integral = true;        ///< every placement is
    bool reuses_positions = false;
    generation continues = generation::past_everything;

    /// Where generated text starts if the walk stands at `next`.
    [[nodiscard]] double start_behind(double next) const noexcept {
        return continues == generation::past_everything && highest + 1.0 > next ? highest + 1.0 : next;
    }

    /// Index of the placement that holds token n; n below zero counts as 0.
    [[nodiscard]] index_t find(index_t n) const noexcept {
        const index_t* base = first_tokens.data();
        auto left = static_cast<index_t>(first_tokens.size());
        if (n >= placed_tokens) return left - 1;
        while (left > 1) {  // a mask and no branch: a random order costs no misprediction
            const index_t half = left / 2;
            base += half & -static_cast<index_t>(base[half] <= n);
            left -= half;
        }
        return base - first_tokens.data();
    }
    [[nodiscard]] const placement& placement_of(index_t n) const noexcept {
        return placements[static_cast<std::size_t>(find(n))];
    }

    [[nodiscard]] token_range tokens_of(index_t segment) const noexcept {
        const auto first_of = [this](index_t s) {
            std::size_t low = 0, high = placements.size();
            while (low < high) {
                const std::size_t middle = low + (high - low) / 2;
                if (placements[middle].segment < s) low = middle + 1;
                else high = middle;
            }
            return token_index{low < placements.size() ? placements[low].first_token : placed_tokens};
        };
        if (segment < 0 || segment >= segments) return {token_index{placed_tokens}, token_index{placed_tokens}};
        return {first_of(segment), first_of(segment + 1)};
    }
};

/// The limit that a plan was built for says nothing about where tokens sit, and is left out.
[[nodiscard]] inline bool operator==(const plan_data& x, const plan_data& y) noexcept {
    return x.axes == y.axes && x.placed_tokens == y.placed_tokens && x.prompt_tokens == y.prompt_tokens &&
           x.segments == y.segments && x.next_position == y.next_position && x.generation_start == y.generation_start &&
           x.end_position == y.end_position && x.continues == y.continues && x.placements == y.placements &&
           x.arena == y.arena;
}

struct plan_assembly;

struct plan_access {
    template <class Plan>
    [[nodiscard]] static const plan_data& data(const Plan& plan) noexcept {
        return plan.data_;
    }
    template <class Plan>
    [[nodiscard]] static plan_data& data(Plan& plan) noexcept {
        return plan.data_;
    }
    template <class Plan = position_plan>
    [[nodiscard]] static Plan make(plan_data&& data) noexcept {
        Plan plan;
        plan.data_ = std::move(data);
        return plan;
    }
};

}  // namespace detail
POLYROPE_END
