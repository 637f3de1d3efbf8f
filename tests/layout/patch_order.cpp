// The order of patches and windows: pictures of the headers, an independent definition, and grids that cannot be.

#include "polyrope/layout/patch_order.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "polyrope/core/sentence.hpp"
#include "polyrope/layout/patch_segments.hpp"
#include "polyrope/layout/window_order.hpp"
#include "support/catch.hpp"

using namespace polyrope;

namespace {

std::string header(const char* name) {
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/layout/" + name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string two(index_t number) { return (number < 10 ? " " : "") + std::to_string(number); }

template <class Order>
std::vector<std::int32_t> filled(const Order& order, const std::vector<patch_grid>& grids, index_t tokens) {
    std::vector<std::int32_t> at(static_cast<std::size_t>(3 * tokens));
    const auto count = static_cast<index_t>(grids.size());
    if constexpr (std::is_same_v<Order, patch_order>)
        REQUIRE(order.fill(grids.data(), count, axis_major(at.data(), 3, tokens)).ok());
    else REQUIRE(order.fill_positions(grids.data(), count, axis_major(at.data(), 3, tokens)).ok());
    return at;
}

std::string sentence_of(status s) { return to_string(s).c_str(); }

}  // namespace

TEST_CASE("merge order is what the header draws") {
    const auto at = filled(patch_order{2}, {{1, 4, 4}}, 16);
    index_t cell[4][4] = {};
    for (std::size_t n = 0; n < 16; ++n) cell[at[16 + n]][at[32 + n]] = static_cast<index_t>(n);
    std::string drawn;
    for (const auto& row : cell) {
        drawn += drawn.empty() ? "//     patch grid 4 x 4, merge 2:   " : "//" + std::string(34, ' ');
        for (const index_t& n : row) drawn += (&n == &row[0] ? "" : " ") + two(n);
        drawn += "\n";
    }
    CHECK(header("patch_order.hpp").find(drawn) != std::string::npos);
}

TEST_CASE("windows are what the header draws") {
    const window_order order{1, 2};
    const patch_grid grid{1, 3, 5};
    std::int32_t cells[15], ends[7];
    REQUIRE(order.fill(&grid, 1, cells, 15, ends, 7).ok());
    index_t place[15] = {};
    for (index_t i = 0; i < 15; ++i) place[cells[i]] = i;
    std::string drawn;
    for (index_t i = 0; i < 15; ++i) {
        if (i % 5 == 0) drawn += i == 0 ? "//     cells 3 x 5, windows of 2:   " : "\n//" + std::string(34, ' ');
        drawn += (i % 5 == 0 ? "" : " ") + two(place[i]);
    }
    CHECK(header("window_order.hpp").find(drawn + "\n") != std::string::npos);
    CHECK(std::vector<std::int32_t>(ends, ends + 7) == std::vector<std::int32_t>{0, 4, 8, 10, 12, 14, 15});
}

TEST_CASE("segments are what the header says, of frames and of clips, class tokens included") {
    const patch_grid grids[] = {{1, 2, 3}, {2, 3, 1}};
    const auto ends = [&](const patch_order& order, attention_span span) {
        const index_t entries = *segment_count(order, grids, 2, span) + 1;
        std::vector<std::int64_t> all(static_cast<std::size_t>(entries));
        REQUIRE(fill_segments(order, grids, 2, span, all.data(), entries).ok());
        return all;
    };
    CHECK(ends({}, attention_span::per_frame) == std::vector<std::int64_t>{0, 6, 9, 12});
    CHECK(ends({}, attention_span::per_medium) == std::vector<std::int64_t>{0, 6, 12});
    CHECK(ends({1, 0, {0, 1}}, attention_span::per_frame) == std::vector<std::int64_t>{0, 7, 11, 15});
    CHECK(ends({1, 0, {2, 1}}, attention_span::per_medium) == std::vector<std::int64_t>{0, 9, 21});
}

TEST_CASE("patches of every merge and first number sit where the definition says") {
    const std::vector<patch_grid> grids = {{2, 4, 12}, {1, 8, 4}, {3, 4, 4}};
    for (const index_t merge : {1, 2, 4})
        for (const index_t first : {0, 1}) {
            const patch_order order{merge, first, {1, 2}};
            const index_t tokens = *order.count(grids.data(), 3);
            CHECK(tokens == 2 * (48 + 3) + 32 + 3 + 3 * (16 + 3));
            const auto at = filled(order, grids, tokens);
            std::size_t n = 0;
            const auto expect = [&](index_t t, index_t h, index_t w) {
                const auto all = static_cast<std::size_t>(tokens);
                REQUIRE(at[n] == t);
                REQUIRE(at[all + n] == h);
                REQUIRE(at[2 * all + n] == w);
                ++n;
            };
            for (const patch_grid& g : grids)
                for (index_t f = 0; f < g.frames; ++f) {
                    expect(0, 0, 0);
                    for (index_t i = 0; i < g.rows * g.columns; ++i) {
                        const index_t inside = i % (merge * merge), block = i / (merge * merge),
                                      across = g.columns / merge;
                        expect(f, first + block / across * merge + inside / merge,
                               first + block % across * merge + inside % merge);
                    }
                    expect(0, 0, 0);
                    expect(0, 0, 0);
                }
            CHECK(n == static_cast<std::size_t>(tokens));
        }
}

TEST_CASE("positions in window order are those of the patch order, moved with their cells") {
    const std::vector<patch_grid> grids = {{2, 6, 10}, {1, 8, 4}, {1, 2, 2}};
    for (const index_t side : {1, 2, 3, 100}) {
        const window_order order{2, side};
        const auto all = order.count(grids.data(), 3);
        REQUIRE(all.ok());
        std::vector<std::int64_t> cells(static_cast<std::size_t>(all->cells)),
            ends(static_cast<std::size_t>(all->windows + 1));
        REQUIRE(order.fill(grids.data(), 3, cells.data(), all->cells, ends.data(), all->windows + 1).ok());
        const auto raster = filled(patch_order{2}, grids, all->patches), moved = filled(order, grids, all->patches);
        const auto patches = static_cast<std::size_t>(all->patches);
        for (std::size_t n = 0; n < patches; ++n)
            for (std::size_t a = 0; a < 3; ++a)
                REQUIRE(moved[a * patches + n] ==
                        raster[a * patches + 4 * static_cast<std::size_t>(cells[n / 4]) + n % 4]);
        // Every cell once, no empty window, none larger than side x side cells.
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            CHECK(ends[i] < ends[i + 1]);
            CHECK(ends[i + 1] - ends[i] <= 4 * side * side);
        }
        CHECK(ends.back() == all->patches);
        std::sort(cells.begin(), cells.end());
        for (std::size_t i = 0; i < cells.size(); ++i) REQUIRE(cells[i] == static_cast<std::int64_t>(i));
    }
    CHECK(window_order::of_pixels(112, 14, 2).side == 4);
}

