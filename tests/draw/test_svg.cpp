#include "draw/document.hpp"
#include "polyrope/draw/svg.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

#include <clocale>
#include <string>
#include <vector>

using namespace polyrope;
using polyrope::test::check_document;
using polyrope::test::count;

namespace {

frequency_table qwen3() {
    return make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                pairing::half_split)
        .value();
}

}  // namespace

TEST_CASE("an allocation has a lettered cell per pair and a count per axis") {
    const std::string svg = draw::svg_allocation(qwen3(), "Qwen3-VL");
    check_document(svg);
    CHECK(count(svg, ">t</text>") == 24);
    CHECK(count(svg, ">h</text>") == 20);
    CHECK(count(svg, ">w</text>") == 20);
    CHECK(count(svg, ">t 24 pairs</text>") == 1);
    CHECK(count(svg, ">w 20 pairs</text>") == 1);
    CHECK(count(svg, ">Qwen3-VL</text>") == 1);
    CHECK(count(svg, "wavelength") == 1);
    CHECK(svg.size() < 24000);
}

TEST_CASE("head groups have a row each") {
    axis_frequency entries[4 * 8];
    for (int group = 0; group < 4; ++group)
        for (int l = 0; l < 8; ++l) entries[group * 8 + l] = {static_cast<axis>(group - 1), 1.0};
    const std::string svg = draw::svg_allocation(make_frequency_table(entries, 4, 8, 3, pairing::half_split).value());
    check_document(svg);
    CHECK(count(svg, ">group 3</text>") == 1);
    CHECK(count(svg, ">-</text>") == 8);
    CHECK(count(svg, ">h 8 of 32 pairs</text>") == 1);
    CHECK(count(svg, "wavelength") == 0);
}

TEST_CASE("pictures of nothing and of extremes are documents too") {
    check_document(draw::svg_allocation(frequency_table{}));
    const axis_frequency still[] = {{axis::t, 0.0}, {axis::h, 1e30}, {axis::w, 1e-30}};
    check_document(draw::svg_allocation(make_frequency_table(still, 1, 3, 3, pairing::half_split).value()));
    const std::vector<axis_frequency> many(4096, {axis::t, 1.0});
    check_document(draw::svg_allocation(make_frequency_table(many.data(), 1, 4096, 1, pairing::half_split).value()));
    check_document(draw::svg_coordinates(position_plan{}));
    check_document(draw::svg_coordinates(make_plan(layout::mrope{1}, nullptr, 0).value()));
    draw::coordinates_picture none;
    none.generated = 0;
    check_document(draw::svg_coordinates(make_plan(layout::mrope{1}, nullptr, 0).value(), nullptr, 0, none));
}

TEST_CASE("a prompt shows its parts by name, its axes, and what is generated") {
    const segment prompt[] = {text(24), image(patch_grid{1, 24, 32}), text(30), video(patch_grid{4, 16, 20}, untimed),
                              text(25)};
    const auto plan = make_plan(layout::mrope{2}, prompt, 5);
    const std::string svg = draw::svg_coordinates(*plan, prompt, 5, {"A <title> & more"});
    check_document(svg);
    CHECK(count(svg,
                ">image 12\xc3\x97"
                "16</text>") == 1);
    CHECK(count(svg,
                ">video 4\xc3\x97"
                "8\xc3\x97"
                "10</text>") == 1);
    CHECK(count(svg, ">generated</text>") == 1);
    CHECK(count(svg, ">A &lt;title&gt; &amp; more</text>") == 1);
    CHECK(count(svg, ">t time</text>") == 1);
    CHECK(count(svg, ">h row</text>") == 1);
    CHECK(count(svg, ">w column</text>") == 1);
    // Four solid lines; text goes on as one, dashed.
    CHECK(count(svg, "<path ") == 5);
    CHECK(count(svg, "stroke-dasharray=\"5 5\"") == 1);
    CHECK(svg.size() < 10000);
    // The plan alone knows grids, not which of them are videos.
    CHECK(count(draw::svg_coordinates(*plan),
                ">12\xc3\x97"
                "16</text>") == 1);
}

TEST_CASE("the frames of a video that is split by text are shaded one by one under one name") {
    const segment prompt[] = {text(5), with_gap(video(token_grid{3, 4, 5}, untimed), 6), text(5)};
    layout::mrope by_frame{1};
    by_frame.video = layout::video_form::frame_by_frame;
    const std::string svg = draw::svg_coordinates(make_plan(by_frame, prompt, 3).value(), prompt, 3);
    check_document(svg);
    CHECK(count(svg,
                ">video 3\xc3\x97"
                "4\xc3\x97"
                "5</text>") == 1);
    CHECK(count(svg, "fill=\"#fbf3e4\"") == 3);
}

TEST_CASE("a line passes through every corner of its axis") {
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(2)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3).value();
    const auto same = [](double v) { return 10 * v; };
    // Tokens 1 to 8 differ in some axis or lie next to one that does: t 1 2 2 2 2 2 2 5, w 1 2 3 4 2 3 4 5.
    CHECK(draw::detail::series_path(plan, 0, 0, 10, 30.0, same, same) == "M25 20L75 20L85 50");
    CHECK(draw::detail::series_path(plan, 1, 0, 10, 30.0, same, same) == "M25 20L45 20L55 30L75 30L85 50");
    CHECK(draw::detail::series_path(plan, 2, 0, 10, 30.0, same, same) == "M25 20L45 40L55 20L85 50");
    CHECK(draw::detail::series_path(plan, draw::detail::all_agree, 0, 10, 30.0, same, same) ==
          "M5 0L25 20M85 50L95 60");
}

TEST_CASE("a long prompt is a small file and a huge one is quick") {
    std::vector<segment> prompt;
    for (int i = 0; i < 64; ++i) {
        prompt.push_back(text(300));
        prompt.push_back(image(token_grid{1, 120, 128}));
    }
    const auto plan = make_plan(layout::mrope{1}, prompt.data(), static_cast<index_t>(prompt.size())).value();
    const std::string svg = draw::svg_coordinates(plan, prompt.data(), static_cast<index_t>(prompt.size()));
    check_document(svg);
    CHECK(svg.size() < 250000);

    const segment huge[] = {text(index_t{1} << 30)};
    check_document(draw::svg_coordinates(make_plan(layout::mrope{1}, huge, 1).value()));
}

TEST_CASE("numbers are short and know no locale") {
    using namespace draw::detail;
    CHECK(decimal(3.0) == "3");
    CHECK(decimal(2.5) == "2.5");
    CHECK(decimal(-0.05) == "-0.05");
    CHECK(decimal(1.999) == "2");
    CHECK(decimal(-0.001) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1234567) ==
          "1\xe2\x80\x89"
          "234\xe2\x80\x89"
          "567");
    CHECK(grouped(-1234) ==
          "-1\xe2\x80\x89"
          "234");
    CHECK(tick_step(7, 6) == 2.0);
    CHECK(tick_step(40, 10) == 5.0);
    CHECK(tick_step(1200, 10) == 200.0);
    if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr) CHECK(decimal(2.5) == "2.5");
    std::setlocale(LC_NUMERIC, "C");
}
