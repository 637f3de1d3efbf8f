// Presets of Circle-RoPE, IL-RoPE, Omni-RoPE and MM-RoPE: their pictures, and real coordinates straight from a plan.

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/preset/circle_rope.hpp"
#include "polyrope/preset/ilrope.hpp"
#include "polyrope/preset/mmrope.hpp"
#include "polyrope/preset/omnirope.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace polyrope;

namespace {

/// The letters of a table and its theta, as a header draws them, with one space between words.
std::string picture_of(const frequency_table& table, const std::string& rest) {
    std::string line = "// ";
    for (index_t l = 0; l < table.pairs(); ++l) line += letter(table.at(0, l).which);
    return line + " " + rest;
}

std::string words_of(const std::string& header) {
    std::ifstream file(std::string(POLYROPE_INCLUDE_DIR) + "/polyrope/preset/" + header);
    REQUIRE(file.good());
    std::ostringstream out;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        for (std::string word; words >> word;) out << word << ' ';
        out << '\n';
    }
    return out.str();
}

bool draws(const std::string& header, const frequency_table& table, const std::string& rest) {
    return words_of(header).find(picture_of(table, rest) + " \n") != std::string::npos;
}

}  // namespace

TEST_CASE("the pictures of the presets are their tables") {
    const auto circle = preset::circle_rope{}.make();
    const auto il = preset::ilrope{}.make(), il_port = preset::ilrope::port().make();
    const auto omni = preset::omnirope{}.make(), omni_port = preset::omnirope_port{}.make();
    const auto mm = preset::mmrope{}.make();
    const auto mm_port = preset::mmrope_port{}.make();
    REQUIRE((circle.ok() && il.ok() && il_port.ok() && omni.ok() && omni_port.ok() && mm.ok() && mm_port.ok()));
    CHECK(draws("circle_rope.hpp", circle->frequencies, "theta 1e6"));
    CHECK(draws("ilrope.hpp", il->frequencies, "theta 1e6"));
    CHECK(draws("ilrope.hpp", il_port->frequencies, "the port, theta 1e6"));
    CHECK(draws("omnirope.hpp", omni->frequencies, "theta 1e4"));
    CHECK(draws("omnirope.hpp", omni_port->frequencies, "the port, theta 1e6"));
    CHECK(draws("mmrope.hpp", mm->frequencies, "theta 1e4"));
    CHECK(draws("mmrope.hpp", mm_port->frequencies, "the port, theta 1e6"));
    CHECK(omni->frequencies.paired() == pairing::adjacent);
    CHECK(omni->frequencies.at(0, 20).inv_freq == 1.0f);  // rows start at the first frequency again
    CHECK(il->layout.words == layout::text_axes::time_alone);
    CHECK(il_port->layout.behind == layout::step_behind::larger_side);
    CHECK(circle->layout.ring.radius.factor == 10.0);
    CHECK(preset::circle_rope{}.other_layers().time.needs_seconds());
    preset::mmrope narrow;
    narrow.rotary_dim = 80;
    CHECK(narrow.make().error().code == errc::pattern_cut);
}

TEST_CASE("rings far along a prompt turn as exactly as whole positions do") {
    const auto circle = preset::circle_rope{}.make();
    REQUIRE(circle.ok());
    const segment prompt[] = {image(token_grid{1, 3, 3}), text(900000), image(token_grid{1, 8, 8}), text(3)};
    const auto plan = make_plan(circle->layout, prompt, 4);
    REQUIRE(plan.ok());
    CHECK_FALSE(plan->is_integral());
    const rotary rope = make_rotary(circle->frequencies).value();
    const index_t first = 900009 - 2, tokens = 2 + 64 + 3 + 2, pairs = rope.pairs();
    // Half-split pairs of (1, 0) leave the cosine and the sine.
    std::vector<float> q(static_cast<std::size_t>(2 * pairs * tokens), 0.0f);
    for (index_t n = 0; n < tokens; ++n)
        for (index_t l = 0; l < pairs; ++l) q[static_cast<std::size_t>(2 * pairs * n + l)] = 1.0f;
    REQUIRE(
        cpu::rotate(rope, cpu::planned(*plan, token_index{first}), compact_heads(q.data(), tokens, 1, 2 * pairs)).ok());
    double worst = 0.0, through_float = 0.0;
    for (index_t n = 0; n < tokens; ++n) {
        const coordinate x = plan->coordinates(token_index{first + n});
        for (index_t l = 0; l < pairs; ++l) {
            const auto pair = rope.frequencies().at(0, l);
            const auto angle = static_cast<long double>(x[pair.which]) * static_cast<long double>(pair.frequency);
            const auto rough =
                static_cast<long double>(static_cast<float>(x[pair.which])) * static_cast<long double>(pair.frequency);
            const auto at = static_cast<std::size_t>(2 * pairs * n + l);
            worst = std::fmax(worst, static_cast<double>(std::fabs(static_cast<long double>(q[at]) - std::cos(angle))));
            worst = std::fmax(
                worst, static_cast<double>(std::fabs(static_cast<long double>(q[at + static_cast<std::size_t>(pairs)]) -
                                                     std::sin(angle))));
            through_float = std::fmax(through_float, static_cast<double>(std::fabs(std::cos(rough) - std::cos(angle))));
        }
    }
    CHECK(worst < 1.1e-7);
    CHECK(through_float > 1e-3);  // what a detour through float32 would cost
}
