#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/metric/guidelines.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace polyrope;

namespace {

template <class Allocation>
frequency_table table_of(const Allocation& which, double theta = 1e6) {
    return make_frequency_table(which, spectrum::geometric{theta}, 128, pairing::half_split).value();
}

}  // namespace

TEST_CASE("points that tokens share are listed by their first token") {
    const segment prompt[] = {text(3), image(token_grid{1, 4, 5}), text(2), video(token_grid{9, 2, 2}, untimed),
                              text(6)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 5).value();
    const auto fine = metric::positional_coherence(plan, {100, 64});
    REQUIRE(fine.ok());
    CHECK(fine->coherent());
    CHECK(fine->tokens == plan.size() + 100);
    CHECK(fine->list.empty());

    // Behind rows and columns alone, text falls back into the times of a long video.
    layout::mrope short_step{1};
    short_step.behind = layout::advance::past_rows_and_columns;
    const auto reused = make_plan(short_step, prompt, 5).value();
    const auto found = metric::positional_coherence(reused);
    REQUIRE(found.ok());
    // The video stands at times 10 to 18 and (10, 10, 10) is its first patch; text goes on at 12.
    CHECK(found->coherent());
    const auto again = metric::positional_coherence(make_plan(layout::sequential{}, prompt, 5).value());
    CHECK(again->coherent());
}

TEST_CASE("collisions are those that a map of all points finds") {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
        // Words at random steps, so that points meet.
        struct jumping {
            double step;
            struct cursor {
                double next = 0.0;
            };
            int axes() const noexcept { return 2; }
            cursor resume(const position_plan&) const noexcept { return {}; }
            double position(cursor at) const noexcept { return at.next; }
            cursor moved(cursor, double to) const noexcept { return {to}; }
            cursor place(const segment& s, cursor at, plan_builder& builder) const noexcept {
                if (s.kind == segment_kind::text) {
                    builder.text(at.next, step, s.count);
                    return {at.next + 2.0};
                }
                builder.grid({1, s.rows, s.columns}, [&](placement& p) {
                    p.map[0].origin = p.map[1].origin = at.next;
                    p.map[0].per_row = p.map[1].per_column = 1.0;
                });
                return {at.next + 1.0};
            }
        };
        std::vector<segment> prompt;
        for (int i = 0; i < 12; ++i)
            prompt.push_back(random() % 2 != 0u ? text(1 + static_cast<index_t>(random() % 9))
                                                : image(token_grid{1, 1 + static_cast<index_t>(random() % 4), 3}));
        const auto plan = make_plan(jumping{round % 2 == 0 ? 1.0 : 0.25}, prompt.data(), 12).value();
        std::map<std::pair<double, double>, std::vector<index_t>> points;
        for (index_t n = 0; n < plan.size(); ++n) {
            const coordinate at = plan.coordinates(token_index{n});
            points[{at[0], at[1]}].push_back(n);
        }
        const auto found = metric::positional_coherence(plan, {0, 1000});
        REQUIRE(found.ok());
        index_t shared = 0, sharing = 0, mixed = 0;
        for (const auto& [at, tokens] : points) {
            if (tokens.size() < 2) continue;
            ++shared;
            sharing += static_cast<index_t>(tokens.size());
            bool text_there = false, patch_there = false;
            for (const index_t n : tokens)
                (plan.kind_of(token_index{n}) == modality::text ? text_there : patch_there) = true;
            mixed += text_there && patch_there ? 1 : 0;
        }
        CHECK(found->shared_points == shared);
        CHECK(found->sharing == sharing);
        CHECK(found->mixed == mixed);
        REQUIRE(static_cast<index_t>(found->list.size()) == shared);
        for (std::size_t i = 0; i < found->list.size(); ++i) {
            const metric::shared_point& p = found->list[i];
            const auto& tokens = points[{p.at[0], p.at[1]}];
            CHECK(p.first.value == tokens[0]);
            CHECK(p.second.value == tokens[1]);
            CHECK(p.tokens == static_cast<index_t>(tokens.size()));
            if (i > 0) CHECK(found->list[i - 1].first < p.first);
        }
        CHECK(metric::positional_coherence(plan, {0, 1})->list.size() == (shared > 0 ? 1u : 0u));
    }
    CHECK(metric::positional_coherence(position_plan{})->coherent());
    CHECK(metric::positional_coherence(position_plan{}, {-1, 1}).error().code == errc::negative_count);
    CHECK(metric::positional_coherence(position_plan{}, {index_max, 1}).error().code == errc::capacity_exceeded);
}

