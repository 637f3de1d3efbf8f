// Positions of TAD-RoPE as VideoRoPE's authors carry it. Its padding holds 2, the sum of two tables that hold 1, and its
// delta is stated against twice the row.

#include "golden/position_cases.hpp"
#include "polyrope/layout/tad_rope.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("positions of TAD-RoPE equal the code that carries it", "[golden]") {
    const char* const file = "research/tad_rope.json";
    const json& all = golden(file);
    for (std::size_t i = 0; i < all["position_cases"].size(); ++i) {
        golden_case one(file, "position_cases", i);
        const json& c = one.data();
        INFO(one.name());
        case_media media = research_media(all, c, video_runs::one_run);
        const auto rows = plan_rows(
            c, [&](auto... row) { return media(row...); },
            [&](std::size_t) {
                return layout::tad_rope{c["spatial_merge_size"], 3};
            });
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const planned_row& row = rows[r];
            CHECK(compare_positions<std::int32_t>(one, row, c["position_ids"], r, 2.0));
            // The flat half of the reference counts padding from here on.
            if (row.padding.left > 0) continue;
            const auto next = c["next_position"][r].get<double>(), delta = c["rope_deltas"][r].get<double>();
            const index_t length = row.length();
            CHECK(one.equal(row.plan.generation_start(), next));
            CHECK(one.equal(row.plan.generation_start() - 2.0 * static_cast<double>(length), delta));
            for (index_t n = 0; n < 3; ++n)
                CHECK(one.equal(row.plan.coordinates(token_index{length + n})[0],
                                2.0 * static_cast<double>(length + n) + delta));
        }
    }
}
