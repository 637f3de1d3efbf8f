#pragma once
// Plans in the memory of a case, and the cases of the fill kernel: every source, type and order.

#include "cuda/ptx_case.hpp"
#include "polyrope/cuda/detail/fill.hpp"
#include "polyrope/layout/mrope.hpp"
#include "random.hpp"

namespace polyrope::test {

inline position_plan prompt_plan(random_bits& random) {
    const segment prompt[] = {text(1), video(patch_grid{2, 2, 4}, seconds_per_grid{2, 3}), text(random.between(1, 3))};
    layout::mrope where{2, floored_product(2)};
    where.text_step = random.chance(50) ? 1.0 : 0.37;
    return *make_plan(where, prompt, 3);
}

template <class Task>
cuda::device_plan add_plan(launch_case<Task>& c, const position_plan& plan, const std::string& name) {
    auto* const memory = c.template add<unsigned char>(name, cuda::device_bytes(plan));
    if (const status s = cuda::pack(plan, memory, cuda::device_bytes(plan)); !s.ok()) detail::stop(s);
    return cuda::on_device(plan, memory);
}

/// Two requests behind one token of none, and another behind them: by the index of the first token of each, or listed.
struct drawn_batch {
    cuda::planned_batch step;

    template <class Task>
    drawn_batch(launch_case<Task>& c, random_bits& random, index_t tokens, bool listed) {
        const cuda::device_plan one = add_plan(c, prompt_plan(random), "plan");
        const cuda::device_plan other = add_plan(c, prompt_plan(random), "other_plan");
        auto* const plans = c.template add<cuda::device_plan>("plans", 2);
        c.buffers.back().holds_addresses = true;
        plans[0] = one;
        plans[1] = other;
        const result<cuda::plan_facts> facts = cuda::facts_of(plans, 2);
        if (!facts.ok()) detail::stop(facts.error());
        auto* const token_firsts = c.template add<index_t>("token_firsts", 3);
        token_firsts[0] = tokens > 2 ? 1 : 0;
        token_firsts[1] = token_firsts[0] + tokens / 2;
        token_firsts[2] = tokens > 3 ? tokens - 1 : tokens;
        step.plans = plans;
        step.token_firsts = token_firsts;
        step.facts = *facts;
        auto* const indices = c.template add<index_t>("indices", listed ? tokens : 2);
        for (index_t i = 0; i < (listed ? tokens : 2); ++i) indices[i] = listed && i == 2 ? -4 : random.between(0, 40);
        (listed ? step.indices : step.index_firsts) = indices;
        step.count = listed ? tokens : 0;
    }
    [[nodiscard]] cuda::planned_batch tokens(position_source which) const {
        cuda::planned_batch asked = step;
        asked.which = which;
        return asked;
    }
};

using fill_case = launch_case<cuda::detail::fill_task>;

template <class Source, class P>
void bind_fill_case(fill_case& c, const Source& source, index_t tokens, bool by_axis) {
    const index_t axes = cuda::detail::axes_of(source);
    P* const out = c.add<P>("positions_out", axes * tokens);
    const auto view = by_axis ? axis_major(out, axes, tokens) : token_major(out, axes, tokens);
    if (const status s = cuda::detail::bind_fill(c.task, source, view, fraction::truncated); !s.ok()) detail::stop(s);
}

template <class P>
void bind_fill_source(fill_case& c, random_bits& random, index_t tokens) {
    const auto which = random.chance(50) ? position_source::neutral : position_source::coordinates;
    const bool by_axis = random.chance(50);
    if (c.number == 0 || c.number == 1) {
        const position_plan plan = prompt_plan(random);
        const cuda::device_plan at = add_plan(c, plan, "plan");
        if (c.number == 0)
            return bind_fill_case<cuda::planned_tokens, P>(
                c, cuda::planned(at, token_index{random.between(0, plan.size())}, which), tokens, by_axis);
        auto* const indices = c.add<index_t>("indices", tokens);
        for (index_t n = 0; n < tokens; ++n) indices[n] = n == 1 ? -1 : random.between(0, 3 * plan.size());
        return bind_fill_case<cuda::planned_tokens, P>(c, cuda::planned(at, indices, tokens, which), tokens, by_axis);
    }
    if (c.number == 2 || c.number == 3)
        return bind_fill_case<cuda::planned_batch, P>(c, drawn_batch(c, random, tokens, c.number == 3).tokens(which),
                                                      tokens, by_axis);
    auto* const tails = c.add<cuda::device_tail>("tails", tokens);
    auto* const live = c.add<index_t>("live", tokens);
    int axes = 0;
    for (index_t n = 0; n < tokens; ++n) {
        const position_plan plan = prompt_plan(random);
        axes = plan.axes();
        tails[n] = cuda::tail_on_device(plan);
        live[n] = n == 0 ? -1 : tails[n].first + random.between(0, 5000);
    }
    bind_fill_case<cuda::decode_tails, P>(c, cuda::decode_tails{tails, live, tokens, axes}, tokens, by_axis);
}

inline void write_fill_kernel(nlohmann::json& all, const std::string& kernel) {
    random_bits random(331);
    const char* const names[] = {"a range of a plan", "indices of a plan", "a batch", "indices of a batch", "tails"};
    for (int number = 0; number < 5; ++number)
        for (int type = 0; type < 3; ++type) {
            constexpr index_t tokens = 7;
            fill_case c;
            c.name = names[number];
            c.number = number;
            c.buffers.reserve(8);
            if (type == 0) bind_fill_source<std::int32_t>(c, random, tokens);
            if (type == 1) bind_fill_source<std::int64_t>(c, random, tokens);
            if (type == 2) bind_fill_source<float>(c, random, tokens);
            cuda::detail::fill_shape shape;
            if (const status s = cuda::detail::shape_fill(shape, c.task); !s.ok()) detail::stop(s);
            c.shape.token_blocks = shape.blocks;
            c.shape.chunk_blocks = 1;
            c.shape.lanes = shape.threads;
            c.shape.chunks = c.shape.tokens = 1;
            c.begin();
            for (index_t n = 0; n < tokens; ++n) cuda::detail::fill_token(c.task, n);
            all.push_back(c.written(kernel, tokens));
        }
}

}  // namespace polyrope::test
