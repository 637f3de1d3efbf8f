// Rotations of VideoRoPE's repository: chunked M-RoPE and VideoRoPE.

#include "golden/rotation_cases.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/spatial_first.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("rotations of the research code are the reference's within 1e-6", "[golden]") {
    const char* const file = "research/apply_rotate_half.json";
    for (std::size_t i = 0; i < golden(file).at("cases").size(); ++i) {
        golden_case one(file, "cases", i);
        INFO(one.name());
        const json& params = one.data().at("params");
        const thw sections = sections_of(params["mrope_section"]);
        const auto rotary_dim = params["head_dim"].get<index_t>();
        const spectrum::geometric base{params["base"].get<double>()};
        const auto table =
            one.data()["name"] == "videorope"
                ? make_frequency_table(allocation::spatial_first{sections}, base, rotary_dim, pairing::half_split)
                : make_frequency_table(allocation::chunked{sections}, base, rotary_dim, pairing::half_split);
        check_rotation(one, make_rotary(table.value()).value(), one.data()["position_ids"], one.data(), one.data());
    }
}
