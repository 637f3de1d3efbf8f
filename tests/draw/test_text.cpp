#include "polyrope/draw/text.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <sstream>

using namespace polyrope;

namespace {

position_plan plan_of(std::initializer_list<segment> segments, layout::mrope layout = {1}) {
    return make_plan(layout, segments.begin(), static_cast<index_t>(segments.size())).value();
}

}  // namespace

TEST_CASE("a head is a string of axis letters") {
    const auto table =
        make_frequency_table(allocation::interleaved{thw{3, 2, 2}}, spectrum::geometric{1e4}, 14, pairing::half_split);
    CHECK(draw::letters(*table) == "thwthwt");
    const axis_frequency entries[] = {{axis::t, 1.0}, {axis_none, 0.0}, {axis::u, 1.0}, {axis::y, 1.0}};
    CHECK(draw::letters(*make_frequency_table(entries, 2, 2, 7, pairing::adjacent), 0) == "t-");
    CHECK(draw::letters(*make_frequency_table(entries, 2, 2, 7, pairing::adjacent), 1) == "uy");
    CHECK(draw::letters(frequency_table{}).empty());
}

TEST_CASE("the rows of a prompt are those drawn in the header") {
    const auto plan = plan_of({text(2), image(token_grid{1, 2, 2}), text(1)});
    const std::string drawn = draw::rows(plan, token_index{0}, token_index{7});
    CHECK(drawn ==
          "   .  .  #  #  #  #  .\n"
          "t  0  1  2  2  2  2  4\n"
          "h  0  1  2  2  3  3  4\n"
          "w  0  1  2  3  2  3  4\n");
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/polyrope/draw/text.hpp");
    std::stringstream text;
    text << stream.rdbuf();
    std::string line;
    for (std::istringstream lines(drawn); std::getline(lines, line);)
        CHECK(text.str().find(line + "\n") != std::string::npos);
}

TEST_CASE("columns are as wide as their numbers and go on past the prompt") {
    const auto plan = plan_of({text(9), image(token_grid{1, 1, 3})});
    CHECK(draw::rows(plan, token_index{8}, token_index{14}) ==
          "   .  #   #   #   +   +\n"
          "t  8  9   9   9  12  13\n"
          "h  8  9   9   9  12  13\n"
          "w  8  9  10  11  12  13\n");
    CHECK(draw::rows(plan, token_index{3}, token_index{3}) == " \nt\nh\nw\n");
}

TEST_CASE("a fraction is as short as a float32 that reads back") {
    layout::mrope slow{1};
    slow.time = stride(0.1);
    const auto plan = plan_of({video(token_grid{3, 1, 1}, untimed)}, slow);
    CHECK(draw::rows(plan, token_index{0}, token_index{3}) ==
          "   #    #    #\nt  0  0.1  0.2\nh  0    0    0\nw  0    0    0\n");
    CHECK(draw::detail::number(-1.25) == "-1.25");
    CHECK(draw::detail::number(123456789012345.0) == "123456789012345");
    CHECK(draw::detail::number(1e300) == "1e+300");
}

TEST_CASE("one axis is one row") {
    const segment prompt[] = {text(3)};
    const auto plan = make_plan(layout::sequential{}, prompt, 1);
    CHECK(draw::rows(*plan, token_index{0}, token_index{4}) == "   .  .  .  +\nt  0  1  2  3\n");
}
