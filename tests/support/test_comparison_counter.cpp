#include "support/catch.hpp"
#include "support/comparison_counter.hpp"

using polyrope::test::comparison_counter;

TEST_CASE("a case that is neither compared nor skipped is named") {
    comparison_counter count;
    count.expect("image/4.57.6");
    count.expect("image/5.15.0");
    count.expect("text/5.15.0");
    count.compared("image/4.57.6", 30);
    count.compared("image/4.57.6", 3);
    CHECK(count.unaccounted() == std::vector<std::string>{"image/5.15.0", "text/5.15.0"});
    count.skipped("text/5.15.0", "this reference answers no call without an image");
    count.compared("image/5.15.0");
    CHECK(count.unaccounted().empty());
    CHECK(count.total() == 34);
    REQUIRE(count.skips().size() == 1);
    CHECK(count.skips().at("text/5.15.0") == "this reference answers no call without an image");
}

TEST_CASE("the counter refuses what would hide a case") {
    comparison_counter count;
    count.expect("a");
    CHECK_THROWS(count.expect("a"));
    CHECK_THROWS(count.compared("b"));
    CHECK_THROWS(count.skipped("b", "why"));
    CHECK_THROWS(count.skipped("a", ""));
    count.compared("a");
    CHECK_THROWS(count.skipped("a", "why"));
    count.expect("c");
    count.skipped("c", "why");
    CHECK_THROWS(count.compared("c"));
    CHECK(count.total() == 1);
}
