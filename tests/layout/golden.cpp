// The positions, deltas and decode positions of the models' and papers' own code, through token ids,
// segments, plan and fill.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/seconds.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tokens.hpp"
#include "support/catch.hpp"
#include "support/comparison_counter.hpp"
#include "support/golden.hpp"

using namespace polyrope;
using json = nlohmann::json;

namespace {

std::vector<patch_grid> grids_of(const json& list) {
    std::vector<patch_grid> grids;
    if (list.is_array())
        for (const json& g : list) grids.push_back({g[0], g[1], g[2]});
    return grids;
}

/// Rows of a case, planned one after the other as the grids of the batch are taken.
struct row {
    position_plan plan;
    row_padding padding;
};

template <class Layout>
std::vector<row> plan_rows(const Layout& layout, const json& c, const special_tokens& special, prompt_media media,
                           const std::vector<patch_grid>& images, const std::vector<patch_grid>& videos) {
    media.images = images.data();
    media.image_count = static_cast<index_t>(images.size());
    media.videos = videos.data();
    media.video_count = static_cast<index_t>(videos.size());
    std::vector<row> rows;
    media_taken taken;
    for (std::size_t r = 0; r < c["input_ids"].size(); ++r) {
        const auto ids = c["input_ids"][r].get<std::vector<std::int64_t>>();
        std::vector<int> mask(ids.size(), 1);
        if (c["attention_mask"].is_array()) mask = c["attention_mask"][r].get<std::vector<int>>();
        const auto padding = padding_of(mask.data(), static_cast<index_t>(mask.size()));
        REQUIRE(padding.ok());
        const auto segments = take_segments(ids.data() + padding->left, padding->tokens, special, media, taken);
        INFO(to_string(segments.error()).c_str());
        REQUIRE(segments.ok());
        auto plan = make_plan(layout, segments->data(), static_cast<index_t>(segments->size()));
        INFO(to_string(plan.error()).c_str());
        REQUIRE(plan.ok());
        REQUIRE(plan->size() == padding->tokens);
        rows.push_back({*std::move(plan), *padding});
    }
    CHECK(taken.images == media.image_count);
    CHECK(taken.videos == media.video_count);
    return rows;
}

/// Compares a filled row with [axis][row][token]; returns the numbers compared.
template <class P>
std::int64_t compare_positions(const row& r, const json& expected, std::size_t index, double filler) {
    const index_t length = r.padding.left + r.padding.tokens + r.padding.right;
    std::vector<P> got(static_cast<std::size_t>(3 * length), P(-77));
    const int axes = r.plan.axes();
    const status s = r.plan.fill(token_index{0}, token_index{r.padding.tokens}, axis_major(got.data(), axes, length),
                                 fill_options{}.truncated().padded(r.padding.left, filler, r.padding.right));
    INFO(to_string(s).c_str());
    REQUIRE(s.ok());
    REQUIRE(expected.size() == 3);
    bool same = true;
    std::int64_t count = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        REQUIRE(expected[a][index].size() == static_cast<std::size_t>(length));
        for (std::size_t n = 0; n < static_cast<std::size_t>(length); ++n, ++count)
            same = same && static_cast<double>(got[a * static_cast<std::size_t>(length) + n]) ==
                               expected[a][index][n].get<double>();
    }
    CHECK(same);
    return count;
}

/// The switches that make the library one of the references.
struct reference {
    const char* label;
    layout::advance behind;
    bool padded_delta;
    double filler;
    frame_time (*time)(index_t);
};
constexpr reference references[] = {
    {"hf-4.57.6", layout::advance::past_everything, true, 1.0, truncated_interval},
    {"hf-5.15.0", layout::advance::past_rows_and_columns, false, 0.0, truncated_interval},
    {"vllm-2026-05", layout::advance::past_everything, false, 0.0, floored_product_float32},
};