TEST_CASE("no media is a valid call") {
    CHECK(*patch_order{}.count(nullptr, 0) == 0);
    CHECK(patch_order{}.fill(nullptr, 0, axis_major<std::int32_t>(nullptr, 3, 0)).ok());
    std::int32_t end = 7;
    CHECK(fill_segments(patch_order{}, nullptr, 0, attention_span::per_frame, &end, 1).ok());
    CHECK(end == 0);
    end = 7;
    CHECK(window_order{}.fill(nullptr, 0, static_cast<std::int32_t*>(nullptr), 0, &end, 1).ok());
    CHECK(end == 0);
}

TEST_CASE("grids of patches that cannot be are refused, and nothing is written") {
    std::vector<std::int32_t> at(3 * 16, -7), ends(9, -7);
    const auto refused = [&](const patch_order& order, patch_grid grid) {
        const status s = order.count(&grid, 1).error();
        CHECK(order.fill(&grid, 1, axis_major(at.data(), 3, 16)) == s);
        CHECK(segment_count(order, &grid, 1, attention_span::per_frame).error() == s);
        CHECK(fill_segments(order, &grid, 1, attention_span::per_frame, ends.data(), 2) == s);
        return sentence_of(s);
    };
    CHECK(refused({2}, {1, 0, 4}) == "image 0: a grid side of 0 is not positive");
    CHECK(refused({2}, {-1, 4, 4}) == "image 0: a grid side of -1 is not positive");
    CHECK(refused({2}, {1, 4, 5}) == "image 0: the grid side 5 is not a multiple of the merge size 2");
    CHECK(refused({2}, {1, 3, 4}) == "image 0: the grid side 3 is not a multiple of the merge size 2");
    CHECK(refused({1}, {1, 1, index_t{1} << 31}) == "image 0: position 2147483648 exceeds the limit 2147483647");
    CHECK(refused({1, 1}, {1, INT32_MAX, 1}) == "image 0: position 2147483647 exceeds the limit 2147483647");
    CHECK(refused({1}, {INT64_MAX, 1, 1}) == "image 0: position 9223372036854775807 exceeds the limit 2147483647");
    CHECK(refused({1}, {4, INT32_MAX, INT32_MAX}) == "image 0: its size does not fit 64 bits");
    CHECK(refused({0}, {1, 4, 4}) == "configuration: spatial_merge_size has the invalid value 0 (entry 0, expected 1)");
    CHECK(refused({1, 0, {-1, 0}}, {1, 4, 4}) == "token 0: a count of -1 is below zero");
    CHECK(refused({1, 0, {0, INT64_MAX}}, {1, 4, 4}) == "image 1: its size does not fit 64 bits");
    const patch_grid many[] = {{2, INT32_MAX, INT32_MAX}, {2, INT32_MAX, INT32_MAX}};
    CHECK(patch_order{}.count(many, 2).error() == status{errc::size_overflow, operand::image, 1, 0, 0});
    CHECK(patch_order{}.count(many, -1).error().code == errc::negative_count);
    CHECK(patch_order{}.count(nullptr, 2).error().code == errc::null_data);

    const patch_grid grid{1, 4, 4};
    CHECK(sentence_of(patch_order{}.fill(&grid, 1, axis_major(at.data(), 3, 15))) ==
          "positions: entry 1 is 15, and must be 16");
    CHECK(patch_order{}.fill(&grid, 1, axis_major(at.data(), 2, 16)).code == errc::axis_count_mismatch);
    CHECK(patch_order{}.fill(&grid, 1, axis_major<std::int32_t>(nullptr, 3, 16)).code == errc::null_data);
    CHECK(fill_segments(patch_order{}, &grid, 1, attention_span::per_frame, ends.data(), 1).code ==
          errc::extent_mismatch);
    const window_order windows{2, 1};
    CHECK(windows.fill(&grid, 1, at.data(), 5, ends.data(), 5).code == errc::extent_mismatch);
    CHECK(windows.fill(&grid, 1, at.data(), 4, ends.data(), 4).code == errc::extent_mismatch);
    CHECK(windows.fill_positions(&grid, 1, axis_major(at.data(), 3, 17)).code == errc::extent_mismatch);
    CHECK(sentence_of(window_order{2, 0}.count(&grid, 1).error()) ==
          "configuration: window_size has the invalid value 0 (entry 0, expected 1)");
    CHECK(window_order::of_pixels(112, 0, 2).count(&grid, 1).error().code == errc::value_invalid);
    CHECK(window_order::of_pixels(112, 14, 0).count(&grid, 1).error().code == errc::value_invalid);
    // Lengths past the type that they are asked for in.
    const patch_grid large{1, 65536, 65536};
    CHECK(fill_segments(patch_order{}, &large, 1, attention_span::per_frame, ends.data(), 2) ==
          status{errc::capacity_exceeded, operand::output, 0, INT32_MAX, index_t{1} << 32});
    CHECK(at == std::vector<std::int32_t>(3 * 16, -7));
    CHECK(ends == std::vector<std::int32_t>(9, -7));
}
