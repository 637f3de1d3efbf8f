#include "polyrope/core/axis.hpp"
#include "polyrope/core/index.hpp"
#include "support/catch.hpp"

#include <string>
#include <type_traits>

using namespace polyrope;

namespace {
template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To> || std::is_assignable_v<To&, From>;

// After an image a token's index, its position and its cache slot are three numbers; none becomes another in silence.
static_assert(!converts<token_index, rotary_position> && !converts<rotary_position, token_index>,
              "an index is not a position");
static_assert(!converts<token_index, cache_slot> && !converts<cache_slot, token_index>, "an index is not a slot");
static_assert(!converts<cache_slot, rotary_position> && !converts<rotary_position, cache_slot>,
              "a slot is not a position");
static_assert(!converts<int, token_index> && !converts<int, rotary_position> && !converts<int, cache_slot>,
              "a number has no meaning by itself");
static_assert(!converts<token_index, index_t>, "the way back is .value");
static_assert(std::is_signed_v<index_t> && sizeof(index_t) == 8, "counts are 64 bits wide and signed");
}  // namespace

TEST_CASE("a slot counts the left padding, a token index does not") {
    CHECK(slot_of(token_index{0}, 3) == cache_slot{3});
    CHECK(token_of(cache_slot{3}, 3) == token_index{0});
    CHECK(slot_of(token_of(cache_slot{17}, 5), 5) == cache_slot{17});
    CHECK(slot_of(token_index{4}, 0) != cache_slot{5});
}

TEST_CASE("indices of one kind compare") {
    CHECK(token_index{2} < token_index{3});
    CHECK_FALSE(token_index{3} < token_index{3});
    CHECK(rotary_position{-1} < rotary_position{0});
    CHECK(cache_slot{1} != cache_slot{2});
    CHECK(token_index{} == token_index{0});
    CHECK(token_range{token_index{4}, token_index{9}}.size() == 5);
    CHECK(token_range{}.size() == 0);
}

TEST_CASE("every axis has a letter of its own") {
    std::string letters;
    for (int a = -1; a < max_axes; ++a) letters += letter(static_cast<axis>(a));
    CHECK(letters == "-thwuvxy");
    CHECK(axis_none == axis::none);
}
