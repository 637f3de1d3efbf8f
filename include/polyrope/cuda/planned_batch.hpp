#pragma once
// Many requests in one launch, straight from their plans: which request a token is of is found on the device.
//
//     std::vector<cuda::device_plan> plans = ...;            // on_device of each request's plan
//     auto facts = cuda::facts_of(plans.data(), requests);   // then `plans` is copied to the device as it is
//     cuda::planned_batch step{plans_there, token_firsts, index_firsts, *facts};
//     status s = cuda::rotate(rope, step, q, k, stream);     // or cuda::fill_positions(step, positions, stream)
//
//     launch         0 1 2 3 4 5 6 7        token_firsts   0 3 7      [requests + 1]
//     request        0 0 0 1 1 1 1 -        index_firsts   9 0        [requests]
//     index there    9 10 11 0 1 2 3 -
//
// Token 7 is of no request and is skipped: a captured graph is padded that way, and all of it may change in device
// memory. Nothing here needs a CUDA compiler.

#include "polyrope/cuda/device_plan.hpp"

POLYROPE_BEGIN
namespace cuda {

/// What the host must know of plans that lie in device memory.
struct plan_facts {
    index_t requests = 0;
    int axes = 0;
    double reach = 0.0;  ///< the largest of all
    // The first request of which it holds, or no_segment.
    index_t farthest = no_segment, without_neutral = no_segment;
    index_t not_whole = no_segment, neutral_not_whole = no_segment;
};

/// Of plans on the host, before they are copied. All of them have the same axes.
[[nodiscard]] inline result<plan_facts> facts_of(const device_plan* plans, index_t requests) noexcept {
    if (requests < 0) return status{errc::negative_count, operand::request, 0, 0, requests};
    if (requests > INT32_MAX - 1) return status{errc::capacity_exceeded, operand::request, 0, INT32_MAX - 1, requests};
    if (requests > 0 && plans == nullptr) return status{errc::null_data, operand::plan, 0, 0, requests};
    plan_facts facts;
    facts.requests = requests;
    const auto note = [](index_t segment, index_t request, index_t& first) {
        if (segment != no_segment && first == no_segment) first = request;
    };
    for (index_t r = 0; r < requests; ++r) {
        const device_plan& plan = plans[r];
        if (r == 0) facts.axes = plan.axes;
        if (plan.axes != facts.axes) return status{errc::extent_mismatch, operand::plan, r, facts.axes, plan.axes};
        if (plan.count > INT32_MAX) return status{errc::capacity_exceeded, operand::plan, r, INT32_MAX, plan.count};
        if (plan.reach > facts.reach) facts.reach = plan.reach, facts.farthest = r;
        note(plan.without_neutral, r, facts.without_neutral);
        note(plan.not_whole, r, facts.not_whole);
        note(plan.neutral_not_whole, r, facts.neutral_not_whole);
    }
    return facts;
}

/// Addresses are the device's. Token n of the launch is of the request whose token_firsts hold it.
struct planned_batch {
    const device_plan* plans = nullptr;     ///< [requests]
    const index_t* token_firsts = nullptr;  ///< [requests + 1], going up: the first token of each request, and the end
    const index_t* index_firsts = nullptr;  ///< [requests]: the index of that token in its request
    plan_facts facts{};
    position_source which = position_source::coordinates;
    /// Instead of index_firsts: the index of every token in its request; below zero, the token is skipped.
    const index_t* indices = nullptr;
    index_t count = 0;  ///< of indices
};

}  // namespace cuda
POLYROPE_END
