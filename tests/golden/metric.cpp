// Per-token distances: the values of the Circle-RoPE paper's table and those of its released coordinates.

#include "polyrope/metric/per_token_distance.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/golden_ledger.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

std::vector<coordinate> points_of(const nlohmann::json& rows) {
    std::vector<coordinate> points;
    for (const nlohmann::json& row : rows) {
        points.emplace_back();
        for (std::size_t a = 0; a < row.size(); ++a) points.back()[static_cast<int>(a)] = row[a].get<double>();
    }
    return points;
}

}  // namespace

TEST_CASE("per-token distances are the paper's", "[golden]") {
    const char* const file = "research/circle_rope.json";
    for (std::size_t i = 0; i < golden(file).at("ptd_cases").size(); ++i) {
        golden_case one(file, "ptd_cases", i);
        INFO(one.name());
        const auto text = points_of(one.data()["text"]), image = points_of(one.data()["image"]);
        const auto distance = metric::per_token_distance(text.data(), static_cast<index_t>(text.size()), image.data(),
                                                         static_cast<index_t>(image.size()),
                                                         static_cast<int>(one.data()["text"][0].size()));
        REQUIRE(distance.ok());
        CHECK(one.within(*distance, one.data()["ptd"].get<double>(), 1e-12));
    }
}
