#include "polyrope/core/checked.hpp"
#include "support/catch.hpp"

using namespace polyrope;

namespace {
constexpr index_t most = INT64_MAX, least = INT64_MIN;

constexpr bool adds(index_t a, index_t b, index_t sum) {
    index_t out = 0;
    return checked_add(a, b, out) && out == sum;
}
constexpr bool add_refused(index_t a, index_t b) {
    index_t out = 0;
    return !checked_add(a, b, out);
}
constexpr bool multiplies(index_t a, index_t b, index_t product) {
    index_t out = 0;
    return checked_multiply(a, b, out) && out == product;
}
constexpr bool multiply_refused(index_t a, index_t b) {
    index_t out = 0;
    return !checked_multiply(a, b, out);
}
static_assert(adds(2, 3, 5) && add_refused(most, 1), "checked arithmetic is constexpr");
}  // namespace

TEST_CASE("a sum that does not fit is refused") {
    CHECK(adds(most - 1, 1, most));
    CHECK(adds(most, least, -1));
    CHECK(adds(least + 1, -1, least));
    CHECK(adds(0, least, least));
    CHECK(adds(most, 0, most));
    CHECK(add_refused(most, 1));
    CHECK(add_refused(1, most));
    CHECK(add_refused(most, most));
    CHECK(add_refused(least, -1));
    CHECK(add_refused(-1, least));
    CHECK(add_refused(least, least));
}

TEST_CASE("a product that does not fit, or has a negative factor, is refused") {
    CHECK(multiplies(0, most, 0));
    CHECK(multiplies(most, 0, 0));
    CHECK(multiplies(1, most, most));
    CHECK(multiplies(3037000499, 3037000499, 9223372030926249001));
    CHECK(multiplies(7, 1317624576693539401, most));
    CHECK(multiply_refused(3037000500, 3037000500));
    CHECK(multiply_refused(7, 1317624576693539402));
    CHECK(multiply_refused(most, 2));
    CHECK(multiply_refused(-1, 2));
    CHECK(multiply_refused(2, -1));
    CHECK(multiply_refused(-1, -1));
    CHECK(multiply_refused(0, -1));
    CHECK(multiply_refused(least, least));
}