TEST_CASE("an axis is told by its pairs and the wavelengths they reach") {
    const auto chunked = metric::frequency_use(table_of(allocation::chunked{thw{16, 24, 24}}));
    REQUIRE(chunked.size() == 4);
    const double longest = 6.283185307179586 * std::pow(1e6, 126.0 / 128.0);
    CHECK(chunked[0].which == axis::t);
    CHECK(chunked[0].pairs == 16);
    CHECK(chunked[0].shortest == Approx(6.283185307179586));
    CHECK(chunked[0].longest == Approx(6.283185307179586 * std::pow(1e6, 30.0 / 128.0)));
    CHECK(chunked[0].share == Approx(15.0 / 63.0));
    CHECK(chunked[1].share == Approx(23.0 / 63.0));
    CHECK(chunked[2].longest == Approx(longest));
    CHECK(chunked[3].which == axis_none);
    CHECK(chunked[3].pairs == 0);

    const auto even = metric::frequency_use(table_of(allocation::interleaved{thw{24, 20, 20}}, 5e6));
    CHECK(even[0].share == 1.0);
    CHECK(even[1].share == Approx(57.0 / 63.0));
    CHECK(even[2].pairs == 20);

    const axis_frequency entries[] = {{axis::t, 1.0}, {}, {axis::h, 0.0}, {axis::t, -0.5}};
    const auto still = metric::frequency_use(make_frequency_table(entries, 1, 4, 2, pairing::adjacent).value());
    CHECK(still[0].pairs == 2);
    CHECK(still[0].longest == Approx(2 * 6.283185307179586));
    CHECK(still[1].pairs == 0);
    CHECK(still[1].share == 0.0);
    CHECK(still[2].pairs == 2);
    CHECK(metric::frequency_use(frequency_table{}).size() == 1);
}

TEST_CASE("the numbers in the header are the library's") {
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/polyrope/metric/frequency_use.hpp");
    std::stringstream header;
    header << stream.rdbuf();
    const auto line = [](const metric::axis_use& use) {
        return "t " + std::to_string(use.pairs) + " pairs, wavelengths " +
               metric::detail::in_digits("%.3g", use.shortest) + " to " +
               metric::detail::in_digits("%.3g", use.longest) + ": " + metric::detail::in_digits("%.2f", use.share);
    };
    const auto chunked = metric::frequency_use(table_of(allocation::chunked{thw{16, 24, 24}}));
    const auto even = metric::frequency_use(table_of(allocation::interleaved{thw{24, 20, 20}}, 5e6));
    INFO(line(chunked[0]) << "\n" << line(even[0]));
    CHECK(header.str().find(line(chunked[0])) != std::string::npos);
    CHECK(header.str().find(line(even[0])) != std::string::npos);
}

TEST_CASE("the wavelength table has a row for each pair") {
    const axis_frequency entries[] = {{axis::t, 1.0}, {axis::w, 0.001}, {}};
    CHECK(metric::wavelength_table(make_frequency_table(entries, 1, 3, 3, pairing::adjacent).value()) ==
          "| group | pair | axis | radians per position | wavelength, positions |\n"
          "|---:|---:|:---:|---:|---:|\n"
          "| 0 | 0 | t | 1 | 6.28319 |\n"
          "| 0 | 1 | w | 0.001 | 6283.19 |\n"
          "| 0 | 2 | - | 0 | does not turn |\n");
}

