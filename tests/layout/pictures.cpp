// The pictures in the headers: rows of numbers below a line that says what they show. A picture that is not listed
// here, or that is listed and gone, is a failure.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "layout/prompts.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/ilrope.hpp"
#include "polyrope/layout/mmrope.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/neutral.hpp"
#include "polyrope/layout/sequential.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/layout/xdrope.hpp"
#include "polyrope/layout/v2pe.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

using picture = std::map<std::string, numbers>;

/// Pictures of a header by their captions: "//     caption      next 7, delta -3" and below it rows "t  0 1 2",
/// "h ...", "w ...", "u ...".
std::map<std::string, picture> pictures_in(const std::string& header) {
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/layout/" + header);
    REQUIRE(file.good());
    std::map<std::string, picture> all;
    std::string line, before;
    for (std::string caption; std::getline(file, line) && line.rfind("#include", 0) != 0; before = line) {
        std::istringstream words(line);
        std::string slashes, axis;
        words >> slashes >> axis;
        if (axis == "t") {
            caption = before;
            caption.erase(0, caption.find_first_not_of("/ "));
            const std::size_t gap = caption.find("  ");
            std::istringstream facts(gap == std::string::npos ? "" : caption.substr(gap));
            caption.erase(std::min(gap, caption.size()));
            for (std::string word; facts >> word; facts.ignore(facts.peek() == ',' ? 1 : 0))
                if (word == "next" || word == "delta") facts >> all[caption][word].emplace_back();
        }
        if (caption.empty() || (axis != "t" && axis != "h" && axis != "w" && axis != "u")) continue;
        if (all[caption].count(axis) != 0) continue;
        for (double x; words >> x;) all[caption][axis].push_back(x);
    }
    return all;
}

picture drawn(const position_plan& plan, bool facts = true) {
    picture p;
    const char* names[] = {"t", "h", "w", "u"};
    for (int a = 0; a < plan.axes(); ++a) p[names[a]] = row(plan, a);
    if (facts) p["next"] = {plan.next_position()};
    if (facts) p["delta"] = {plan.position_delta()};
    return p;
}

}  // namespace

