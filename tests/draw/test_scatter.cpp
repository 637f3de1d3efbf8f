// Pictures of where tokens sit: points in space and grids of numbers. What is drawn is read back from the file and held
// against the plan.

#include "draw/document.hpp"
#include "polyrope/draw/svg_grids.hpp"
#include "polyrope/draw/svg_scatter.hpp"
#include "polyrope/draw/svg_sheet.hpp"
#include "polyrope/draw/text_grids.hpp"
#include "polyrope/layout/media.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"

#include <fstream>
#include <sstream>

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <std::size_t Count>
position_plan plan_of(const segment (&prompt)[Count], layout::mrope layout = {1}) {
    return make_plan(layout, prompt, static_cast<index_t>(Count)).value();
}

// The points of a path of "M x y ..." pieces.
std::vector<draw::detail::flat_point> starts(const std::string& path) {
    std::vector<draw::detail::flat_point> all;
    for (std::size_t at = path.find('M'); at != std::string::npos; at = path.find('M', at + 1)) {
        char* rest = nullptr;
        const double x = std::strtod(path.c_str() + at + 1, &rest);
        all.push_back({x, std::strtod(rest, nullptr)});
    }
    return all;
}

// A layout of a user's own: patches lie on the anti-diagonal of their grid.
struct slanted {
    struct cursor {
        double next = 0.0;
    };
    int axes() const noexcept { return 3; }
    cursor resume(const position_plan& plan) const noexcept { return {plan.end_position()}; }
    double position(cursor at) const noexcept { return at.next; }
    cursor moved(cursor, double to) const noexcept { return {to}; }
    cursor place(const segment& s, cursor at, plan_builder& builder) const noexcept {
        if (s.kind == segment_kind::text) {
            builder.text(at.next, 1.0, s.count);
            return {at.next + static_cast<double>(s.count)};
        }
        token_grid grid;
        if (!grid_of(s, 1, grid, builder)) return at;
        builder.grid(grid, [&](placement& p) {
            p.map[0].origin = at.next;
            p.map[1].per_row = p.map[2].per_column = 0.5;
            p.map[2].per_row = -0.5;
        });
        return {at.next + 1.0};
    }
};

}  // namespace

TEST_CASE("a layout of one's own is drawn as it is") {
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(2)};
    const auto plan = make_plan(slanted{}, prompt, 3).value();
    CHECK(draw::grids(plan, 1) ==
          "t                   h                   w\n"
          "   2     2     2       0     0     0       0   0.5     1\n"
          "   2     2     2     0.5   0.5   0.5    -0.5     0   0.5\n");
    const std::string svg = draw::svg_grids(plan);
    check_document(svg);
    CHECK(count(svg, ">0.5</text>") == 5);
    CHECK(count(svg, ">-0.5</text>") == 1);
    check_document(draw::svg_scatter(plan, prompt, 3));
    CHECK(starts(areas(draw::svg_scatter(plan, prompt, 3), "#a9bfd6").at(0)).size() == 6);
}

TEST_CASE("every token is a mark where the plan has it") {
    const segment prompt[] = {text(3), video(token_grid{2, 2, 2}, untimed), text(2), image(token_grid{1, 3, 4}),
                              text(4)};
    const auto plan = plan_of(prompt);
    const std::string svg = draw::svg_scatter(plan, prompt, 5, {"a prompt", 3, 480, 330});
    check_document(svg);
    CHECK(count(svg, ">a prompt</text>") == 1);
    CHECK(count(svg, ">t</text>") == 1);
    CHECK(count(svg, ">h</text>") == 1);
    CHECK(count(svg, ">w</text>") == 1);
    const auto clips = areas(svg, "#f0c05a"), images = areas(svg, "#a9bfd6"), rings = areas(svg, "#ffffff");
    REQUIRE(clips.size() == 1);
    REQUIRE(images.size() == 1);
    REQUIRE(rings.size() == 1);
    CHECK(starts(clips[0]).size() == 8);
    CHECK(starts(images[0]).size() == 12);
    CHECK(starts(rings[0]).size() == 3);
    CHECK(count(svg, "h0M") + 1 == 9);

    // One scale and one origin take every patch of the image to its mark: two patches give them, the others must
    // follow.
    std::vector<coordinate> points;
    for (index_t n = plan.tokens_of(3).begin.value; n < plan.tokens_of(3).end.value; ++n)
        points.push_back(plan.coordinates(token_index{n}));
    std::stable_sort(points.begin(), points.end(),
                     [](const coordinate& p, const coordinate& q) { return p[2] < q[2]; });
    const auto marks = starts(images[0]);
    const auto from = draw::detail::projected(points[0]), to = draw::detail::projected(points[11]);
    const double scale = (marks[11].x - marks[0].x) / (to.x - from.x);
    CHECK(scale > 4.0);
    for (std::size_t i = 0; i < 12; ++i) {
        const auto at = draw::detail::projected(points[i]);
        CHECK(marks[i].x == Approx(marks[0].x + scale * (at.x - from.x)).margin(0.03));
        CHECK(marks[i].y == Approx(marks[0].y - scale * (at.y - from.y)).margin(0.03));
    }
}

