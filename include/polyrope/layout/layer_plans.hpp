#pragma once
// Several plans for one prompt, and which of them each layer of a model reads. Circle-RoPE's AGE (alternating geometry,
// arXiv:2505.16416) reads rings in some layers and M-RoPE in the others. Tested against AGE_index_dict of
// lose4578/CircleRoPE 063fb2c. The paper and the code number the strategies differently:
//
//     layers of the ring     36 layers, 0 first    paper         code
//     all                    0 - 35                strategy 1    no AGE_mode
//     upper_half             18 - 35               strategy 2    strategy_3
//     lower_half             0 - 17                strategy 3    strategy_2
//     alternating            0, 2, .. 34           strategy 4    strategy_4, as released
//
//     auto age = make_layer_plans(rings, mrope, ring_layers::alternating, 36, segments, count);
//     age->plan(layer, n).fill(n, ...);

#include "polyrope/layout/make_plan.hpp"

POLYROPE_BEGIN

/// Layers that read the first plan. Of an odd number the lower half is the smaller one.
enum class ring_layers : std::uint8_t { all, lower_half, upper_half, alternating };

/// Where generated tokens sit.
enum class layer_decoding : std::uint8_t {
    per_plan,         ///< where the layer's own plan goes on
    ring_everywhere,  ///< where the first plan goes on, in all layers: the released code, which keeps one delta
};

struct layer_plans {
    std::vector<position_plan> plans;
    std::vector<std::uint8_t> plan_of_layer;
    layer_decoding decoding = layer_decoding::per_plan;

    [[nodiscard]] index_t layers() const noexcept { return static_cast<index_t>(plan_of_layer.size()); }

    /// Whether every layer of a model of `model_layers` has a plan, and all plans place the same tokens.
    [[nodiscard]] status check(index_t model_layers) const noexcept {
        if (layers() != model_layers) return {errc::extent_mismatch, operand::layers, 0, model_layers, layers()};
        const auto last = static_cast<index_t>(plans.size()) - 1;
        for (std::size_t i = 0; i < plan_of_layer.size(); ++i)
            if (plan_of_layer[i] > last)
                return {errc::value_invalid, operand::layers, static_cast<index_t>(i), last, plan_of_layer[i]};
        for (std::size_t i = 1; i < plans.size(); ++i)
            if (plans[i].size() != plans[0].size())
                return {errc::extent_mismatch, operand::plan, static_cast<index_t>(i), plans[0].size(),
                        plans[i].size()};
        return {};
    }

    /// The plan that a layer, 0 <= layer < layers(), reads for token n.
    [[nodiscard]] const position_plan& plan(index_t layer, token_index n) const noexcept {
        const position_plan& own = plans[plan_of_layer[static_cast<std::size_t>(layer)]];
        return decoding == layer_decoding::ring_everywhere && n.value >= own.size() ? plans[0] : own;
    }

    /// As position_plan::fill, for one layer.
    template <class P>
    status fill(index_t layer, token_index begin, token_index end, positions_view<P> out,
                fill_options options = {}) const noexcept {
        if (layer < 0 || layer >= layers()) return {errc::range_invalid, operand::layers, 0, layer, layers()};
        const position_plan &before = plan(layer, token_index{0}), &behind = plan(layer, token_index{before.size()});
        if (&before == &behind || end.value <= before.size()) return before.fill(begin, end, out, options);
        if (begin.value >= before.size()) return behind.fill(begin, end, out, options);
        // Both parts are looked at before one is written.
        fill_options first = options, second = options;
        first.right = second.left = 0;
        const token_index cut{before.size()};
        const detail::planned_row rows[] = {{&detail::plan_access::data(before), {begin, cut}, first},
                                            {&detail::plan_access::data(behind), {cut, end}, second}};
        index_t columns = 0;
        for (const detail::planned_row& row : rows) {
            if (status s = detail::check_row<P>(row); !s.ok()) return s;
            if (!checked_add(columns, row.columns(), columns)) return {errc::size_overflow, operand::output, 1, 0, 0};
        }
        if (status s = detail::check_output(out, before.axes(), columns); !s.ok()) return s;
        const index_t middle = rows[0].columns();
        detail::fill_columns(rows[0], 0, middle, out.sub(0, middle));
        detail::fill_columns(rows[1], 0, rows[1].columns(), out.sub(middle, columns));
        return {};
    }
};

/// For each of `layers` layers: 0 where it reads the first plan, else 1.
[[nodiscard]] inline std::vector<std::uint8_t> plans_of_layers(ring_layers which, index_t layers) {
    std::vector<std::uint8_t> plan;
    for (index_t i = 0; i < layers; ++i) {
        const bool first = which == ring_layers::all || (which == ring_layers::lower_half && i < layers / 2) ||
                           (which == ring_layers::upper_half && i >= layers / 2) ||
                           (which == ring_layers::alternating && i % 2 == 0);
        plan.push_back(first ? 0 : 1);
    }
    return plan;
}

/// The plans of one prompt under two layouts.
template <class First, class Second>
[[nodiscard]] result<layer_plans> make_layer_plans(const First& first, const Second& second, ring_layers which,
                                                   index_t layers, const segment* segments, index_t count,
                                                   layer_decoding decoding = layer_decoding::per_plan,
                                                   const plan_options& options = {}) {
    if (layers < 1) return status{errc::value_invalid, operand::layers, 0, 1, layers};
    layer_plans out{{}, plans_of_layers(which, layers), decoding};
    result<position_plan> plan = make_plan(first, segments, count, options);
    if (!plan) return plan.error();
    out.plans.push_back(*std::move(plan));
    if (which == ring_layers::all) return out;
    result<position_plan> other = make_plan(second, segments, count, options);
    if (!other) return other.error();
    out.plans.push_back(*std::move(other));
    return out;
}

POLYROPE_END