TEST_CASE("the pictures in the headers are what the layouts do") {
    const segment picture_of[] = {text(2), image(token_grid{1, 2, 3}), text(2)};
    const std::vector<segment> prompt(picture_of, picture_of + 3);

    const std::map<std::string, picture> sequential = {
        {"text(2), image [1, 2, 3], text(2)", drawn(plan_of(layout::sequential{1, 3}, prompt))}};
    CHECK(pictures_in("sequential.hpp") == sequential);

    layout::mrope reset{1}, timed{1, floored_product(2)}, split{1};
    reset.spatial_reset = true;
    split.video = layout::video_form::frame_by_frame;
    const std::map<std::string, picture> mrope = {
        {"mrope{1}: text(2), image [1, 2, 3], text(2)", drawn(plan_of(layout::mrope{1}, prompt))},
        {"mrope{1}, spatial reset: text(2), image [1, 2, 3], text(2)", drawn(plan_of(reset, prompt))},
        {"mrope{1}, floored_product(2): text(1), video [3, 1, 2] every 3/4 s, text(2)",
         drawn(plan_of(timed, {text(1), video(token_grid{3, 1, 2}, seconds_per_grid{3, 4}), text(2)}))},
        {"mrope{1}, frame by frame: text(1), video [2, 1, 2] with gap 1, text(1)",
         drawn(plan_of(split, {text(1), with_gap(video(token_grid{2, 1, 2}, untimed), 1), text(1)}))}};
    CHECK(pictures_in("mrope.hpp") == mrope);

    const std::vector<segment> clip_of_four = {text(2), video(token_grid{2, 2, 2}, untimed), text(2)},
                               two_tiles = {text(2), image(token_grid{2, 1, 2}), text(2)};
    const layout::videorope in_paper{1, 2.0, layout::centring::half_side, layout::diagonal_advance::whole_steps};
    const std::map<std::string, picture> videorope = {
        {"videorope{1}: text(2), image [1, 2, 3], text(2)", drawn(plan_of(layout::videorope{1}, prompt))},
        {"videorope{1}: text(2), video [2, 2, 2], text(2)", drawn(plan_of(layout::videorope{1}, clip_of_four))},
        {"as in the paper: text(2), image [1, 2, 3], text(2)", drawn(plan_of(in_paper, prompt))}};
    CHECK(pictures_in("videorope.hpp") == videorope);
    const std::map<std::string, picture> hope = {
        {"hope{1, 1.5}: text(2), video [2, 2, 2], text(2)", drawn(plan_of(layout::hope{1, 1.5}, clip_of_four))}};
    CHECK(pictures_in("hope.hpp") == hope);
    const std::map<std::string, picture> tad_rope = {
        {"tad_rope{1, 3}: text(2), image [1, 2, 3], text(2)", drawn(plan_of(layout::tad_rope{1, 3}, prompt))},
        {"tad_rope{1, 3}: text(2), video [2, 2, 2], text(2)", drawn(plan_of(layout::tad_rope{1, 3}, clip_of_four))}};
    CHECK(pictures_in("tad_rope.hpp") == tad_rope);
    const std::map<std::string, picture> v2pe = {
        {"v2pe{1, 2}: text(2), image [1, 2, 2], text(2)",
         drawn(plan_of(layout::v2pe{1, 2}, {text(2), image(token_grid{1, 2, 2}), text(2)}))},
        {"v2pe{1, 1}: text(2), image [2, 1, 2], text(2)", drawn(plan_of(layout::v2pe{1, 1}, two_tiles))},
        {"v2pe{1, 1, span_of::block}: text(2), image [2, 1, 2], text(2)",
         drawn(plan_of(layout::v2pe{1, 1, layout::span_of::block}, two_tiles))}};
    CHECK(pictures_in("v2pe.hpp") == v2pe);
    const layout::neutral still{layout::mrope{1}};
    const std::map<std::string, picture> neutral = {
        {"neutral{mrope{1}}: text(2), image [1, 2, 3], text(2)", drawn(plan_of(still, prompt))},
        {"neutral{mrope{1}}: text(2), video [2, 2, 2], text(2)", drawn(plan_of(still, clip_of_four))}};
    CHECK(pictures_in("neutral.hpp") == neutral);

    const layout::tmrope chunks{1,
                                floored_time_float32(2),
                                layout::audio_order::by_chunks,
                                layout::span_markers::shared,
                                layout::span_end::last_slice,
                                4};
    const layout::tmrope merged{1, real_time_float32(13), layout::audio_order::by_time,
                                layout::span_markers::consecutive};
    const auto heard = [](index_t frames, index_t columns, seconds_per_grid seconds, index_t tokens) {
        return std::vector<segment>{text(1), with_audio(video(token_grid{frames, 1, columns}, seconds), tokens),
                                    text(1)};
    };
    const std::map<std::string, picture> tmrope = {
        {"by chunks of 4, 2 a second: text(1), video [3, 1, 2] every second with 6 audio, text(1)",
         drawn(plan_of(chunks, heard(3, 2, {1, 1}, 6)))},
        {"by time, 13 a second: text(1), video [2, 1, 2] every 1/2 s with 9 audio, text(1)",
         drawn(plan_of(merged, heard(2, 2, {1, 2}, 9)))}};
    CHECK(pictures_in("tmrope.hpp") == tmrope);

    const std::map<std::string, picture> xdrope = {
        {"xdrope{1}: text(1), image [1, 2, 2], text(1)",
         drawn(plan_of(layout::xdrope{1}, {text(1), image(token_grid{1, 2, 2}), text(1)}))}};
    CHECK(pictures_in("xdrope.hpp") == xdrope);

    const position_plan a = plan_of(layout::mrope{1}, {text(4), image(token_grid{1, 2, 3}), text(5)});
    CHECK(pictures_in("clip.hpp") == std::map<std::string, picture>{{"text(4), image [1, 2, 3], text(5) clipped to 7",
                                                                     drawn(*clip(a, 7), false)}});

    const position_plan alone = plan_of(layout::mrope{1}, {text(2), image(token_grid{1, 2, 3})});
    picture cells = drawn(alone, false);
    for (auto& [axis, list] : cells) list.erase(list.begin(), list.begin() + 2);
    const placement& p = alone.placements()[1];
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/layout/placement.hpp");
    std::ostringstream header;
    header << file.rdbuf();
    const auto numbers_text = [](const numbers& list) {
        std::string line;
        for (const double x : list) line += (line.empty() ? "" : " ") + std::to_string(static_cast<int>(x));
        return line;
    };
    const auto three = [&](double axis_map::*part) {
        return numbers_text({p.map[0].*part, p.map[1].*part, p.map[2].*part});
    };
    CHECK(header.str().find("origin     " + three(&axis_map::origin) + "      coordinates  t  " +
                            numbers_text(cells["t"]) + "\n") != std::string::npos);
    CHECK(header.str().find("per_row    " + three(&axis_map::per_row) + "                   h  " +
                            numbers_text(cells["h"]) + "\n") != std::string::npos);
    CHECK(header.str().find("per_column " + three(&axis_map::per_column) + "                   w  " +
                            numbers_text(cells["w"]) + "\n") != std::string::npos);
}

