// Neutrality in attention, not only in coordinates: patches of equal content get equal weight from text where
// text-vision pairs are neutral, and unequal weight where they are not.

#include "attention/prompt.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Largest difference between the scores of a text query towards two patches of the image.
double spread(const position_plan& plan, coordinate_selection which, random_bits& random) {
    const token_range all{token_index{0}, token_index{plan.size()}};
    const rotary rope = small_rotary(24);
    const heads q = random_heads(random, plan.size(), 1, 24);
    heads k = random_heads(random, plan.size(), 1, 24);
    index_t first = -1, last = -1;
    for (index_t n = 0; n < plan.size(); ++n) {
        if (plan.kind_of(token_index{n}) != modality::visual) continue;
        first = first < 0 ? n : first;
        last = n;
        for (index_t c = 0; c < 24; ++c)
            k.data[static_cast<std::size_t>(n * 24 + c)] = 0.1 * static_cast<double>(c % 7);
    }
    const banks in = make_banks(rope, plan, which, {all, all}, q, k, k);
    const auto scores = *attention::reference<double>::make(plan, which, {all, all}, in.operands());
    double low = 1e300, high = -1e300;
    for (index_t j = first; j <= last; ++j) {
        const double s = scores.score(plan.size() - 1, 0, j);
        low = std::min(low, s);
        high = std::max(high, s);
    }
    return high - low;
}

}  // namespace

TEST_CASE("a text query weighs equal patches alike where text-vision pairs are neutral") {
    random_bits random(31);
    layout::mrope reset{2};
    reset.spatial_reset = true;
    for (const layout::mrope& layout : {layout::mrope{2}, reset}) {
        const position_plan plan = plan_of(layout, {text(4), image(patch_grid{1, 8, 12}), text(3)});
        CHECK(spread(plan, selection::without_tv_spatial, random) <= 1e-12);
        CHECK(spread(plan, selection::without_both_spatial, random) <= 1e-12);
        CHECK(spread(plan, selection::original, random) > 1e-2);
        CHECK(spread(plan, selection::without_vv_spatial, random) > 1e-2);
    }
}
