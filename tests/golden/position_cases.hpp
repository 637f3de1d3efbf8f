#pragma once
// Position cases of the golden files, from token ids through segments and plan to filled positions.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/padding.hpp"
#include "polyrope/layout/seconds.hpp"
#include "polyrope/layout/tokens.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/golden_ledger.hpp"

namespace polyrope::test {

using json = nlohmann::json;

inline std::vector<patch_grid> grids_of(const json& list) {
    std::vector<patch_grid> grids;
    if (list.is_array())
        for (const json& g : list) grids.push_back({g[0], g[1], g[2]});
    return grids;
}

/// The special ids of a models file, or the token_ids of a research file.
inline special_tokens special_of(const json& ids) { return {ids.at("vision_start"), ids.at("image"), ids.at("video")}; }

/// One row of a case: its plan and what surrounds its tokens.
struct planned_row {
    position_plan plan;
    row_padding padding;
    [[nodiscard]] index_t length() const { return padding.left + padding.tokens + padding.right; }
};

/// Plans the rows of a case. `segment_row(ids, count, row)` makes the segments of a row, a result of a vector, and
/// `layout_of(row)` the layout.
template <class SegmentRow, class LayoutOf>
std::vector<planned_row> plan_rows(const json& c, SegmentRow segment_row, LayoutOf layout_of) {
    std::vector<planned_row> rows;
    for (std::size_t r = 0; r < c.at("input_ids").size(); ++r) {
        const auto ids = c["input_ids"][r].get<std::vector<std::int64_t>>();
        std::vector<int> mask(ids.size(), 1);
        if (c.contains("attention_mask") && c["attention_mask"].is_array())
            mask = c["attention_mask"][r].get<std::vector<int>>();
        const auto padding = padding_of(mask.data(), static_cast<index_t>(mask.size()));
        REQUIRE(padding.ok());
        const auto segments = segment_row(ids.data() + padding->left, padding->tokens, r);
        INFO(to_string(segments.error()).c_str());
        REQUIRE(segments.ok());
        auto plan = make_plan(layout_of(r), segments->data(), static_cast<index_t>(segments->size()));
        INFO(to_string(plan.error()).c_str());
        REQUIRE(plan.ok());
        REQUIRE(plan->size() == padding->tokens);
        rows.push_back({*std::move(plan), *padding});
    }
    return rows;
}

/// The grids of a case's media, taken row by row.
struct case_media {
    std::vector<patch_grid> images, videos;
    std::vector<seconds_per_grid> seconds;  ///< empty: videos are untimed
    special_tokens special;
    index_t spatial_merge = 1;
    video_runs runs = video_runs::one_run;
    index_t temporal_merge = 1;
    image_slots slots = image_slots::cells;
    media_taken taken{};

