// The reference's scores against ones that were evaluated from the definition, in double.

#include "attention/prompt.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "support/golden.hpp"

using namespace polyrope;
using namespace polyrope::test;
using json = nlohmann::json;

namespace {

template <class Layout>
std::int64_t compare_scores(const json& c, const Layout& layout) {
    INFO(c["name"].get<std::string>());
    std::vector<segment> prompt;
    const json& visual = c["is_visual"];
    for (std::size_t n = 0; n < visual.size();) {
        const json kind = visual[n];
        index_t run = 0;
        for (; n < visual.size() && visual[n] == kind; ++n) ++run;
        if (kind == 0) prompt.push_back(text(run));
        else prompt.push_back(image(token_grid{1, 2, run / 2}, run));
    }
    const position_plan plan = plan_of(layout, prompt);
    const token_range all{token_index{0}, token_index{plan.size()}};
    for (const position_source which : {position_source::coordinates, position_source::neutral}) {
        const json& right = c[which == position_source::neutral ? "neutral_coords" : "original_coords"];
        for (index_t n = 0; n < plan.size(); ++n)
            for (int a = 0; a < 3; ++a) {
                const double found = which == position_source::neutral ? (*plan.neutral(token_index{n}))[a]
                                                                       : plan.coordinates(token_index{n})[a];
                REQUIRE(found == right[static_cast<std::size_t>(a)][static_cast<std::size_t>(n)].get<double>());
            }
    }

    std::vector<axis> axes;
    for (const json& a : c["axis_per_pair"]) axes.push_back(static_cast<axis>(a.get<int>()));
    const auto head_dim = c["head_dim"].get<index_t>();
    const rotary rope =
        make_rotary(make_frequency_table(allocation::per_pair{axes.data(), head_dim / 2},
                                         spectrum::geometric{c["base"].get<double>()}, head_dim, pairing::half_split)
                        .value())
            .value();
    const auto heads_in = [&](const json& rows) {
        heads out{{}, 1, head_dim};
        for (const json& row : rows)
            for (const json& x : row) out.data.push_back(x.get<double>());
        return out;
    };
    const heads q = heads_in(c["q"]), k = heads_in(c["k"]);
    const char* const names[] = {"original", "wo_tv", "wo_vv", "wo_both"};
    std::int64_t compared = 0;
    for (int i = 0; i < 4; ++i) {
        const attention_region region{all, all};
        const banks in = make_banks(rope, plan, selections[i], region, q, k, k);
        attention_options options;
        options.scale = 1.0;
        const auto scores = attention::reference<double>::make(plan, selections[i], region, in.operands(), options);
        INFO(to_string(scores.error()).c_str());
        REQUIRE(scores.ok());
        double worst = 0.0;
        for (index_t n = 0; n < plan.size(); ++n)
            for (index_t j = 0; j < plan.size(); ++j, ++compared)
                worst = std::max(
                    worst,
                    std::fabs(
                        scores->score(n, 0, j) -
                        c["scores"][names[i]][static_cast<std::size_t>(n)][static_cast<std::size_t>(j)].get<double>()));
        CHECK(worst <= 1e-9);
    }
    return compared;
}

}  // namespace

TEST_CASE("scores of the four selections are the definition's within 1e-9") {
    const json& cases = golden("research/neutral.json")["cases"];
    layout::mrope grids{1};
    CHECK(compare_scores(cases[0], grids) == 4 * 12 * 12);
    CHECK(compare_scores(cases[1], grids) == 4 * 18 * 18);
    CHECK(compare_scores(cases[2], layout::ilrope{1, layout::text_axes::time_alone,
                                                  layout::step_behind::larger_side}) == 4 * 12 * 12);
    CHECK(cases.size() == 3);
}
