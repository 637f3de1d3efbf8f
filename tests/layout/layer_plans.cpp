// Which plan a layer reads, and where its generated tokens sit.

#include "polyrope/layout/layer_plans.hpp"

#include "layout/prompts.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "support/golden.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

const std::vector<segment> prompt = {text(2), image(token_grid{1, 2, 3}), text(2)};

layer_plans age(ring_layers which, index_t layers, layer_decoding decoding = layer_decoding::per_plan) {
    auto all = make_layer_plans(layout::circle_rope{1}, layout::mrope{1}, which, layers, prompt.data(), 3, decoding);
    REQUIRE(all.ok());
    REQUIRE(all->check(layers).ok());
    return *all;
}

}  // namespace

TEST_CASE("layers read the rings that the released code gives them") {
    const auto& flags = golden("research/circle_rope.json")["age_layer_flags"];
    const std::pair<const char*, ring_layers> strategies[] = {{"strategy_2", ring_layers::lower_half},
                                                              {"strategy_3", ring_layers::upper_half},
                                                              {"strategy_4", ring_layers::alternating}};
    REQUIRE(flags.size() == 3);
    for (const auto& [name, which] : strategies) {
        const auto plans = plans_of_layers(which, 36);
        REQUIRE(flags[name].size() == plans.size());
        for (std::size_t i = 0; i < plans.size(); ++i) CHECK((plans[i] == 0) == (flags[name][i] == 1));
    }
    CHECK(plans_of_layers(ring_layers::all, 3) == std::vector<std::uint8_t>{0, 0, 0});
    CHECK(plans_of_layers(ring_layers::lower_half, 3) == std::vector<std::uint8_t>{0, 1, 1});
    CHECK(plans_of_layers(ring_layers::upper_half, 3) == std::vector<std::uint8_t>{1, 0, 0});
}

TEST_CASE("each layer fills from its own plan, and decodes where it goes on") {
    const position_plan rings = plan_of(layout::circle_rope{1}, prompt), grids = plan_of(layout::mrope{1}, prompt);
    for (const auto decoding : {layer_decoding::per_plan, layer_decoding::ring_everywhere}) {
        const layer_plans all = age(ring_layers::alternating, 4, decoding);
        CHECK(all.plans.size() == 2);
        for (index_t layer = 0; layer < 4; ++layer) {
            const position_plan &own = layer % 2 == 0 ? rings : grids,
                                &later = decoding == layer_decoding::per_plan ? own : rings;
            for (const auto& [begin, end] : {std::pair{0, 10}, {3, 14}, {9, 11}, {10, 12}, {11, 11}, {4, 4}}) {
                const auto options = fill_options{}.padded(2, -3.0, 1);
                const index_t columns = end - begin + 3;
                std::vector<double> got(static_cast<std::size_t>(3 * columns));
                REQUIRE(
                    all.fill(layer, token_index{begin}, token_index{end}, axis_major(got.data(), 3, columns), options)
                        .ok());
                bool same = true;
                for (index_t a = 0; a < 3; ++a)
                    for (index_t i = 0; i < columns; ++i) {
                        const index_t n = begin + i - 2;
                        const bool pad = i < 2 || n >= end;
                        const coordinate x = (n < 10 ? own : later).coordinates(token_index{n < 0 ? 0 : n});
                        same = same &&
                               got[static_cast<std::size_t>(a * columns + i)] == (pad ? -3.0 : x[static_cast<int>(a)]);
                    }
                CHECK(same);
            }
            CHECK(all.plan(layer, token_index{10}).generation_start() == later.generation_start());
        }
    }
    CHECK(rings.generation_start() != grids.generation_start());
    CHECK(age(ring_layers::all, 4).plans.size() == 1);
}

TEST_CASE("a fill over both plans writes nothing unless both parts can be written") {
    const layer_plans all = age(ring_layers::alternating, 2, layer_decoding::ring_everywhere);
    std::vector<std::int32_t> got(3 * 12, -77);
    const auto view = axis_major(got.data(), 3, 12);
    // Whole in the prompt, a fraction behind it.
    CHECK(all.fill(1, token_index{0}, token_index{12}, view).code == errc::coordinate_not_integral);
    CHECK(all.fill(1, token_index{0}, token_index{11}, view, fill_options{}.truncated()).code == errc::extent_mismatch);
    CHECK(all.fill(2, token_index{0}, token_index{12}, view).code == errc::range_invalid);
    CHECK(all.fill(-1, token_index{0}, token_index{12}, view).code == errc::range_invalid);
    for (const std::int32_t x : got) REQUIRE(x == -77);
    CHECK(all.fill(1, token_index{0}, token_index{12}, view, fill_options{}.truncated()).ok());
}

TEST_CASE("plans and layers that do not belong together are refused") {
    layer_plans all = age(ring_layers::alternating, 4);
    CHECK(all.check(5) == status{errc::extent_mismatch, operand::layers, 0, 5, 4});
    all.plan_of_layer[3] = 2;
    CHECK(all.check(4) == status{errc::value_invalid, operand::layers, 3, 1, 2});
    all.plan_of_layer[3] = 0;
    all.plans[1] = plan_of(layout::mrope{1}, {text(3)});
    CHECK(all.check(4) == status{errc::extent_mismatch, operand::plan, 1, 10, 3});
    CHECK(make_layer_plans(layout::circle_rope{1}, layout::mrope{1}, ring_layers::all, 0, prompt.data(), 3).error() ==
          status{errc::value_invalid, operand::layers, 0, 1, 0});
    CHECK(make_layer_plans(layout::circle_rope{1}, layout::mrope{1}, ring_layers::all, 2, prompt.data(), -1)
              .error()
              .code == errc::negative_count);
}