TEST_CASE("text is as in one dimension where all axes move by one, and nowhere else") {
    const segment words[] = {text(300)};
    const auto one = table_of(allocation::single_axis{});
    const auto chunked = table_of(allocation::chunked{thw{16, 24, 24}});
    const auto plan = make_plan(layout::mrope{1}, words, 1).value();
    CHECK(metric::text_difference(plan, chunked, one, 50)->value == 0.0);
    CHECK(metric::text_difference(plan, table_of(allocation::interleaved{thw{24, 20, 20}}), one)->value == 0.0);
    // Another theta, another step, an axis that stands still, a pair that does not turn.
    CHECK(metric::text_difference(plan, table_of(allocation::chunked{thw{16, 24, 24}}, 5e6), one)->value > 1.9);
    layout::mrope slow{1};
    slow.text_step = 0.5;
    CHECK(metric::text_difference(make_plan(slow, words, 1).value(), chunked, one)->value > 1.9);
    std::vector<axis_frequency> entries;
    for (index_t l = 0; l < 64; ++l) entries.push_back({axis::t, one.at(0, l).frequency});
    entries[63] = {};
    const auto still = metric::text_difference(
        plan, make_frequency_table(entries.data(), 1, 64, 3, pairing::half_split).value(), one, 1);
    CHECK(still->value == Approx(2.0 * std::sin(150.0 * one.at(0, 63).frequency)).epsilon(1e-12));
    CHECK(still->pair == 63);

    const segment seen[] = {text(3), image(token_grid{1, 2, 2})};
    CHECK(metric::text_difference(make_plan(layout::mrope{1}, seen, 2).value(), chunked, one).error().code ==
          errc::modality_not_placed);
    CHECK(metric::text_difference(plan, chunked, frequency_table{}).error().code == errc::extent_mismatch);
    CHECK(metric::text_difference(plan, chunked, one, -1).error().code == errc::negative_count);
    CHECK(metric::text_difference(plan, chunked, one, index_max).error().code == errc::capacity_exceeded);
}

TEST_CASE("rows print as a table") {
    const segment prompt[] = {text(4), image(token_grid{1, 3, 4}), text(4)}, words[] = {text(20)};
    const auto one = table_of(allocation::single_axis{});
    const auto text_plan = make_plan(layout::mrope{1}, words, 1).value();
    const auto row =
        metric::measure("MRoPE", make_plan(layout::mrope{1}, prompt, 3).value(),
                        table_of(allocation::chunked{thw{16, 24, 24}}), {&text_plan, &one, 1, token_index{19}, 10});
    REQUIRE(row.ok());
    const auto flat_text = make_plan(layout::sequential{}, words, 1).value();
    const auto flat = metric::measure("vanilla", make_plan(layout::sequential{}, prompt, 3).value(), one,
                                      {&flat_text, &one, 1, token_index{19}, 10});
    REQUIRE(flat.ok());
    CHECK(
        metric::markdown({*flat, *row}) ==
        "| variant | points shared (by text and patches) | t pairs: wavelengths | h pairs: wavelengths | w pairs: "
        "wavelengths | pairs that stand still | text differs from 1-D | patches differ to text | per-token distance |\n"
        "|---|---|---|---|---|---:|---:|---:|---:|\n"
        "| vanilla | none | 64: 6.28 to 5.06e+06 (100 %) | none | none | 0 | 0 | 2 | 3 |\n"
        "| MRoPE | none | 16: 6.28 to 160 (24 %) | 24: 199 to 2.85e+04 (37 %) | 24: 3.53e+04 to 5.06e+06 (37 %) | 0 "
        "| 0 | 0.0632 | 0.671 |\n");
    CHECK(metric::measure("none", text_plan, one, {}).error().code == errc::null_data);
}
