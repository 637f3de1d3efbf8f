// Vision encoders: the heads drawn in the headers, the published shapes, and the faults of two-dimensional rotation
// that engines have shipped. Their cases are in tests/golden.

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "polyrope/preset/vision/gemma4.hpp"
#include "polyrope/preset/vision/hw_halves.hpp"
#include "polyrope/preset/vision/kimi_k25.hpp"
#include "polyrope/preset/vision/llama4.hpp"
#include "polyrope/preset/vision/minimax_m3.hpp"
#include "polyrope/preset/vision/muse_glimmer.hpp"
#include "polyrope/preset/vision/pixtral.hpp"
#include "support/catch.hpp"

using namespace polyrope;
namespace vision = preset::vision;

namespace {

std::string letters_of(const frequency_table& table) {
    std::string letters;
    for (index_t l = 0; l < table.pairs(); ++l) letters += letter(table.at(0, l).which);
    return letters;
}

template <class Style>
void check_drawn(Style style, index_t head_dim, const char* file, pairing paired) {
    INFO(file);
    style.head_dim = head_dim;
    const auto tower = style.make();
    REQUIRE(tower.ok());
    std::ifstream stream(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/preset/vision/" + file);
    std::stringstream header;
    header << stream.rdbuf();
    CHECK(header.str().find("//     head_dim " + std::to_string(head_dim) + ":   " + letters_of(tower->frequencies) +
                            "     theta") != std::string::npos);
    CHECK(tower->frequencies.paired() == paired);
    CHECK(tower->frequencies.axes() == 3);
    // Widths that leave half a pair to an axis, or nothing at all.
    for (const index_t odd : {index_t{0}, index_t{-8}, index_t{2}, index_t{INT64_MIN}}) {
        style.head_dim = odd;
        CHECK_FALSE(style.make().ok());
    }
}

/// The angles of a head whose patch sits at row h and column w.
template <class Style>
std::vector<double> angles(const Style& style, double h, double w) {
    const auto tower = style.make();
    REQUIRE(tower.ok());
    std::vector<double> all;
    for (index_t l = 0; l < tower->frequencies.pairs(); ++l) {
        const pair_frequency& pair = tower->frequencies.at(0, l);
        all.push_back((pair.which == axis::h ? h : w) * pair.frequency);
    }
    return all;
}

void check_angles(const std::vector<double>& found, const std::vector<double>& right) {
    REQUIRE(found.size() == right.size());
    for (std::size_t l = 0; l < right.size(); ++l) CHECK(found[l] == Approx(right[l]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("the heads of the towers are what their headers draw") {
    check_drawn(vision::hw_halves{16}, 16, "hw_halves.hpp", pairing::half_split);
    check_drawn(vision::pixtral{}, 16, "pixtral.hpp", pairing::half_split);
    check_drawn(vision::llama4{}, 16, "llama4.hpp", pairing::adjacent);
    check_drawn(vision::gemma4{}, 16, "gemma4.hpp", pairing::blocks(8));
    check_drawn(vision::kimi_k25{}, 16, "kimi_k25.hpp", pairing::half_split);
    check_drawn(vision::muse_glimmer{16}, 16, "muse_glimmer.hpp", pairing::half_split);
    check_drawn(vision::minimax_m3{}, 20, "minimax_m3.hpp", pairing::half_split);
    for (const index_t uneven : {6, 10, 70}) CHECK_FALSE(vision::hw_halves{uneven}.make().ok());
}

TEST_CASE("the published shapes of the towers") {
    CHECK(vision::qwen2_vl.make()->frequencies.rotary_dim() == 80);
    CHECK(vision::qwen2_5_vl.make()->frequencies.rotary_dim() == 80);
    CHECK(vision::qwen2_5_vl_windows.side == 4);
    CHECK(vision::qwen3_vl.make()->frequencies.rotary_dim() == 72);
    CHECK(vision::paddleocr_vl.make()->frequencies.rotary_dim() == 72);
    CHECK(vision::paddleocr_vl.make()->order.merge == 1);
    CHECK(vision::minimax_m3{}.rotary_dim() == 78);
    CHECK(vision::kimi_k25{}.make()->span == attention_span::per_medium);
    // Every axis starts at its first frequency; the last of Qwen2-VL's twenty is theta^(-38/40).
    const frequency_table table = vision::qwen2_vl.make()->frequencies;
    CHECK(table.at(0, 0).frequency == 1.0);
    CHECK(table.at(0, 20).frequency == 1.0);
    CHECK(table.at(0, 19).frequency == Approx(std::pow(1e4, -38.0 / 40.0)).epsilon(1e-14));
    CHECK(table.at(0, 39).frequency == table.at(0, 19).frequency);
}

TEST_CASE("fault 38: rows and columns of a tower were taken in the other order", "[fault]") {
    check_angles(angles(vision::hw_halves{8}, 1, 2), {1, .01, 2, .02});
    check_angles(angles(vision::muse_glimmer{8}, 1, 2), {2, .02, 1, .01});
    check_angles(angles(vision::llama4{8}, 1, 2), {2, .02, 1, .01});
    check_angles(angles(vision::gemma4{8, 1e4}, 1, 2), {2, .02, 1, .01});
    check_angles(angles(vision::kimi_k25{8}, 1, 2), {2, 1, .02, .01});
    check_angles(angles(vision::pixtral{8}, 1, 2), {1, .01, .2, .002});
    // And the numbers that reach them: rows on axis h, columns on axis w, whatever the style.
    const patch_grid grid{1, 2, 4};
    for (const index_t first : {0, 1}) {
        std::int32_t at[3 * 8];
        REQUIRE(patch_order{1, first}.fill(&grid, 1, axis_major(at, 3, 8)).ok());
        CHECK(at[8 + 6] == 1 + first);
        CHECK(at[16 + 6] == 2 + first);
    }
}

TEST_CASE("docs/concepts.md draws the heads of the towers as they are") {
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/../docs/concepts.md");
    std::stringstream page;
    page << stream.rdbuf();
    const auto drawn = [&](const std::string& style, const frequency_table& table, const std::string& rest = "") {
        INFO(style);
        CHECK(page.str().find("| `" + style + "` | `" + letters_of(table) + "`" + rest + " |") != std::string::npos);
    };
    drawn("hw_halves", vision::hw_halves{16}.make()->frequencies);
    drawn("pixtral", vision::pixtral{16}.make()->frequencies);
    drawn("llama4", vision::llama4{16}.make()->frequencies);
    drawn("gemma4", vision::gemma4{16}.make()->frequencies);
    drawn("kimi_k25", vision::kimi_k25{16}.make()->frequencies);
    drawn("muse_glimmer", vision::muse_glimmer{16}.make()->frequencies);
    drawn("minimax_m3", vision::minimax_m3{16}.make()->frequencies, ", the rest still");
}
