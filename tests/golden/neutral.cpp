// Spatially neutral coordinates, and the scores of every pair of tokens under the four configurations: text and visual
// tokens compared at original or neutral coordinates, visual tokens among themselves likewise.

#include "golden/position_cases.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/layout/neutral.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Runs of text and of grids with two rows.
std::vector<segment> segments_of_flags(const json& is_visual) {
    std::vector<segment> out;
    for (std::size_t n = 0; n < is_visual.size();) {
        const bool visual = is_visual[n] == 1;
        index_t run = 0;
        for (; n < is_visual.size() && (is_visual[n] == 1) == visual; ++n) ++run;
        out.push_back(visual ? image(token_grid{1, 2, run / 2}, run) : text(run));
    }
    return out;
}

using rows = std::vector<std::vector<float>>;

/// Tokens of one head, turned by a plan.
rows turned(const rotary& rope, const position_plan& plan, const json& in) {
    std::vector<float> flat;
    for (const json& token : in)
        for (const json& x : token) flat.push_back(x.get<float>());
    const auto tokens = static_cast<index_t>(in.size()), channels = static_cast<index_t>(in[0].size());
    REQUIRE(
        cpu::rotate(rope, cpu::planned(plan, token_index{0}), compact_heads(flat.data(), tokens, 1, channels)).ok());
    rows out;
    for (std::size_t n = 0; n < in.size(); ++n)
        out.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(n * in[0].size()),
                         flat.begin() + static_cast<std::ptrdiff_t>((n + 1) * in[0].size()));
    return out;
}

double score(const std::vector<float>& q, const std::vector<float>& k) {
    double sum = 0.0;
    for (std::size_t c = 0; c < q.size(); ++c) sum += static_cast<double>(q[c]) * static_cast<double>(k[c]);
    return sum;
}

template <class Layout>
void check_neutral(golden_case& one, const Layout& layout) {
    const json& c = one.data();
    INFO(one.name());
    const auto segments = segments_of_flags(c["is_visual"]);
    const auto count = static_cast<index_t>(segments.size());
    const auto original = make_plan(layout, segments.data(), count),
               neutral = make_plan(layout::neutral<Layout>{layout}, segments.data(), count);
    REQUIRE(original.ok());
    REQUIRE(neutral.ok());
    for (int a = 0; a < 3; ++a)
        for (index_t n = 0; n < original->size(); ++n) {
            const auto axis = static_cast<std::size_t>(a), token = static_cast<std::size_t>(n);
            const auto point = c["neutral_coords"][axis][token].get<double>();
            CHECK(one.equal(original->coordinates(token_index{n})[a], c["original_coords"][axis][token].get<double>()));
            CHECK(one.equal(neutral->coordinates(token_index{n})[a], point));
            CHECK(one.equal((*original->neutral(token_index{n}))[a], point));
        }

    std::vector<axis> axes;
    for (const json& a : c["axis_per_pair"]) axes.push_back(static_cast<axis>(a.get<int>()));
    const auto table = make_frequency_table(allocation::per_pair{axes.data(), static_cast<index_t>(axes.size())},
                                            spectrum::geometric{c["base"].get<double>()}, c["head_dim"].get<index_t>(),
                                            pairing::half_split);
    REQUIRE(table.ok());
    const auto rope = make_rotary(*table);
    REQUIRE(rope.ok());
    const rows q = turned(*rope, *original, c["q"]), k = turned(*rope, *original, c["k"]),
               q_neutral = turned(*rope, *neutral, c["q"]), k_neutral = turned(*rope, *neutral, c["k"]);
    const struct {
        const char* name;
        bool across, within;  // whether a text and a visual token, and two visual ones, meet at neutral points
    } configurations[] = {
        {"original", false, false}, {"wo_tv", true, false}, {"wo_vv", false, true}, {"wo_both", true, true}};
    for (const auto& way : configurations) {
        INFO(way.name);
        const json& right = c["scores"].at(way.name);
        for (std::size_t i = 0; i < q.size(); ++i)
            for (std::size_t j = 0; j < k.size(); ++j) {
                const int visual = (c["is_visual"][i] == 1 ? 1 : 0) + (c["is_visual"][j] == 1 ? 1 : 0);
                const bool at_neutral = visual == 2 ? way.within : visual == 1 && way.across;
                const double found = at_neutral ? score(q_neutral[i], k_neutral[j]) : score(q[i], k[j]);
                CHECK(one.within(found, right[i][j].get<double>(), 1e-5));
            }
    }
}

}  // namespace

TEST_CASE("neutral points and the scores of the four configurations equal their definition", "[golden]") {
    const char* const file = "research/neutral.json";
    REQUIRE(golden(file)["cases"].size() == 3);
    for (std::size_t i = 0; i < 2; ++i) {
        golden_case one(file, "cases", i);
        REQUIRE(one.data()["neutral_rule"] == "diagonal");
        check_neutral(one, layout::mrope{1});
    }
    golden_case zero(file, "cases", 2);
    REQUIRE(zero.data()["neutral_rule"] == "zero");
    check_neutral(zero, layout::ilrope{1, layout::text_axes::time_alone, layout::step_behind::larger_side});
}