void check_model(const std::string& file, video_runs runs, bool timed, test::comparison_counter& count) {
    const json& golden = test::golden(file);
    const json& ids = golden["special_tokens"];
    const special_tokens special{ids["vision_start"], ids["image"], ids["video"]};
    for (const json& c : golden["position_cases"]) {
        const auto images = grids_of(c["image_grid_thw"]), videos = grids_of(c["video_grid_thw"]);
        // A reference that is given no seconds takes one second; the library asks the caller to say so.
        std::vector<seconds_per_grid> seconds(videos.size(), {1, 1});
        if (c.contains("second_per_grid_ts") && c["second_per_grid_ts"].is_array())
            for (std::size_t i = 0; i < videos.size(); ++i)
                seconds[i] = simplest_seconds(c["second_per_grid_ts"][i].get<double>());
        prompt_media media;
        media.spatial_merge = golden["config"]["spatial_merge_size"];
        media.runs = runs;
        media.seconds = timed ? seconds.data() : nullptr;
        for (const auto& [what, entries] :
             c["expected"].items())  // a label that no switch is known for must not pass unseen
            for (const json& entry : entries)
                for (const json& label : entry["refs"]) {
                    INFO(what);
                    CHECK(std::any_of(std::begin(references), std::end(references),
                                      [&](const reference& r) { return label == r.label; }));
                }
        for (const reference& ref : references) {
            const auto find = [&](const char* what) -> const json* {
                for (const json& entry : c["expected"][what])
                    for (const json& label : entry["refs"])
                        if (label == ref.label) return &entry["value"];
                return nullptr;
            };
            const json* positions = find("position_ids");
            if (positions == nullptr) continue;
            const std::string name = file + " " + c["name"].get<std::string>() + " " + ref.label;
            INFO(name);
            count.expect(name);
            layout::mrope layout{media.spatial_merge};
            layout.behind = ref.behind;
            if (timed) layout.time = ref.time(golden["config"]["tokens_per_second"]);
            const auto rows = plan_rows(layout, c, special, media, images, videos);
            const json *deltas = find("rope_deltas"), *next = find("decode_next_3");
            REQUIRE(deltas != nullptr);
            REQUIRE(next != nullptr);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const row& r = rows[i];
                count.compared(name, compare_positions<std::int32_t>(r, *positions, i, ref.filler));
                count.compared(name, compare_positions<double>(r, *positions, i, ref.filler));
                const index_t length = r.padding.left + r.padding.tokens + r.padding.right;
                const double delta = ref.padded_delta ? r.plan.position_delta_padded(length) : r.plan.position_delta();
                CHECK(delta == (*deltas)[i].get<double>());
                std::int64_t decoded[9];
                REQUIRE(r.plan
                            .fill(token_index{r.padding.tokens}, token_index{r.padding.tokens + 3},
                                  axis_major(decoded, 3, 3))
                            .ok());
                for (std::size_t k = 0; k < 9; ++k) CHECK(decoded[k] == (*next)[i][k % 3].get<std::int64_t>());
                count.compared(name, 10);
            }
        }
    }
}

template <class Layout>
void check_research(const std::string& file, const std::string& group, video_runs runs, Layout make_layout,
                    test::comparison_counter& count) {
    const json& golden = test::golden(file);
    const json& ids = golden["token_ids"];
    const special_tokens special{ids["vision_start"], ids["image"], ids["video"]};
    int number = 0;
    for (const json& c : golden[group]) {
        const std::string name =
            file + " " + group + " " + std::to_string(number++) + " " + c["name"].get<std::string>();
        INFO(name);
        count.expect(name);
        const auto images = grids_of(c["image_grid_thw_before_merge"]),
                   videos = grids_of(c["video_grid_thw_before_merge"]);
        prompt_media media;
        media.spatial_merge = c["spatial_merge_size"];
        media.runs = runs;
        const auto rows = plan_rows(make_layout(c), c, special, media, images, videos);
        if (c.value("expect_error", false)) {
            // The token behind the medium is there in the text trajectory, so the library places
            // what the reference cannot.
            CHECK(rows[0].plan.next_position() == 6);
            count.skipped(name, "the reference raises where nothing stands behind a medium with spatial reset");
            continue;
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const row& r = rows[i];
            // Padding holds 1. The references store integers and cut fractions, but keep them in the running position.
            count.compared(name, compare_positions<std::int32_t>(r, c["position_ids"], i, 1.0));
            CHECK(r.plan.generation_start() == c["next_position"][i].get<double>());
            CHECK(r.plan.position_delta_padded(r.padding.left + r.padding.tokens + r.padding.right) ==
                  c["rope_deltas"][i].get<double>());
            CHECK(r.plan.coordinates(token_index{r.padding.tokens})[0] == c["next_position"][i].get<double>());
            count.compared(name, 3);
        }
    }
}

}  // namespace

TEST_CASE("positions of Qwen2-VL, Qwen2.5-VL and Qwen3-VL equal every reference", "[golden]") {
    test::comparison_counter count;
    check_model("models/qwen2_vl.json", video_runs::one_run, false, count);
    check_model("models/qwen2_5_vl.json", video_runs::one_run, true, count);
    check_model("models/qwen3_vl.json", video_runs::run_of_frame, false, count);
    CHECK(count.unaccounted().empty());
    CHECK(count.skips().empty());
    CHECK(count.total() == 126506);
}

TEST_CASE("positions of vanilla RoPE, M-RoPE and MRoPE-I equal the papers' code", "[golden]") {
    test::comparison_counter count;
    check_research(
        "research/vanilla.json", "position_cases", video_runs::run_of_frame,
        [](const json& c) {
            return layout::sequential{c["spatial_merge_size"], 3};
        },
        count);
    const auto mrope = [](const json& c) {
        layout::mrope layout{c["spatial_merge_size"]};
        layout.time = stride(c["params"].value("temporal_stride", 1.0));
        layout.spatial_reset = c["params"].value("spatial_reset", false);
        return layout;
    };
    check_research("research/mrope.json", "position_cases", video_runs::run_of_frame, mrope, count);
    check_research("research/mrope.json", "position_cases_contiguous_video", video_runs::one_run, mrope, count);
    check_research("research/mrope_i.json", "position_cases", video_runs::run_of_frame, mrope, count);
    CHECK(count.unaccounted().empty());
    CHECK(count.skips().size() == 1);
    CHECK(count.total() == 5724);
}
