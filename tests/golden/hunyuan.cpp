// Positions of Hunyuan-VL with four and with three axes, under both references. The rows of the files read position,
// width, height, image; with three axes the first is not there.

#include "golden/position_cases.hpp"
#include "polyrope/preset/hunyuan_vl.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// The rows of a plan that the axes of a file are.
constexpr axis four[] = {axis::t, axis::w, axis::h, axis::u}, three[] = {axis::w, axis::h, axis::u};

/// Images in the rows of a case before row r.
index_t images_before(const json& c, std::size_t r, index_t placeholder, index_t start) {
    index_t count = 0;
    for (std::size_t i = 0; i < r; ++i)
        for (std::size_t n = 1; n < c["input_ids"][i].size(); ++n)
            count += c["input_ids"][i][n] == placeholder && c["input_ids"][i][n - 1] == start ? 1 : 0;
    return count;
}

template <std::size_t Axes>
void check_positions(const std::string& group, const axis (&rows_of)[Axes]) {
    const std::string file = "models/hunyuan_vl.json";
    const json& all = golden(file);
    const auto model = preset::hunyuan_vl{}.make();
    REQUIRE(model.ok());
    index_t counted_on = 0;
    for (std::size_t i = 0; i < all.at(group).size(); ++i) {
        golden_case one(file, group, i);
        const json& c = one.data();
        INFO(one.name());
        check_labels(c);
        for (const reference& ref : model_references) {
            const json* positions = expected_of(c, "position_ids", ref.label);
            if (positions == nullptr) continue;
            INFO(ref.label);
            case_media media{
                grids_of(c["image_grid_thw"]), {}, {}, special_of(all["special_tokens"]), model->layout.spatial_merge};
            media.slots = model->slots;
            const bool through_batch = std::string(ref.label) == "hf-5.15.0";
            const auto rows = plan_rows(
                c, [&](auto... row) { return media(row...); },
                [&](std::size_t r) {
                    layout::xdrope layout = model->layout;
                    if (through_batch)
                        layout.first_image_ordinal =
                            images_before(c, r, media.special.image, media.special.vision_start);
                    counted_on += layout.first_image_ordinal;
                    return layout;
                });
            CHECK(media.all_taken());
            REQUIRE(positions->size() == Axes);
            for (std::size_t r = 0; r < rows.size(); ++r) {
                json in_order = json::array({(*positions)[0], (*positions)[0], (*positions)[0], (*positions)[0]});
                for (std::size_t a = 0; a < Axes; ++a) in_order[static_cast<std::size_t>(rows_of[a])] = (*positions)[a];
                if (Axes == 3) {  // the plan's position axis is the token's index, in the file's padding as it is there
                    in_order[0][r] = in_order[1][r];
                    for (index_t n = 0; n < rows[r].padding.tokens; ++n)
                        in_order[0][r][static_cast<std::size_t>(rows[r].padding.left + n)] = n;
                }
                CHECK(compare_positions<std::int32_t>(one, rows[r], in_order, r, ref.filler));
                const position_plan& plan = rows[r].plan;
                if (const json* deltas = expected_of(c, "rope_deltas", ref.label);
                    deltas != nullptr && !deltas->is_null())
                    CHECK(one.equal(plan.position_delta(), (*deltas)[r].get<double>()));
                for (index_t n = plan.size(); n < plan.size() + 3; ++n)
                    CHECK(plan.coordinates(token_index{n}) == coordinate{{double(n), double(n), double(n), double(n)}});
            }
        }
    }
    CHECK(counted_on > 0);
}

}  // namespace

TEST_CASE("positions of Hunyuan-VL equal both references, with four axes and with three", "[golden]") {
    check_positions("position_cases", four);
    check_positions("position_cases_3axis", three);
}
