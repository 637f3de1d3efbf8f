#include "support/catch.hpp"
#include "support/golden.hpp"

using polyrope::test::golden;

TEST_CASE("a golden file is parsed once") {
    CHECK(golden("models/qwen2_vl.json").at("model") == "qwen2_vl");
    CHECK(&golden("models/qwen2_vl.json") == &golden("models/qwen2_vl.json"));
}

TEST_CASE("a golden file that is not there is named") {
    std::string what;
    try {
        (void)golden("models/no_such_model.json");
    } catch (const std::exception& e) {
        what = e.what();
    }
    CHECK(what.find("models/no_such_model.json") != std::string::npos);
}

TEST_CASE("the golden files hold the cases that the tests count on") {
    CHECK(golden("models/qwen2_vl.json").at("position_cases").size() == 30);
    CHECK(golden("models/qwen2_5_vl.json").at("position_cases").size() == 39);
    CHECK(golden("models/qwen3_vl.json").at("position_cases").size() == 28);
    CHECK(golden("research/vanilla.json").at("position_cases").size() == 15);
    CHECK(golden("research/mrope.json").at("position_cases").size() == 20);
    CHECK(golden("research/mrope.json").at("position_cases_contiguous_video").size() == 15);
    CHECK(golden("research/mrope_i.json").at("position_cases").size() == 37);
    CHECK(golden("research/apply_rotate_half.json").at("cases").size() == 3);
}
