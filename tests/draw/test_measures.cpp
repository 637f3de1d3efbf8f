// Pictures of heads and of what position alone does to attention.

#include "draw/document.hpp"
#include "polyrope/draw/svg_bands.hpp"
#include "polyrope/draw/svg_bias.hpp"
#include "polyrope/draw/svg_decay.hpp"
#include "polyrope/draw/text_measures.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"

#include <cmath>

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class Allocation>
frequency_table table_of(const Allocation& which, index_t rotary_dim = 128) {
    return make_frequency_table(which, spectrum::geometric{1e6}, rotary_dim, pairing::half_split).value();
}

}  // namespace

TEST_CASE("bands have the width of their pairs and marks at their wavelengths") {
    const auto chunked = table_of(allocation::chunked{thw{16, 24, 24}});
    const std::string svg = draw::svg_bands({{"chunked", &chunked}}, "one head");
    check_document(svg);
    CHECK(count(svg, ">one head</text>") == 1);
    CHECK(count(svg, ">chunked</text>") == 1);
    CHECK(count(svg, ">64 pairs</text>") == 1);
    // 7 pixels a pair.
    REQUIRE(areas(svg, "#0072b2").size() == 1);
    CHECK(areas(svg, "#0072b2")[0].find("h112v") != std::string::npos);
    CHECK(areas(svg, "#d55e00")[0].find("h168v") != std::string::npos);
    CHECK(areas(svg, "#009e73")[0].find("h168v") != std::string::npos);
    // A mark per pair: 64 in all; the first at a wavelength of 2 pi, of 7 powers of ten over 380 pixels.
    CHECK(count(svg, "v7\"") + count(svg, "v7M") == 64);
    const double first = 16 + 7.4 * 12 + 12 + 448 + 58 + 380 * std::log10(6.283185307179586) / 7.0;
    CHECK(numbers(svg, "<path d=\"M").at(3) == Approx(first).margin(0.01));

    const auto heads = table_of(allocation::per_head{thw{1, 1, 1}, 4});
    const std::string both = draw::svg_bands({{"chunked", &chunked}, {"heads", &heads}});
    check_document(both);
    CHECK(count(both, ">4 groups</text>") == 1);
    CHECK(areas(both, "#b8bec6").size() == 1);  // a head that does not turn
    check_document(draw::svg_bands({}));
    const frequency_table none;
    check_document(draw::svg_bands({{"none", &none}}));
}

