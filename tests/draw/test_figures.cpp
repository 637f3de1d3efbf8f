// The figures of docs/concepts.md are what the library draws. POLYROPE_WRITE_FIGURES=1 test_draw
// "[figures]" draws them anew.

#include "polyrope/draw/svg.hpp"
#include "polyrope/draw/text.hpp"
#include "polyrope/preset/qwen2_5_vl.hpp"
#include "polyrope/preset/qwen3_vl.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace polyrope;

namespace {

std::string read(const std::string& path) {
    std::ifstream stream(POLYROPE_DOCS_DIR "/" + path);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

void check_figure(const std::string& name, const std::string& drawn) {
    if (std::getenv("POLYROPE_WRITE_FIGURES") != nullptr) std::ofstream(POLYROPE_DOCS_DIR "/figures/" + name) << drawn;
    INFO(name);
    CHECK(read("figures/" + name) == drawn);
}

}  // namespace

TEST_CASE("the figures of heads are drawn by the library", "[figures]") {
    check_figure("chunked.svg", draw::svg_allocation(preset::qwen2_5_vl{}.make()->frequencies,
                                                     "Qwen2.5-VL: chunked sections 16, 24, 24"));
    check_figure("interleaved.svg", draw::svg_allocation(preset::qwen3_vl{}.make()->frequencies,
                                                         "Qwen3-VL: interleaved sections 24, 20, 20"));
}

TEST_CASE("the numbers in the text are the plan's", "[figures]") {
    const segment prompt[] = {text(2), image(token_grid{1, 2, 3}), text(2)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 3);
    const std::string page = read("concepts.md");
    CHECK(plan->position_delta() == -3);
    std::string line;
    for (std::istringstream lines(draw::rows(*plan, token_index{0}, token_index{10})); std::getline(lines, line);) {
        INFO(line);
        CHECK(page.find(line.substr(1) + "\n") != std::string::npos);
    }
}
