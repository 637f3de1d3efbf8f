// Presets of published variants: the head drawn in the header, and the axes and frequencies of the reference's tables.
// Positions of every stored case are in tests/golden.

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "polyrope/layout/make_plan.hpp"
#include "polyrope/preset/grape.hpp"
#include "polyrope/preset/hope.hpp"
#include "polyrope/preset/mhrope.hpp"
#include "polyrope/preset/mrope.hpp"
#include "polyrope/preset/mrope_i.hpp"
#include "polyrope/preset/tad_rope.hpp"
#include "polyrope/preset/v2pe.hpp"
#include "polyrope/preset/vanilla.hpp"
#include "polyrope/preset/videorope.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace polyrope;

namespace {

std::string head_of(const frequency_table& table, index_t group) {
    std::string letters;
    for (index_t l = 0; l < table.pairs(); ++l) letters += letter(table.at(group, l).which);
    return letters;
}

template <class Preset>
frequency_table drawn(const Preset& preset, const std::string& name) {
    INFO(name);
    const auto made = preset.make();
    INFO(to_string(made.error()).c_str());
    REQUIRE(made.ok());
    const frequency_table& table = made->frequencies;
    CHECK(table.paired() == pairing::half_split);
    std::string picture;
    for (index_t m = 0; m < table.groups(); ++m)
        picture += "//     " + head_of(table, m) + (m == 0 ? "     theta 1e6\n" : "\n");
    std::ifstream file(POLYROPE_INCLUDE_DIR "/polyrope/preset/" + name + ".hpp");
    std::stringstream header;
    header << file.rdbuf();
    INFO(picture);
    CHECK(header.str().find("//\n" + picture + "\n") != std::string::npos);
    CHECK(made->layout.axes() >= table.axes());

    // Text alone is ordinary rotary embedding at 0, 1, 2, ... under every one of them, TAD-RoPE's doubled.
    const segment words = text(3);
    const auto plan = make_plan(made->layout, &words, 1);
    REQUIRE(plan.ok());
    for (int a = 0; a < plan->axes(); ++a)
        CHECK(plan->coordinates(token_index{2})[a] == (name == "tad_rope" ? 4.0 : 2.0));
    return table;
}

/// Axes and frequencies of a reference's table that was made with theta.
template <class Preset>
void check_table(Preset preset, const std::string& name, std::size_t index) {
    CAPTURE(name, index);
    const auto& c = test::golden("research/" + name + ".json").at("frequency_cases").at(index);
    preset.theta = c.at("base").template get<double>();
    preset.rotary_dim = c.at("rotary_dim").template get<index_t>();
    const auto made = preset.make();
    REQUIRE(made.ok());
    const frequency_table& table = made->frequencies;
    const bool per_head = c.contains("axis_per_kv_head");
    const auto& axes = per_head ? c["axis_per_kv_head"] : c["axis_per_pair"];
    REQUIRE(table.groups() == (per_head ? static_cast<index_t>(axes.size()) : 1));
    for (index_t m = 0; m < table.groups(); ++m)
        for (index_t l = 0; l < table.pairs(); ++l) {
            const auto& right = axes[static_cast<std::size_t>(per_head ? m : l)];
            CHECK(static_cast<int>(table.at(m, l).which) == right.template get<int>());
        }
}

}  // namespace

TEST_CASE("the presets of variants are what their headers draw") {
    drawn(preset::vanilla{}, "vanilla");
    drawn(preset::mrope{}, "mrope");
    drawn(preset::mrope_i{}, "mrope_i");
    drawn(preset::mhrope{}, "mhrope");
    drawn(preset::videorope{}, "videorope");
    drawn(preset::hope{}, "hope");
    drawn(preset::tad_rope{}, "tad_rope");
    drawn(preset::v2pe{}, "v2pe");
    drawn(preset::grape{}, "grape");
}

TEST_CASE("the presets of variants have the axes of the references' tables") {
    check_table(preset::vanilla{}, "vanilla", 0);
    check_table(preset::mrope{}, "mrope", 0);
    check_table(preset::mrope_i{}, "mrope_i", 0);
    check_table(preset::mhrope{}, "mhrope", 0);
    check_table(preset::videorope{}, "videorope", 0);
    check_table(preset::hope{}, "hope", 0);
    check_table(preset::v2pe{}, "v2pe", 0);
    check_table(preset::grape{}, "grape", 0);
}

TEST_CASE("GRAPE's scale divides the logarithm of every frequency") {
    preset::grape plain, halved;
    halved.log_freq_scale = 2.0;
    const auto slow = plain.make(), fast = halved.make();
    REQUIRE(slow.ok());
    REQUIRE(fast.ok());
    for (index_t l = 0; l < 64; ++l) {
        const double f = static_cast<double>(fast->frequencies.at(0, l).inv_freq);
        CHECK(f * f == Approx(static_cast<double>(slow->frequencies.at(0, l).inv_freq)).epsilon(1e-6));
    }
}

TEST_CASE("a preset with sections that do not fit is refused") {
    preset::videorope odd;
    odd.sections.w += 1;
    CHECK(odd.make().error().code == errc::section_mismatch);
    preset::mhrope crowded;
    crowded.key_value_heads = 4;
    CHECK(crowded.make().error() == status{errc::heads_exceeded, operand::section, 0, 4, 8});
    CHECK(preset::v2pe{}.make(spectrum::geometric{-1.0}).error().code == errc::theta_invalid);
}

TEST_CASE("a preset's numbers reach its layout") {
    preset::hope slow;
    slow.gamma = 0.5;
    const segment prompt[] = {text(2), video(patch_grid{3, 2, 2}, untimed), text(1)};
    CHECK(make_plan(slow.make()->layout, prompt, 3)->next_position() == 5.0);
    CHECK(make_plan(preset::videorope{}.make()->layout, prompt, 3)->next_position() == 8.0);
    const segment tiles[] = {text(1), image(token_grid{2, 16, 16})};
    CHECK(make_plan(preset::v2pe{}.make()->layout, tiles, 2)->next_position() == 129.0);
    const segment picture[] = {text(5), image(patch_grid{1, 4, 4})};
    CHECK(make_plan(preset::mrope_i{}.make()->layout, picture, 2)->coordinates(token_index{8})[1] == 1.0);
}