    /// For plan_rows.
    result<std::vector<segment>> operator()(const std::int64_t* ids, index_t count, std::size_t) {
        prompt_media media;
        media.images = images.data();
        media.image_count = static_cast<index_t>(images.size());
        media.videos = videos.data();
        media.video_count = static_cast<index_t>(videos.size());
        media.seconds = seconds.empty() ? nullptr : seconds.data();
        media.spatial_merge = spatial_merge;
        media.runs = runs;
        media.temporal_merge = temporal_merge;
        media.slots = slots;
        return take_segments(ids, count, special, media, taken);
    }
    [[nodiscard]] bool all_taken() const {
        return taken.images == static_cast<index_t>(images.size()) &&
               taken.videos == static_cast<index_t>(videos.size());
    }
};

/// Whether a layout refuses some row of a case.
template <class Layout>
bool is_refused(const json& c, case_media media, const Layout& layout) {
    for (std::size_t r = 0; r < c.at("input_ids").size(); ++r) {
        const auto ids = c["input_ids"][r].get<std::vector<std::int64_t>>();
        const auto mask = c["attention_mask"][r].get<std::vector<int>>();
        const auto padding = padding_of(mask.data(), static_cast<index_t>(mask.size()));
        REQUIRE(padding.ok());
        const auto segments = media(ids.data() + padding->left, padding->tokens, r);
        REQUIRE(segments.ok());
        if (!make_plan(layout, segments->data(), static_cast<index_t>(segments->size())).ok()) return true;
    }
    return false;
}

/// Compares a filled row with `expected` [axis][row][token]. P is the type of the reference's storage: integers cut
/// fractions. `tolerance` is absolute.
template <class P>
bool compare_positions(golden_case& one, const planned_row& row, const json& expected, std::size_t index, double filler,
                       double tolerance = 0.0) {
    const index_t length = row.length();
    const int axes = row.plan.axes();
    std::vector<P> got(static_cast<std::size_t>(axes * length), P(-77));
    const status s =
        row.plan.fill(token_index{0}, token_index{row.padding.tokens}, axis_major(got.data(), axes, length),
                      fill_options{}.truncated().padded(row.padding.left, filler, row.padding.right));
    INFO(to_string(s).c_str());
    REQUIRE(s.ok());
    REQUIRE(expected.size() == static_cast<std::size_t>(axes));
    std::int64_t count = 0, wrong = 0;
    for (std::size_t a = 0; a < expected.size(); ++a) {
        REQUIRE(expected[a][index].size() == static_cast<std::size_t>(length));
        for (std::size_t n = 0; n < static_cast<std::size_t>(length); ++n, ++count) {
            const auto right = static_cast<double>(static_cast<P>(expected[a][index][n].get<double>()));
            const auto found = static_cast<double>(got[a * static_cast<std::size_t>(length) + n]);
            if (!(std::fabs(found - right) <= tolerance)) ++wrong;
        }
    }
    return one.compared(count, wrong);
}

/// The switches that make the library one of the references of the models.
struct reference {
    const char* label;
    layout::advance behind;
    bool padded_delta;
    double filler;
    frame_time (*time)(index_t);
};
inline constexpr reference model_references[] = {
    {"hf-4.57.6", layout::advance::past_everything, true, 1.0, truncated_interval},
    {"hf-5.0.0", layout::advance::past_everything, true, 1.0, truncated_interval},
    {"hf-5.15.0", layout::advance::past_rows_and_columns, false, 0.0, truncated_interval},
    {"vllm-2026-05", layout::advance::past_everything, false, 0.0, floored_product_float32},
};

/// The stored value of `what` under a label, or null.
inline const json* expected_of(const json& c, const char* what, const std::string& label) {
    if (!c.at("expected").contains(what)) return nullptr;
    for (const json& entry : c["expected"][what])
        for (const json& each : entry["refs"])
            if (each == label) return &entry["value"];
    return nullptr;
}

/// Every label that a case stores has a switch: one that no test knows must not pass unseen.
inline void check_labels(const json& c) {
    for (const auto& [what, entries] : c.at("expected").items())
        for (const json& entry : entries)
            for (const json& label : entry["refs"]) {
                INFO(what);
                CHECK(std::any_of(std::begin(model_references), std::end(model_references),
                                  [&](const reference& r) { return label == r.label; }));
            }
}

/// Delta and the next three decode positions of every row.
inline void compare_deltas(golden_case& one, const std::vector<planned_row>& rows, const json& c,
                           const reference& ref) {
    const json *deltas = expected_of(c, "rope_deltas", ref.label), *next = expected_of(c, "decode_next_3", ref.label);
    REQUIRE(deltas != nullptr);
    REQUIRE(next != nullptr);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const planned_row& r = rows[i];
        const double delta = ref.padded_delta ? r.plan.position_delta_padded(r.length()) : r.plan.position_delta();
        CHECK(one.equal(delta, (*deltas)[i].get<double>()));
        double decoded[9];
        REQUIRE(r.plan.fill(token_index{r.padding.tokens}, token_index{r.padding.tokens + 3}, axis_major(decoded, 3, 3))
                    .ok());
        for (std::size_t k = 0; k < 9; ++k) CHECK(one.equal(decoded[k], (*next)[i][k % 3].get<double>()));
    }
}

/// How the prompts of a model are written.
struct model_prompts {
    video_runs runs = video_runs::one_run;
    bool timed = false;  ///< videos have seconds
    special_tokens (*special)(const json&) = special_of;
    index_t temporal_merge = 1;
};