TEST_CASE("the pictures of IL-RoPE and MM-RoPE are what they do") {
    const std::vector<segment> prompt = {text(2), image(token_grid{1, 2, 3}), text(2)};
    CHECK(pictures_in("ilrope.hpp") ==
          std::map<std::string, picture>{
              {"text on time alone, one step behind: text(2), image [1, 2, 3], text(2)",
               drawn(plan_of(layout::ilrope{1}, prompt))},
              {"diagonal text, past the larger side: text(2), image [1, 2, 3], text(2)",
               drawn(plan_of(layout::ilrope{1, layout::text_axes::diagonal, layout::step_behind::larger_side},
                             prompt))}});
    CHECK(pictures_in("mmrope.hpp") ==
          std::map<std::string, picture>{
              {"mmrope{1, 4, 8, 8}: text(1), image [1, 1, 2], text(1), image [1, 2, 1], text(1)",
               drawn(plan_of(layout::mmrope{1, 4, 8, 8},
                             {text(1), image(token_grid{1, 1, 2}), text(1), image(token_grid{1, 2, 1}), text(1)}))}});
}

TEST_CASE("the picture of the ring is what Circle-RoPE does") {
    picture ring = drawn(plan_of(layout::circle_rope{1}, {text(2), image(token_grid{1, 2, 2}), text(2)}));
    for (auto& [axis, list] : ring)
        for (double& x : list) x = std::round(1000 * x);
    CHECK(pictures_in("circle_rope.hpp") ==
          std::map<std::string, picture>{{"text(2), image [1, 2, 2], text(2), radius 10, in thousandths", ring}});
}

TEST_CASE("the table of frame times in the header is what the rules do") {
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/layout/frame_time.hpp");
    std::ostringstream header;
    header << file.rdbuf();
    const std::pair<const char*, frame_time> rules[] = {{"floored_product     ", floored_product(2)},
                                                        {"truncated_interval  ", truncated_interval(2)},
                                                        {"real_time_float32   ", real_time_float32(2)}};
    for (const auto& [name, rule] : rules) {
        const position_plan plan =
            plan_of(layout::mrope{1, rule}, {video(token_grid{5, 1, 1}, seconds_per_grid{3, 4})});
        std::ostringstream line_text;
        line_text << name;
        for (const double t : row(plan, 0)) line_text << ' ' << t;
        const std::string line = line_text.str();
        INFO(line);
        CHECK(header.str().find(line + "\n") != std::string::npos);
    }
}