TEST_CASE("pictures of nothing, of one axis and of very long prompts are documents") {
    check_document(draw::svg_scatter(position_plan{}));
    check_document(draw::svg_grids(position_plan{}));
    check_document(draw::svg_sheet({}));
    CHECK(draw::grids(position_plan{}, 0).empty());
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(1)};
    const auto flat = make_plan(layout::sequential{}, prompt, 3).value();
    const std::string line = draw::svg_scatter(flat, prompt, 3);
    check_document(line);
    CHECK(count(line, ">h</text>") == 0);
    check_document(draw::svg_grids(flat));
    const segment huge[] = {text(index_t{1} << 30), image(token_grid{1, 4096, 4096}), text(5)};
    const auto long_plan = make_plan(layout::mrope{1}, huge, 3).value();
    const std::string drawn = draw::svg_scatter(long_plan, huge, 3);
    check_document(drawn);
    CHECK(drawn.size() < 400000);
    CHECK(count(draw::grids(long_plan, 1), "\n") == 1 + 64);
    CHECK(count(draw::grids(long_plan, 1, {0, 0, 0}, 2), "\n") == 1 + 2);
    const std::string grid = draw::svg_grids(long_plan);
    check_document(grid);
    CHECK(count(grid, "<rect ") == 3 * 24 * 24 + 1);
}

TEST_CASE("a grid shows the plan's number in every cell") {
    const segment prompt[] = {text(11), image(token_grid{1, 2, 3}), text(3)};
    const auto plan = plan_of(prompt);
    draw::grids_picture picture;
    picture.title = "MRoPE";
    picture.query = token_index{18};
    const std::string svg = draw::svg_grids(plan, picture);
    check_document(svg);
    CHECK(count(svg, ">text token 18 at (15, 15, 15)</text>") == 1);
    // t is 11 everywhere, h is 11 and 12, w is 11, 12 and 13.
    CHECK(count(svg, ">11</text>") == 6 + 3 + 2);
    CHECK(count(svg, ">12</text>") == 3 + 2);
    CHECK(count(svg, ">13</text>") == 2);
    CHECK(count(svg, "fill=\"#0072b2\"") == 6 + 1);
    CHECK(count(svg, "fill=\"#d55e00\"") == 6 + 1);
    CHECK(count(svg, "fill=\"#009e73\"") == 6 + 1);

    // One row of a layout that flattens images, and the image as it lies.
    const auto flat = make_plan(layout::sequential{}, prompt, 3).value();
    CHECK(numbers(draw::svg_grids(flat), "<rect x=\"").size() == 7);
    picture.shape = {1, 2, 3};
    const std::string folded = draw::svg_grids(flat, picture);
    const auto y = numbers(folded, "font-size=\"10.5\" text-anchor=\"middle\">");
    REQUIRE(y.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(y[i] == 11.0 + static_cast<double>(i));
}

TEST_CASE("a sheet places pictures in rows and says what they show") {
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(1)};
    const std::string one = draw::svg_scatter(plan_of(prompt), prompt, 3, {"one", 0, 300, 200});
    const std::string all = draw::svg_sheet({one, one, one}, {"three", {"first line", "second line"}, 2});
    check_document(all);
    CHECK(count(all, "<svg ") == 4);
    CHECK(count(all, "<svg x=\"16\" y=\"48\" ") == 1);
    CHECK(count(all, "<svg x=\"328\" y=\"48\" ") == 1);
    CHECK(count(all, "<svg x=\"16\" y=\"260\" ") == 1);
    CHECK(count(all, ">second line</text>") == 1);
}

TEST_CASE("grids in plain text are those drawn in the header") {
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(1)};
    const std::string drawn = draw::grids(plan_of(prompt), 1);
    CHECK(drawn ==
          "t          h          w\n"
          "2  2  2    2  2  2    2  3  4\n"
          "2  2  2    3  3  3    2  3  4\n");
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/polyrope/draw/text_grids.hpp");
    std::stringstream header;
    header << stream.rdbuf();
    std::string line;
    for (std::istringstream lines(drawn); std::getline(lines, line);)
        CHECK(header.str().find("//     " + line + "\n") != std::string::npos);

    const segment clip[] = {text(8), video(token_grid{2, 1, 2}, untimed)};
    CHECK(draw::grids(plan_of(clip), 1) ==
          "t       h       w\n"
          "8  8    8  8    8  9\n"
          "t       h       w\n"
          "9  9    8  8    8  9\n");
    const auto flat = make_plan(layout::sequential{}, prompt, 3).value();
    CHECK(draw::grids(flat, 1) == "t\n2  3  4  5  6  7\n");
    CHECK(draw::grids(flat, 1, {1, 2, 3}) == "t\n2  3  4\n5  6  7\n");
    CHECK(draw::grids(flat, 1, {1, 2, 4}) == draw::grids(flat, 1));
    CHECK(draw::grids(flat, 0).empty());
}
