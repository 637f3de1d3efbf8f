// Draws the figure of the README: a short prompt with an image and a video as Qwen2.5-VL places it.
//
//     figure <file.svg>

#include <cstdio>
#include <fstream>

#include "polyrope/draw/svg.hpp"
#include "polyrope/polyrope.hpp"

using namespace polyrope;

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "figure <file.svg>\n"), 1;
    const segment prompt[] = {text(6), image(token_grid{1, 4, 6}), text(5),
                              video(token_grid{4, 3, 5}, seconds_per_grid{1, 1}), text(5)};
    const auto plan = make_plan(preset::qwen2_5_vl{}.layout(), prompt, 5);
    std::ofstream file(argv[1]);
    file << draw::svg_coordinates(*plan, prompt, 5, {"Qwen2.5-VL: where the tokens of a prompt sit", 8, 960, 360});
    return file.good() ? 0 : 1;
}
