// Draws every variant side by side, for the same prompts, and prints how each stands to the guidelines of the papers.
//
//     draw_variants <folder>    writes positions.svg, grids.svg, bands.svg, decay.svg, bias.svg, gallery.html and
//                               guidelines.md
//     draw_variants             draws the same in the terminal

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "polyrope/draw/svg.hpp"
#include "polyrope/draw/text_grids.hpp"
#include "polyrope/draw/text_measures.hpp"
#include "polyrope/metric/guidelines.hpp"
#include "variants.hpp"

using namespace polyrope;

namespace {

struct figure {
    std::string name, picture;
};

const std::string times = "\xc3\x97";

// The name of a variant up to its parameters.
std::string family(const std::string& name) { return name.substr(0, name.find(',')); }

bool same(const frequency_table& x, const frequency_table& y) {
    if (x.groups() != y.groups() || x.pairs() != y.pairs()) return false;
    for (index_t i = 0; i < x.groups() * x.pairs(); ++i)
        if (x.data()[i].which != y.data()[i].which || x.data()[i].inv_freq < y.data()[i].inv_freq ||
            x.data()[i].inv_freq > y.data()[i].inv_freq)
            return false;
    return true;
}

// Heads that differ, each under the names of all variants that have it.
std::vector<draw::named_table> heads_of(const std::vector<variants::variant>& all) {
    std::vector<draw::named_table> heads;
    for (const variants::variant& v : all) {
        const auto known = std::find_if(heads.begin(), heads.end(),
                                        [&](const draw::named_table& head) { return same(*head.table, v.table); });
        if (known == heads.end()) heads.push_back({family(v.name), &v.table});
        else if ((", " + known->name + ",").find(", " + family(v.name) + ",") == std::string::npos)
            known->name += ", " + family(v.name);
    }
    return heads;
}

std::vector<figure> figures() {
    const std::vector<variants::variant> all = variants::all();
    const std::vector<segment> prompt = variants::interleaved_prompt(), image = variants::one_image(3, 4, 4),
                               large = variants::one_image(24, 24, 16);
    std::vector<std::string> positions, grids, decay, bias;
    const std::vector<draw::named_table> heads = heads_of(all);
    // One scale for all bias maps.
    double lowest = 1.0, highest = -1.0;
    for (const variants::variant& v : all) {
        const auto plan = v.plan(large);
        const auto scores = metric::spatial_bias(*plan, v.table, token_index{plan->size() - 1}, 1);
        for (const double s : *scores) lowest = std::fmin(lowest, s), highest = std::fmax(highest, s);
    }
    for (const variants::variant& v : all) {
        const auto plan = v.plan(prompt), plan_of_image = v.plan(image), large_plan = v.plan(large);
        positions.push_back(
            draw::svg_scatter(*plan, prompt.data(), static_cast<index_t>(prompt.size()), {v.name, 3, 490, 270}));
        draw::grids_picture grid;
        grid.title = v.name;
        grid.shape = {1, 3, 4};
        grid.cell = 31;
        grid.query = token_index{plan_of_image->size() - 1};
        grids.push_back(draw::svg_grids(*plan_of_image, grid));
        draw::bias_picture map;
        map.title = v.name;
        map.shape = {1, 24, 24};
        map.lowest = lowest;
        map.highest = highest;
        bias.push_back(*draw::svg_bias(*large_plan, v.table, token_index{large_plan->size() - 1}, 1, map));
    }
    for (const draw::named_table& head : heads)
        decay.push_back(draw::svg_decay(*head.table, {head.name, 32768, 320, 240}));
    const std::string head = "Heads of 128 channels, 64 pairs, theta 1e6, where a name says no other.";
    return {
        {"positions",
         draw::svg_sheet(
             positions,
             {"Positions: one prompt under every variant",
              {"System prompt of 3 tokens, video of 4" + times + "3" + times +
                   "4 tokens (ochre), and three images of 4" + times + "5, 3" + times + "4 and 5" + times +
                   "4 tokens (blue),",
               "with text of 2, 2, 2 and 3 tokens between and behind them (dots); "
               "then 3 generated tokens (rings). Axes in positions. XD-RoPE places no video: an image has its place."},
              2})},
        {"grids",
         draw::svg_sheet(grids, {"Coordinates of one image and a text token behind it",
                                 {"4 tokens of text, an image of 3" + times +
                                      "4 tokens, 4 tokens of text; numbers are positions on each axis, rows and "
                                      "columns are those of the image.",
                                  "A column more than the image has holds its new-line tokens."},
                                 2})},
        {"bands", draw::svg_bands(heads, "Frequency allocation, 128 channels, theta 1e6 where a name says no other")},
        {"decay",
         draw::svg_sheet(decay, {"Long-range decay along each axis",
                                 {head + " RoFormer's bound over its value at no distance, over the pairs of an axis;",
                                  "text moves along all axes alike. Of several head groups, the mean of those that "
                                  "read the axis."},
                                 3})},
        {"bias", draw::svg_sheet(bias, {"Spatial bias of one text token over an image",
                                        {"Image of 24" + times + "24 tokens, text token 16 places behind it. " + head,
                                         "Content-free score, the mean over pairs of the cosine of the phase "
                                         "difference; one scale of colours for all maps.",
                                         "Under each map its least and largest score: a map of one colour is neutral."},
                                        4})},
    };
}

std::string gallery(const std::vector<figure>& all) {
    std::string page =
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>polyrope: variants</title>\n"
        "<style>body{font-family:system-ui,sans-serif;margin:2rem auto;max-width:1100px;color:#1f2933;"
        "background:#f3f5f7}svg{max-width:100%;height:auto}figure{margin:0 0 2rem}</style>\n"
        "<h1>Variants of multimodal RoPE, side by side</h1>\n";
    for (const figure& f : all) page += "<figure id=\"" + f.name + "\">\n" + f.picture + "</figure>\n";
    return page + "</html>\n";
}

// Every variant against the guidelines of the papers.
std::string matrix() {
    const std::vector<segment> prompt = variants::interleaved_prompt(), words = {text(64)};
    std::vector<metric::guideline_row> rows;
    for (const variants::variant& v : variants::all()) {
        const auto plan = v.plan(prompt), alone = v.plan(words);
        const auto row = metric::measure(v.name, *plan, v.table,
                                         {&*alone, &v.one_dimensional, 3, token_index{plan->size() - 1}, 64});
        if (!row) std::printf("%s: %s\n", v.name.c_str(), to_string(row.error()).c_str());
        else rows.push_back(*row);
    }
    return metric::markdown(rows);
}

void print() {
    const std::vector<segment> image = variants::one_image(3, 4, 4), large = variants::one_image(12, 24, 16);
    for (const variants::variant& v : variants::all()) {
        const auto plan = v.plan(image), large_plan = v.plan(large);
        const token_index last{large_plan->size() - 1};
        std::printf("## %s\n\n%s\n%s\nwavelengths, four columns per power of ten\n%s\n%s\n%s\n", v.name.c_str(),
                    draw::rows(*plan, token_index{0}, token_index{plan->size() + 2}).c_str(),
                    draw::grids(*plan, 1, {1, 3, 4}).c_str(), draw::lanes(v.table).c_str(),
                    draw::decay(v.table).c_str(), draw::bias(*large_plan, v.table, last, 1, {1, 12, 24})->c_str());
    }
}

bool write(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    return file.good();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) return std::fprintf(stderr, "draw_variants [folder]\n"), 1;
    if (argc < 2) return print(), std::fputs(matrix().c_str(), stdout), 0;
    const std::string folder = std::string(argv[1]) + "/";
    const std::vector<figure> all = figures();
    for (const figure& f : all)
        if (!write(folder + f.name + ".svg", f.picture)) return 1;
    const std::string rows = matrix();
    std::fputs(rows.c_str(), stdout);
    return write(folder + "gallery.html", gallery(all)) && write(folder + "guidelines.md", rows) ? 0 : 1;
}
