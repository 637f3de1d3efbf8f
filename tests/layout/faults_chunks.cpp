// Public faults of chunking and resuming (K1), of who owns the decode offset (K2), and of token
// index against position (K16).

#include "layout/prompts.hpp"
#include "polyrope/layout/decode.hpp"
#include "polyrope/layout/serialise.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("fault 1: first prefill chunk got positions for the whole prompt", "[fault]") {
    const position_plan a = plan_a();
    CHECK(row(a, 0, 0, 8) == numbers{0, 1, 2, 3, 4, 4, 4, 4});
    CHECK(row(a, 1, 0, 8) == numbers{0, 1, 2, 3, 4, 4, 4, 5});
    CHECK(row(a, 2, 0, 8) == numbers{0, 1, 2, 3, 4, 5, 6, 4});
    CHECK(row(a, 0, 8, 15) == numbers{4, 4, 7, 8, 9, 10, 11});
    CHECK(row(a, 1, 8, 15) == numbers{5, 5, 7, 8, 9, 10, 11});
    CHECK(row(a, 2, 8, 15) == numbers{5, 6, 7, 8, 9, 10, 11});
    std::int32_t out[45] = {};
    CHECK(sentence_of(a.fill(token_index{0}, token_index{8}, axis_major(out, 3, 15))) ==
          "positions: entry 1 is 15, and must be 8");
    for (const std::int32_t x : out) CHECK(x == 0);
}

TEST_CASE("fault 2: decode offset changed while the prompt was only partly prefilled", "[fault]") {
    const position_plan a = plan_a();
    for (index_t cut = 0; cut <= 15; ++cut) {
        CHECK(row(a, 0, 0, cut) + row(a, 0, cut, 15) == row(a, 0));
        CHECK(a.position_delta() == -3);
        CHECK(a.next_position() == 12);
    }
}

TEST_CASE("fault 3: chunk got the suffix of the full position tensor", "[fault]") {
    const position_plan a = plan_a();
    CHECK(row(a, 0, 4, 9) == times(5, 4));
    CHECK(row(a, 1, 4, 9) == numbers{4, 4, 4, 5, 5});
    CHECK(row(a, 2, 4, 9) == numbers{4, 5, 6, 4, 5});
    for (int axis = 0; axis < 3; ++axis) CHECK(row(a, axis, 13, 18) == steps(10, 14));
}

TEST_CASE("fault 4: boxes wrong when an image crosses a batch edge", "[fault]") {
    const position_plan a = plan_a();
    std::int32_t stored[45];
    REQUIRE(a.fill(token_index{0}, token_index{15}, axis_major(stored, 3, 15)).ok());
    const positions_view<std::int32_t> part = axis_major(stored, 3, 15).sub(6, 10);
    const std::int32_t right[3][4] = {{4, 4, 4, 4}, {4, 5, 5, 5}, {6, 4, 5, 6}};
    for (index_t axis = 0; axis < 3; ++axis)
        for (index_t n = 0; n < 4; ++n) CHECK(part.at(axis, n) == right[axis][n]);
    // And a piece of a larger array is filled in place.
    std::int32_t refilled[45] = {};
    REQUIRE(a.fill(token_index{6}, token_index{10}, axis_major(refilled, 3, 15).sub(6, 10)).ok());
    for (index_t axis = 0; axis < 3; ++axis)
        for (index_t n = 0; n < 15; ++n)
            CHECK(refilled[axis * 15 + n] == (n >= 6 && n < 10 ? stored[axis * 15 + n] : 0));
}

TEST_CASE("fault 5: a request is retracted and prefilled again with its output", "[fault]") {
    for (int axis = 0; axis < 3; ++axis)
        CHECK(row(plan_a(), axis, 0, 19) == row(plan_a(), axis) + numbers{12, 13, 14, 15});
}

TEST_CASE("fault 6: request A decoded with request B's offset", "[fault]") {
    const position_plan a = plan_a();
    const position_plan b = plan_of(layout::mrope{2}, {text(15), image(patch_grid{1, 24, 32}), text(3)});
    CHECK(b.size() == 210);
    CHECK(b.position_delta() == -176);
    CHECK(a.coordinates(token_index{15})[axis::t] == 12);
}