/// Every position case of a models file under every reference that answered it. `make_layout(golden, ref)` gives the
/// layout.
template <class MakeLayout>
void check_model_positions(const std::string& file, const model_prompts& prompts, MakeLayout make_layout) {
    const json& all = golden(file);
    for (std::size_t i = 0; i < all.at("position_cases").size(); ++i) {
        golden_case one(file, "position_cases", i);
        const json& c = one.data();
        INFO(one.name());
        check_labels(c);
        for (const reference& ref : model_references) {
            const json* positions = expected_of(c, "position_ids", ref.label);
            if (positions == nullptr || one.listed(ref.label)) continue;
            INFO(ref.label);
            case_media media{grids_of(c["image_grid_thw"]),
                             grids_of(c["video_grid_thw"]),
                             {},
                             prompts.special(all["special_tokens"]),
                             all["config"]["spatial_merge_size"],
                             prompts.runs,
                             prompts.temporal_merge};
            // A reference that is given no seconds takes one second; the library asks the caller to say so.
            if (prompts.timed) media.seconds.assign(media.videos.size(), {1, 1});
            if (prompts.timed && c.contains("second_per_grid_ts") && c["second_per_grid_ts"].is_array())
                for (std::size_t v = 0; v < media.videos.size(); ++v)
                    media.seconds[v] = simplest_seconds(c["second_per_grid_ts"][v].get<double>());
            const auto layout = make_layout(all, ref);
            const auto rows = plan_rows(
                c, [&](auto... row) { return media(row...); }, [&](std::size_t) { return layout; });
            CHECK(media.all_taken());
            for (std::size_t r = 0; r < rows.size(); ++r) {
                CHECK(compare_positions<std::int32_t>(one, rows[r], *positions, r, ref.filler));
                CHECK(compare_positions<double>(one, rows[r], *positions, r, ref.filler));
            }
            compare_deltas(one, rows, c, ref);
        }
    }
}

template <class MakeLayout>
void check_model_positions(const std::string& file, video_runs runs, bool timed, MakeLayout make_layout) {
    check_model_positions(file, model_prompts{runs, timed}, make_layout);
}

/// The media of a case of a research file.
inline case_media research_media(const json& file, const json& c, video_runs runs) {
    return {grids_of(c["image_grid_thw_before_merge"]),
            grids_of(c["video_grid_thw_before_merge"]),
            {},
            special_of(file["token_ids"]),
            c["spatial_merge_size"],
            runs};
}

/// One case of a research file, whose padding holds 1: positions, delta and where generated text starts, which is where
/// the plan decodes. `segment_row` as for plan_rows; P is the reference's storage.
template <class P, class SegmentRow, class Layout>
void check_research_case(golden_case& one, SegmentRow segment_row, const Layout& layout, double tolerance = 0.0) {
    const json& c = one.data();
    REQUIRE(!c.value("expect_error", false));
    const auto rows = plan_rows(c, segment_row, [&](std::size_t) { return layout; });
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const planned_row& row = rows[r];
        CHECK(compare_positions<P>(one, row, c["position_ids"], r, 1.0, tolerance));
        if (one.listed("next_position")) continue;
        const auto next = c["next_position"][r].get<double>(), delta = c["rope_deltas"][r].get<double>();
        CHECK(one.within(row.plan.generation_start(), next, tolerance));
        CHECK(one.within(row.plan.position_delta_padded(row.length()), delta, tolerance));
        CHECK(one.within(row.plan.coordinates(token_index{row.padding.tokens})[0], next, tolerance));
    }
}

/// Every position case of a group of a research file. `make_layout(case)` gives the layout; where the reference raises, it
/// must refuse. `timed` videos have seconds.
template <class P, class MakeLayout>
void check_research_positions(const std::string& file, const std::string& group, video_runs runs,
                              MakeLayout make_layout, double tolerance = 0.0, bool timed = false) {
    const json& all = golden(file);
    for (std::size_t i = 0; i < all.at(group).size(); ++i) {
        golden_case one(file, group, i);
        const json& c = one.data();
        INFO(one.name());
        if (one.listed()) continue;
        case_media media = research_media(all, c, runs);
        if (timed) {  // the reference takes one second where it is given none
            const json seconds = c["params"].value("second_per_grid_ts", json::array());
            media.seconds.assign(media.videos.size(), {1, 1});
            for (std::size_t v = 0; v < seconds.size(); ++v) media.seconds[v] = simplest_seconds(seconds[v]);
        }
        const auto layout = make_layout(c);
        if (c.value("expect_error", false)) {
            CHECK(one.equal(is_refused(c, media, layout), true));
            continue;
        }
        check_research_case<P>(
            one, [&](auto... row) { return media(row...); }, layout, tolerance);
    }
}

}  // namespace polyrope::test
