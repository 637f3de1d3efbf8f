#include "polyrope/draw/text_scatter.hpp"

#include <algorithm>

#include "layout/prompts.hpp"
#include "polyrope/layout/sequential.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("points in space in plain text, as the header draws them") {
    const position_plan plan = plan_of(layout::mrope{1}, {text(2), image(token_grid{1, 2, 3}), text(2)});
    CHECK(draw::scatter(plan, 2, 20, 8) ==
          "|                o o\n"
          "|           . .\n"
          "|    ##\n"
          ".-.---#-------------\n");
}

TEST_CASE("a plan of one axis is a line, and nothing leaves the page") {
    CHECK(draw::scatter(plan_of(layout::sequential{1}, {text(3), image(token_grid{1, 1, 2})}), 1, 12, 4) ==
          ".-.-.--#-#-o\n");
    const position_plan long_one = plan_of(layout::mrope{1}, {text(100000), image(token_grid{1, 300, 300}), text(9)});
    for (const index_t side : {-1, 2, 40, 5000}) {
        const std::string all = draw::scatter(long_one, 4, side, side);
        std::size_t widest = 0;
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t end = all.find('\n', at);
            widest = std::max(widest, end - at);
            at = end + 1;
        }
        CHECK(widest <= static_cast<std::size_t>(side < 2 ? 2 : side > 1024 ? 1024 : side));
        CHECK(all.find('.') != std::string::npos);
    }
    CHECK(!draw::scatter(position_plan{}).empty());
}