TEST_CASE("a bias map has an area for each patch and its range of scores") {
    const auto table = table_of(allocation::interleaved{thw{24, 20, 20}});
    const segment prompt[] = {text(5), image(token_grid{1, 6, 9}), text(4)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const token_index x{plan.size() - 1};
    const auto svg = draw::svg_bias(plan, table, x, 1, {"a map"});
    REQUIRE(svg.ok());
    check_document(*svg);
    std::size_t cells = 0;
    for (int s = 0; s < draw::detail::shades; ++s)
        for (const std::string& area : areas(*svg, draw::detail::shade(s))) cells += count(area, "M");
    CHECK(cells == 54);
    const auto scores = metric::spatial_bias(plan, table, x, 1).value();
    double least = 1.0, most = -1.0;
    for (const double s : scores) least = std::fmin(least, s), most = std::fmax(most, s);
    CHECK(count(*svg, ">" + metric::detail::in_digits("%.3f", least) + " to " +
                          metric::detail::in_digits("%.3f", most) + "</text>") == 1);
    // The patch with the largest score has the lightest colour, and alone where no other comes near.
    const auto brightest = areas(*svg, draw::detail::shade(draw::detail::shades - 1));
    REQUIRE(brightest.size() == 1);
    const auto at = static_cast<index_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    const double cell = 18;  // 168 pixels over 9 columns, whole
    CHECK(brightest[0].find('M' + draw::detail::decimal(14 + cell * static_cast<double>(at % 9)) + ' ' +
                            draw::detail::decimal(38 + cell * static_cast<double>(at / 9))) != std::string::npos);

    const auto refused = draw::svg_bias(plan, table, x, 0);
    CHECK(refused.error().code == errc::nothing_to_measure);
    const segment clip[] = {text(1), video(token_grid{3, 2, 2}, untimed), text(1)};
    check_document(*draw::svg_bias(make_plan(layout::mrope{1}, clip, 3).value(), table, token_index{0}, 1));
}

TEST_CASE("an image that is neutral to text is one colour") {
    const segment prompt[] = {text(5), image(token_grid{1, 6, 9}), text(4)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const axis_frequency time_only[] = {{axis::t, 1.0}, {axis::t, 0.1}};
    const auto table = make_frequency_table(time_only, 1, 2, 3, pairing::half_split).value();
    const auto svg = draw::svg_bias(plan, table, token_index{60}, 1).value();
    std::size_t colours = 0;
    for (int s = 0; s < draw::detail::shades; ++s) colours += areas(svg, draw::detail::shade(s)).size();
    CHECK(colours == 1);
    CHECK(draw::bias(plan, table, token_index{60}, 1).value().find("+++++++++\n+++++++++\n") == 0);
}

TEST_CASE("decay has a line per axis that some pair reads, and one for text") {
    const std::string svg = draw::svg_decay(table_of(allocation::chunked{thw{16, 24, 24}}), {"MRoPE"});
    check_document(svg);
    CHECK(count(svg, "<path ") == 4);
    CHECK(count(svg, ">text</text>") == 1);
    CHECK(count(svg, ">w</text>") == 1);
    CHECK(count(svg, ">distance, in positions</text>") == 1);
    const std::string flat = draw::svg_decay(table_of(allocation::single_axis{}));
    CHECK(count(flat, "<path ") == 1);
    check_document(draw::svg_decay(frequency_table{}));
    const axis_frequency no_rows[] = {{axis::t, 1.0}, {axis::w, 0.1}, {}};
    const auto table = make_frequency_table(no_rows, 1, 3, 3, pairing::half_split).value();
    CHECK(count(draw::svg_decay(table), ">h</text>") == 0);
    // The line starts where the measure does.
    const double height = 240 - 64 - 40;
    const std::string first =
        "M40 " + draw::detail::decimal(64 + height * (1.0 - draw::detail::smoothed(table, {{1.0, 0.0, 0.0}}, 1.0,
                                                                                   std::pow(32768.0, 1.0 / 96))));
    INFO(first);
    CHECK(draw::svg_decay(table).find(first) != std::string::npos);
}

TEST_CASE("pictures of the largest tables end") {
    const std::vector<axis_frequency> many(max_frequency_entries, {axis::t, 0.5});
    const auto wide = make_frequency_table(many.data(), 32, 32768, 1, pairing::half_split).value();
    const auto tall = make_frequency_table(many.data(), 1 << 18, 4, 1, pairing::half_split).value();
    for (const frequency_table* table : {&wide, &tall}) {
        const std::string bands = draw::svg_bands({{"many", table}});
        check_document(bands);
        CHECK(bands.size() < 20000);
        check_document(draw::svg_decay(*table));
        CHECK(draw::lanes(*table) == "t  ....+\n");
    }
}

TEST_CASE("maps, decay and lanes in plain text") {
    const axis_frequency entries[] = {{axis::t, 1.0}, {axis::h, 0.5}, {axis::w, 0.25}, {axis::w, 0.2}};
    const auto table = make_frequency_table(entries, 1, 4, 3, pairing::half_split).value();
    const segment prompt[] = {text(1), image(token_grid{1, 2, 4}), text(1)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    // Seen from (5, 5, 5): cos 4, then cos of half of 4 or 3, then cos of a quarter and of a fifth of 4 to 1.
    const auto map = draw::bias(plan, table, token_index{9}, 1);
    REQUIRE(map.ok());
    double scores[8];
    for (int i = 0; i < 8; ++i)
        scores[i] =
            (std::cos(4.0) + std::cos(0.5 * (4 - i / 4)) + std::cos(0.25 * (4 - i % 4)) + std::cos(0.2 * (4 - i % 4))) /
            4;
    std::string expected;
    for (int i = 0; i < 8; ++i) {
        expected += " .:-=+*#%@"[static_cast<int>((scores[i] - scores[0]) / (scores[7] - scores[0]) * 9 + 0.5)];
        if (i % 4 == 3) expected += '\n';
    }
    CHECK(*map == expected + "score " + metric::detail::in_digits("%.4f", scores[0]) + " to " +
                      metric::detail::in_digits("%.4f", scores[7]) + "\n");
    CHECK(*map == " :=+\n=*%@\nscore 0.0418 to 0.3415\n");

    CHECK(draw::lanes(table) == "t  ...1..\nh  ....1.\nw  .....2\n");
    const std::string drawn = draw::decay(table_of(allocation::chunked{thw{16, 24, 24}}), 100.0);
    CHECK(drawn.find("distance       1      10     100\ntext    ") == 0);
    CHECK(draw::bias(plan, table, token_index{9}, 0).error().code == errc::nothing_to_measure);
    CHECK(draw::lanes(table_of(allocation::single_axis{}, 128)).size() == 3 + 27 + 1);
    CHECK(draw::decay(frequency_table{}, 10.0) == "distance       1      10\n");
}
