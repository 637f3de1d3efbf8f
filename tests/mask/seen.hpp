#pragma once
// What the tests of attention calls share.

#include "layout/prompts.hpp"
#include "polyrope/mask/attention_calls.hpp"

namespace polyrope::test {

inline constexpr coordinate_selection selections[] = {selection::original, selection::without_tv_spatial,
                                                      selection::without_vv_spatial, selection::without_both_spatial};

/// The run of visual tokens of one segment that holds token n.
inline token_range image_around(const position_plan& plan, index_t n) {
    index_t begin = n, end = n + 1;
    const auto same = [&](index_t i) {
        return plan.kind_of(token_index{i}) == modality::visual &&
               plan.segment_of(token_index{i}) == plan.segment_of(token_index{n});
    };
    while (begin > 0 && same(begin - 1)) --begin;
    while (same(end)) ++end;
    return {token_index{begin}, token_index{end}};
}

}  // namespace polyrope::test
