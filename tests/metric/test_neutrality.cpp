#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/metric/neutrality.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <random>

using namespace polyrope;

namespace {

// R(d) of a pair, written out: what the measures are held against.
struct matrix {
    double c, s;
};
matrix rotation(const pair_frequency& pair, const coordinate& p, const coordinate& from) {
    if (pair.which == axis_none) return {1.0, 0.0};
    const double angle = pair.frequency * (p[pair.which] - from[pair.which]);
    return {std::cos(angle), std::sin(angle)};
}
// The spectral norm of (c -s; s c).
double norm(const matrix& x, const matrix& y) { return std::hypot(x.c - y.c, x.s - y.s); }

struct sides {
    double to_text = 0.0;
    double inside = 0.0;
};

// Every patch against every other, pair by pair.
sides by_definition(const position_plan& plan, const frequency_table& table, index_t segment, token_index x) {
    sides found;
    const coordinate from = plan.coordinates(x);
    const token_range tokens = plan.tokens_of(segment);
    for (index_t a = tokens.begin.value; a < tokens.end.value; ++a)
        for (index_t b = tokens.begin.value; b < tokens.end.value; ++b)
            for (index_t group = 0; group < table.groups(); ++group)
                for (index_t l = 0; l < table.pairs(); ++l) {
                    const pair_frequency& pair = table.at(group, l);
                    const coordinate pa = plan.coordinates(token_index{a}), pb = plan.coordinates(token_index{b});
                    found.to_text = std::fmax(found.to_text, norm(rotation(pair, pa, from), rotation(pair, pb, from)));
                    found.inside = std::fmax(found.inside, norm(rotation(pair, pb, pa), {1.0, 0.0}));
                }
    return found;
}

// All patches of an image at the text position before it.
struct one_point {
    struct cursor {
        double next = 0.0;
    };
    int axes() const noexcept { return 3; }
    cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    double position(cursor at) const noexcept { return at.next; }
    cursor moved(cursor, double to) const noexcept { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const noexcept {
        token_grid grid;
        if (s.kind == segment_kind::text) {
            builder.text(at.next, 1.0, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        if (!grid_of(s, 1, grid, builder)) return at;
        builder.grid(grid, [&](placement& p) {
            for (int a = 0; a < 3; ++a) p.map[a].origin = p.neutral[a].origin = at.next;
        });
        return {at.next + 1.0};
    }
};

struct tally {
    int neutral = 0, spatial = 0;
};

// Observation 3.1 and the three measures, for one prompt.
template <class Layout>
void check(const Layout& layout, const token_grid& grid, const frequency_table& table, tally& counted) {
    const segment prompt[] = {text(5), image(grid), text(4)};
    const auto plan = make_plan(layout, prompt, 3).value();
    for (const token_index x : {token_index{0}, token_index{plan.size() - 1}}) {
        const sides expected = by_definition(plan, table, 1, x);
        const auto to_text = metric::operator_difference(plan, table, 1, x);
        const auto inside = metric::inside_rotation(plan, table, 1);
        const auto phase = metric::phase_difference(plan, table, 1);
        REQUIRE(to_text.ok());
        REQUIRE(inside.ok());
        REQUIRE(phase.ok());
        INFO("grid " << grid.rows << " x " << grid.columns << ", pairs " << table.pairs());
        CHECK(to_text->value == Approx(expected.to_text).margin(1e-11));
        CHECK(inside->value == Approx(expected.inside).margin(1e-11));
        CHECK(2.0 * std::sin(phase->value / 2.0) == Approx(expected.inside).margin(1e-11));
        // Neutral to text if and only if all relative rotations inside the image are the identity.
        CHECK((expected.to_text < 1e-9) == (expected.inside < 1e-9));
        CHECK(*metric::is_neutral(plan, table, 1, x) == (expected.inside < 1e-9));
        (expected.inside < 1e-9 ? counted.neutral : counted.spatial) += 1;
    }
}

frequency_table table_of(std::vector<axis_frequency> entries, index_t groups = 1) {
    return make_frequency_table(entries.data(), groups, static_cast<index_t>(entries.size()) / groups, 3,
                                pairing::half_split)
        .value();
}

}  // namespace

TEST_CASE("an image is neutral to text if and only if all rotations inside it are the identity") {
    const auto chunked =
        make_frequency_table(allocation::chunked{thw{4, 6, 6}}, spectrum::geometric{1e4}, 32, pairing::half_split);
    const auto interleaved =
        make_frequency_table(allocation::interleaved{thw{6, 5, 5}}, spectrum::geometric{5e6}, 32, pairing::adjacent);
    const auto heads = table_of({{axis::t, 1.0}, {axis::t, 0.1}, {axis::w, 1.0}, {axis::w, 0.1}, {}, {}}, 3);
    const auto no_columns = table_of({{axis::t, 1.0}, {axis::h, 0.5}, {axis::h, 0.01}, {}});
    const double full_turn = 6.283185307179586;
    const auto whole_turns = table_of({{axis::t, 1.0}, {axis::h, full_turn}, {axis::w, 2.0 * full_turn}});
    layout::mrope reset{1};
    reset.spatial_reset = true;

    tally all;
    std::mt19937 random(20251201);
    for (int i = 0; i < 24; ++i) {
        const token_grid grid{1, 1 + static_cast<index_t>(random() % 5), 1 + static_cast<index_t>(random() % 6)};
        for (const frequency_table* table : {&*chunked, &*interleaved, &heads, &no_columns, &whole_turns}) {
            check(layout::mrope{1}, grid, *table, all);
            check(reset, grid, *table, all);
            check(one_point{}, grid, *table, all);
            layout::sequential flat;
            flat.axis_count = 3;
            check(flat, grid, *table, all);
        }
    }
    CHECK(all.spatial > 400);
    CHECK(all.neutral > 300);

    // Where both sides hold, one by one: one point, one patch, a row along an axis without pairs, whole turns.
    tally both;
    check(one_point{}, {1, 4, 5}, *interleaved, both);
    check(layout::mrope{1}, {1, 1, 1}, *chunked, both);
    check(layout::mrope{1}, {1, 1, 6}, no_columns, both);
    check(layout::mrope{1}, {1, 4, 5}, whole_turns, both);
    CHECK(both.neutral == 8);
    CHECK(both.spatial == 0);
    tally neither;
    check(layout::mrope{1}, {1, 2, 1}, no_columns, neither);
    check(reset, {1, 1, 2}, heads, neither);
    CHECK(neither.neutral == 0);
}

TEST_CASE("the measure says which pair parts the patches, and by how much") {
    const auto table = table_of({{axis::t, 3.0}, {axis::h, 0.25}, {axis::w, 0.125}});
    const segment prompt[] = {text(2), image(token_grid{1, 3, 5}), text(1)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const auto phase = metric::phase_difference(plan, table, 1);
    CHECK(phase->value == Approx(0.5).epsilon(1e-14));
    const auto rotated = metric::operator_difference(plan, table, 1, token_index{17});
    CHECK(rotated->value == Approx(2.0 * std::sin(0.25)).epsilon(1e-14));
    // A fast pair turns past half a circle: the phases farthest apart are not the outer columns.
    const auto fast = table_of({{axis::t, 1.0}, {axis::t, 1.0}, {axis::w, 1.1}});
    // 0, 1.1, 2.2, 3.3, 4.4: three columns are 3.3 apart, which is 2.98 the other way round; two are 2.2.
    CHECK(metric::phase_difference(plan, fast, 1)->value == Approx(6.283185307179586 - 3.3).margin(1e-12));
    CHECK(metric::phase_difference(plan, fast, 1)->pair == 2);
}

TEST_CASE("a video is many images: frames are not told apart from one another") {
    const auto rows_only = table_of({{axis::t, 1.0}, {axis::h, 0.5}});
    const segment prompt[] = {text(2), video(token_grid{7, 1, 4}, untimed), text(1)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    CHECK(metric::phase_difference(plan, rows_only, 1)->value == 0.0);
    const segment tall[] = {text(2), video(token_grid{7, 3, 4}, untimed), text(1)};
    CHECK(metric::phase_difference(make_plan(layout::mrope{1}, tall, 3).value(), rows_only, 1)->value ==
          Approx(1.0).epsilon(1e-14));
}

TEST_CASE("a large image far away is measured in n log n and to the last digits") {
    const auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                            pairing::half_split);
    const segment prompt[] = {text(1000000), image(token_grid{1, 512, 512}), text(1)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const auto phase = metric::phase_difference(plan, *table, 1);
    REQUIRE(phase.ok());
    CHECK(phase->value > 3.14);
    CHECK(phase->value <= 3.1415926535897936);
    layout::sequential flat;
    flat.axis_count = 3;
    CHECK(metric::operator_difference(make_plan(flat, prompt, 3).value(), *table, 1, token_index{0})->value > 1.999999);
}

TEST_CASE("what cannot be measured is refused") {
    const auto table = table_of({{axis::t, 1.0}});
    const segment prompt[] = {text(2), image(token_grid{1, 3, 5})};
    const auto plan = make_plan(layout::mrope{1}, prompt, 2).value();
    CHECK(metric::phase_difference(plan, table, 0).error().code == errc::nothing_to_measure);
    CHECK(metric::phase_difference(plan, frequency_table{}, 1).error().code == errc::nothing_to_measure);
    CHECK(metric::operator_difference(plan, table, 1, token_index{-1}).error().code == errc::range_invalid);
    CHECK(metric::inside_rotation(make_plan(layout::sequential{}, prompt, 2).value(), table, 1).error().code ==
          errc::axis_count_mismatch);
    const segment huge[] = {image(token_grid{1, 1 << 20, 1 << 20})};
    CHECK(metric::phase_difference(make_plan(layout::mrope{1}, huge, 1).value(), table, 0).error() ==
          status{errc::capacity_exceeded, operand::segment, 0, metric::max_tokens, index_t{1} << 40});
}
