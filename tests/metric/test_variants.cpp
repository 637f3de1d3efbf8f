// The measures over every variant of the gallery.

#include "polyrope/metric/content_free.hpp"
#include "polyrope/metric/guidelines.hpp"
#include "support/catch.hpp"
#include "variants.hpp"

#include <cmath>

using namespace polyrope;

namespace {

// Of every pair of patches, as written in the definition.
double by_definition(const position_plan& plan, const frequency_table& table, index_t segment, const coordinate& x,
                     bool inside) {
    double most = 0.0;
    const token_range tokens = plan.tokens_of(segment);
    for (index_t a = tokens.begin.value; a < tokens.end.value; ++a)
        for (index_t b = tokens.begin.value; b < a; ++b) {
            const coordinate pa = plan.coordinates(token_index{a}), pb = plan.coordinates(token_index{b});
            for (index_t i = 0; i < table.groups() * table.pairs(); ++i) {
                const pair_frequency& pair = table.data()[i];
                if (pair.which == axis_none) continue;
                const auto turn = [&](double d) { return pair.frequency * d; };
                const double one =
                    inside ? turn(pb[pair.which] - pa[pair.which]) : turn(pa[pair.which] - x[pair.which]);
                const double two = inside ? 0.0 : turn(pb[pair.which] - x[pair.which]);
                most = std::fmax(most, std::hypot(std::cos(one) - std::cos(two), std::sin(one) - std::sin(two)));
            }
        }
    return most;
}

}  // namespace

TEST_CASE("no variant is neutral to text and spatial inside") {
    const std::vector<segment> prompt = variants::interleaved_prompt();
    int spatial = 0;
    for (const variants::variant& v : variants::all()) {
        INFO(v.name);
        const auto plan = v.plan(prompt);
        REQUIRE(plan.ok());
        const token_index x{plan->size() - 1};
        for (const index_t image : {3, 5, 7}) {
            const double to_text = by_definition(*plan, v.table, image, plan->coordinates(x), false);
            const double inside = by_definition(*plan, v.table, image, {}, true);
            CHECK(metric::operator_difference(*plan, v.table, image, x)->value == Approx(to_text).margin(1e-9));
            CHECK(metric::inside_rotation(*plan, v.table, image)->value == Approx(inside).margin(1e-9));
            CHECK((to_text < 1e-9) == (inside < 1e-9));
            spatial += inside < 1e-9 ? 0 : 1;
            // One colour of the bias map where it is neutral. The reverse does not hold: scores may agree by chance.
            const auto scores = metric::spatial_bias(*plan, v.table, x, image).value();
            if (to_text < 1e-9)
                for (const double s : scores) CHECK(s == Approx(scores[0]).margin(1e-12));
        }
    }
    CHECK(spatial >= 3 * 5);
}

TEST_CASE("the table of guidelines has a row for every variant") {
    const std::vector<segment> prompt = variants::interleaved_prompt(), words = {text(64)};
    std::vector<metric::guideline_row> rows;
    for (const variants::variant& v : variants::all()) {
        INFO(v.name);
        const auto plan = v.plan(prompt), alone = v.plan(words);
        const auto row = metric::measure(v.name, *plan, v.table,
                                         {&*alone, &v.one_dimensional, 3, token_index{plan->size() - 1}, 64});
        REQUIRE(row.ok());
        rows.push_back(*row);
        index_t pairs = 0;
        for (const metric::axis_use& use : row->axes) pairs += use.pairs;
        CHECK(pairs == v.table.groups() * v.table.pairs());
        if (v.name.find("Circle") == 0) CHECK(row->distance < 1e-6);
        if (v.name == "MRoPE" || v.name == "vanilla" || v.name == "MRoPE-I") CHECK(row->text == 0.0);
    }
    CHECK(metric::markdown(rows).find("\n| MRoPE | none | 16: 6.28 to 160 (24 %) |") != std::string::npos);
}
