// Positions of V2PE, within one unit of the float32 that the references keep.

#include "golden/frequency_cases.hpp"
#include "golden/position_cases.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/v2pe.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Positions of one row against stored ones, `right(n)` of the n-th token.
template <class Right>
bool within_one_unit(golden_case& one, const position_plan& plan, Right right) {
    std::vector<float> found(static_cast<std::size_t>(plan.size()));
    REQUIRE(plan.fill(token_index{0}, token_index{plan.size()}, axis_major(found.data(), 1, plan.size())).ok());
    std::int64_t wrong = 0;
    for (std::size_t n = 0; n < found.size(); ++n)
        wrong += units_between(found[n], static_cast<float>(right(n))) <= 1 ? 0 : 1;
    return one.compared(static_cast<std::int64_t>(found.size()), wrong);
}

/// Segments of a row of the method's code: an image is a run of whole tiles, told apart by what stands around it.
std::vector<segment> tiles_of(const json& c) {
    std::vector<segment> out;
    const auto per_tile = c["params"]["num_image_token"].get<index_t>();
    index_t run = 0, words = 0;
    std::size_t image_index = 0;
    const auto end_image = [&] {
        if (run == 0) return;
        REQUIRE(run % per_tile == 0);
        out.push_back(image(token_grid{run / per_tile, 1, per_tile}, run));
        if (c["params"].contains("stride_per_image") && c["params"]["stride_per_image"][image_index].is_number())
            out.back() = with_span(out.back(), c["params"]["stride_per_image"][image_index].get<double>());
        ++image_index;
        run = 0;
    };
    for (const json& id : c["input_ids"]) {
        if (id == 3) {
            if (words > 0) out.push_back(text(words));
            words = 0;
            ++run;
        } else {
            end_image();
            ++words;
        }
    }
    end_image();
    if (words > 0) out.push_back(text(words));
    return out;
}

}  // namespace

TEST_CASE("positions of V2PE equal the method's code", "[golden]") {
    const char* const file = "research/v2pe.json";
    for (std::size_t i = 0; i < golden(file)["position_cases"].size(); ++i) {
        golden_case one(file, "position_cases", i);
        const json& c = one.data();
        INFO(one.name());
        if (one.listed()) continue;
        const auto segments = tiles_of(c);
        const auto count = static_cast<index_t>(segments.size());
        const auto plan = c["params"]["version"] == "default" ? make_plan(layout::sequential{1}, segments.data(), count)
                                                              : make_plan(layout::v2pe{1, 1e9}, segments.data(),
                                                                          count);  // every image has its own span
        INFO(to_string(plan.error()).c_str());
        REQUIRE(plan.ok());
        REQUIRE(static_cast<std::size_t>(plan->size()) == c["input_ids"].size());
        CHECK(within_one_unit(one, *plan, [&](std::size_t n) { return c["position_ids"][n].get<double>(); }));
        const auto next = c["next_position"].get<double>();
        CHECK(one.equal(plan->next_position(), next));
        for (index_t n = 0; n < 3; ++n)
            CHECK(one.equal(plan->coordinates(token_index{plan->size() + n})[0], next + static_cast<double>(n)));
    }
}

TEST_CASE("positions of V2PE equal the port's, which spreads a span over a whole block", "[golden]") {
    const char* const file = "research/v2pe.json";
    const json& all = golden(file);
    json marked = all;  // the port's own ids
    marked["token_ids"] = golden("research/vanilla.json")["token_ids"];
    for (std::size_t i = 0; i < all["position_cases_mmr"].size(); ++i) {
        golden_case one(file, "position_cases_mmr", i);
        const json& c = one.data();
        INFO(one.name());
        case_media media = research_media(marked, c, video_runs::run_of_frame);
        const layout::v2pe layout{c["spatial_merge_size"], c["params"]["visual_stride"].get<double>(),
                                  layout::span_of::block};
        const auto rows = plan_rows(
            c, [&](auto... row) { return media(row...); }, [&](std::size_t) { return layout; });
        CHECK(media.all_taken());
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const position_plan& plan = rows[r].plan;
            const auto left = static_cast<std::size_t>(rows[r].padding.left);
            for (std::size_t a = 0; a < 3; ++a)
                CHECK(within_one_unit(one, plan,
                                      [&](std::size_t n) { return c["position_ids"][a][r][left + n].get<double>(); }));
            CHECK(one.equal(plan.generation_start(), c["next_position"][r].get<double>()));
            CHECK(one.equal(plan.position_delta_padded(rows[r].length()), c["rope_deltas"][r].get<double>()));
        }
    }
}

TEST_CASE("an image has as many positions as tokens, where the reference makes one more and stops") {
    const json& c = golden("research/v2pe.json")["position_cases"][18];
    REQUIRE(c["expect_error"] == true);
    const auto segments = tiles_of(c);
    const auto plan = make_plan(layout::v2pe{1, c["params"]["rope_pos_id_stride"].get<double>()}, segments.data(),
                                static_cast<index_t>(segments.size()));
    REQUIRE(plan.ok());
    CHECK(static_cast<std::size_t>(plan->size()) == c["input_ids"].size());
    index_t last = 0;
    for (index_t n = 0; n < plan->size(); ++n)
        if (plan->kind_of(token_index{n}) == modality::visual) last = n;
    CHECK(static_cast<float>(plan->coordinates(token_index{last})[0]) == 19.0f);
    CHECK(plan->coordinates(token_index{last + 1})[0] == 20.0);
}
