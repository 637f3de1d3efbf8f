#pragma once
// From a layout and the segments of a prompt to a plan, and from a plan to the next turn.
//
//     const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
//     const auto plan = make_plan(layout::mrope{2}, prompt, 3);
//     if (!plan) return plan.error();
//
// A layout is a policy, see layout/is_layout.hpp. Adding one touches neither the plan nor its evaluation.

#include "polyrope/layout/detail/plan_assembly.hpp"
#include "polyrope/layout/is_layout.hpp"

POLYROPE_BEGIN

struct plan_options {
    const segment* planned = nullptr;  ///< segments behind the prompt that are still to be generated
    index_t planned_count = 0;
    plan_limits limits{};
};

/// The plan of a prompt, or why there is none: the status names the segment and carries the numbers.
template <class Layout>
[[nodiscard]] result<position_plan> make_plan(const Layout& layout, const segment* segments, index_t count,
                                              const plan_options& options = {}) {
    static_assert(is_layout_v<Layout>,
                  "make_plan needs a layout policy: polyrope/layout/is_layout.hpp lists its members");
    using assembly = detail::plan_assembly;
    if (status s = assembly::check_list(segments, count); !s.ok()) return s;
    if (status s = assembly::check_list(options.planned, options.planned_count); !s.ok()) return s;
    plan_builder b(layout.axes(), options.limits);
    if (!b.ok()) return b.error();
    assembly::begin(b, layout, count + options.planned_count);
    auto at = assembly::place(b, layout, layout.resume(position_plan{}), segments, count);
    if (b.ok()) assembly::end_prompt(b, layout.position(at));
    at = assembly::place(b, layout, at, options.planned, options.planned_count);
    assembly::finish(b, layout, at);
    return assembly::take(b);
}

template <class Layout>
result<position_plan> position_plan::append(const Layout& layout, const segment* segments, index_t count,
                                            continue_at where, index_t generated) const& {
    static_assert(is_layout_v<Layout>, "append needs a layout policy: polyrope/layout/is_layout.hpp lists its members");
    return detail::plan_assembly::append(position_plan(*this), layout, segments, count, where, generated);
}

template <class Layout>
result<position_plan> position_plan::append(const Layout& layout, const segment* segments, index_t count,
                                            continue_at where, index_t generated) && {
    static_assert(is_layout_v<Layout>, "append needs a layout policy: polyrope/layout/is_layout.hpp lists its members");
    return detail::plan_assembly::append(std::move(*this), layout, segments, count, where, generated);
}

POLYROPE_END