TEST_CASE("fault 7: text-only row in a mixed batch took the image row's offset", "[fault]") {
    const position_plan a = plan_a(), words = plan_of(layout::mrope{2}, {text(15)});
    CHECK(words.position_delta() == 0);
    const decode_request rows[] = {{&a, token_index{15}}, {&words, token_index{15}}};
    std::int32_t out[6];
    REQUIRE(decode_positions(rows, 2, axis_major(out, 3, 2)).ok());
    for (int axis = 0; axis < 3; ++axis) {
        CHECK(out[2 * axis] == 12);
        CHECK(out[2 * axis + 1] == 15);
    }
}

TEST_CASE("fault 8: offset and grids were not repeated for each beam", "[fault]") {
    const position_plan a = plan_a();
    const decode_request beams[] = {{&a, token_index{15}}, {&a, token_index{15}}, {&a, token_index{15}}};
    std::int64_t out[9];
    REQUIRE(decode_positions(beams, 3, token_major(out, 3, 3)).ok());
    for (const std::int64_t x : out) CHECK(x == 12);
}

TEST_CASE("fault 10: decode offset missing in one path", "[fault]") {
    const position_plan a = plan_a();
    const decode_request rows[] = {{&a, token_index{15}}, {nullptr, token_index{15}}};
    std::int32_t out[6] = {-1, -1, -1, -1, -1, -1};
    CHECK(decode_positions(rows, 2, axis_major(out, 3, 2)) == status{errc::null_data, operand::request, 1, 0, 1});
    for (const std::int32_t x : out) CHECK(x == -1);
    CHECK(tail_of(a).shift == -3);
    CHECK(tail_of(a).first == token_index{15});
    CHECK(tail_of(a).uniform);
}

TEST_CASE("fault 49: position 0 was treated as not set", "[fault]") {
    const position_plan plan = plan_of(layout::mrope{2}, {image(patch_grid{1, 4, 4})});
    CHECK(plan.coordinates(token_index{3}) == coordinate{{0, 1, 1}});
    CHECK(row(plan, 0) == times(4, 0));
    CHECK(plan.next_position() == 2);
}

TEST_CASE("fault 63: token count and rotary position were used as one number", "[fault]") {
    const position_plan a = plan_a();
    CHECK(a.size() == 15);
    CHECK(a.next_position() == 12);
    static_assert(!std::is_convertible_v<double, token_index>, "a position is no token index");
    static_assert(!std::is_convertible_v<index_t, token_index>, "a number becomes a token index by name only");
    static_assert(
        !std::is_convertible_v<rotary_position, token_index> && !std::is_convertible_v<cache_slot, token_index>,
        "position, slot and index are three things");
    CHECK(slot_of(token_index{3}, 4).value == 7);
    CHECK(token_of(cache_slot{7}, 4) == token_index{3});
}

TEST_CASE("fault 64: a saved state was restored out of bounds", "[fault]") {
    const position_plan a = plan_a();
    const std::vector<unsigned char> bytes = serialise(a);
    const auto back = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
    REQUIRE(back.ok());
    CHECK(*back == a);
    CHECK(row(*back, 2) == row(a, 2));
    CHECK(!deserialise(bytes.data(), static_cast<index_t>(bytes.size()) / 4).ok());
}

TEST_CASE("fault 65: a draft built 1-axis positions for a 3-axis model", "[fault]") {
    const position_plan a = plan_a();
    const token_index tree[] = {token_index{15}, token_index{16}, token_index{16}, token_index{17}};
    std::int32_t out[12], one[4] = {};
    REQUIRE(a.fill(tree, 4, axis_major(out, 3, 4)).ok());
    for (int axis = 0; axis < 3; ++axis)
        for (int n = 0; n < 4; ++n) CHECK(out[4 * axis + n] == numbers{12, 13, 13, 14}[static_cast<std::size_t>(n)]);
    CHECK(sentence_of(a.fill(tree, 4, axis_major(one, 1, 4))) == "positions: entry 0 is 1, and must be 3");
}
