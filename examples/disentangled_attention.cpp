// Text-vision and vision-vision coordinates chosen apart, on a prompt with two images. Content is synthetic: every
// patch of an image holds the same key and value, so whatever differs between patches comes from their places alone.
//
//     example_disentangled_attention [FILE.svg]
//
// Prints, for each selection, how the last text token and a patch in the middle spread their attention over the first
// image, then answers the same queries by ordinary attention calls and a merge, as an engine does.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <polyrope/attention.hpp>
#include <polyrope/cpu/banks.hpp>
#include <polyrope/frequency/geometric.hpp>
#include <polyrope/frequency/interleaved.hpp>
#include <polyrope/layout/mrope.hpp>

using namespace polyrope;

namespace {

constexpr index_t head_dim = 64, rows = 6, columns = 10, image_begin = 5, patches = rows * columns;

struct named {
    const char* name;
    coordinate_selection which;
};
constexpr named selections[] = {{"original", selection::original},
                                {"without T-V spatial", selection::without_tv_spatial},
                                {"without V-V spatial", selection::without_vv_spatial},
                                {"without both", selection::without_both_spatial}};

/// Queries or keys before the rotation: text tokens differ, patches do not.
std::vector<float> content(const position_plan& plan, index_t tokens, int seed) {
    std::vector<float> all(static_cast<std::size_t>(tokens * head_dim));
    for (index_t n = 0; n < tokens; ++n) {
        const bool patch = plan.kind_of(token_index{n}) == modality::visual;
        for (index_t c = 0; c < head_dim; ++c) {
            const auto key = static_cast<int>(patch ? c : c + 7 * n);
            all[static_cast<std::size_t>(n * head_dim + c)] = std::sin(static_cast<float>(key * (seed + 3) % 97));
        }
    }
    return all;
}

/// Both banks of a prompt: q and k hold the text-vision positions, the others the vision-vision positions.
struct turned {
    std::vector<float> q, k, v, visual_q, visual_k;
};

std::vector<double> weights(const attention::reference<float>& scores, index_t query, index_t first, index_t count) {
    std::vector<double> w;
    double sum = 0.0;
    for (index_t j = first; j < first + count; ++j)
        w.push_back(std::exp(static_cast<double>(scores.score(query, 0, j))));
    for (const double x : w) sum += x;
    for (double& x : w) x /= sum;
    return w;
}

void print_map(const char* what, const std::vector<double>& w) {
    const double low = *std::min_element(w.begin(), w.end()), high = *std::max_element(w.begin(), w.end());
    std::printf("  %s: %.4f to %.4f of the image's attention per patch\n", what, low, high);
    for (index_t r = 0; r < rows; ++r) {
        std::printf("    ");
        for (index_t c = 0; c < columns; ++c) {
            const double x = w[static_cast<std::size_t>(r * columns + c)];
            const double part = high - low > 1e-6 ? (x - low) / (high - low) : 0.5;
            std::putchar(" .:-=+*#%@"[static_cast<int>(part * 9.0 + 0.5)]);
        }
        std::putchar('\n');
    }
}

/// One map of an attention picture: each patch by its share against an even one, from 0.7 (light) to 1.3 (dark).
std::string svg_map(const std::vector<double>& w, double x, double y, index_t marked) {
    std::string out;
    for (index_t i = 0; i < patches; ++i) {
        const double share = w[static_cast<std::size_t>(i)] * static_cast<double>(patches);
        const double part = std::min(1.0, std::max(0.0, (share - 0.7) / 0.6));
        char cell[200];
        std::snprintf(cell, sizeof(cell),
                      "<rect x=\"%.0f\" y=\"%.0f\" width=\"15\" height=\"15\" fill=\"rgb(%d,%d,%d)\"%s/>\n",
                      x + 16.0 * static_cast<double>(i % columns), y + 16.0 * static_cast<double>(i / columns),
                      static_cast<int>(236 - 216 * part), static_cast<int>(242 - 190 * part),
                      static_cast<int>(250 - 110 * part), i == marked ? " stroke=\"#d55e00\" stroke-width=\"2\"" : "");
        out += cell;
    }
    return out;
}
std::string svg_label(double x, double y, const std::string& text, bool bold = false) {
    return "<text x=\"" + std::to_string(static_cast<int>(x)) + "\" y=\"" + std::to_string(static_cast<int>(y)) + "\"" +
           (bold ? " font-weight=\"bold\"" : "") + ">" + text + "</text>\n";
}

/// Attention as an engine has it: one head, rows of q over rows of k and v, causal ones aligned at the end.
void engine_attention(const float* q, index_t queries, const float* k, const float* v, index_t keys, bool causal,
                      float* out, float* log_sum_exp) {
    for (index_t n = 0; n < queries; ++n) {
        const index_t seen = causal ? keys - (queries - 1 - n) : keys;
        std::vector<double> sum(static_cast<std::size_t>(head_dim));
        double total = 0.0;
        for (index_t j = 0; j < seen; ++j) {
            double score = 0.0;
            for (index_t c = 0; c < head_dim; ++c)
                score += static_cast<double>(q[n * head_dim + c]) * static_cast<double>(k[j * head_dim + c]);
            const double weight = std::exp(score / std::sqrt(static_cast<double>(head_dim)));
            total += weight;
            for (index_t c = 0; c < head_dim; ++c)
                sum[static_cast<std::size_t>(c)] += weight * static_cast<double>(v[j * head_dim + c]);
        }
        for (index_t c = 0; c < head_dim; ++c)
            out[n * head_dim + c] = static_cast<float>(sum[static_cast<std::size_t>(c)] / total);
        log_sum_exp[n] = static_cast<float>(std::log(total));
    }
}

/// A call's rows of a bank. The vision-vision bank holds the visual rows alone, in their own order.
const float* rows_of(const position_plan& plan, token_range range, token_order order, index_t begin, index_t end,
                     const std::vector<float>& whole, const std::vector<float>& visual, bool second_bank,
                     std::vector<float>& gathered) {
    if (second_bank) return visual.data() + begin * head_dim;
    std::vector<index_t> tokens(static_cast<std::size_t>(order_size(plan, range, order)));
    if (!order_indices(plan, range, order, tokens.data(), static_cast<index_t>(tokens.size())).ok()) return nullptr;
    gathered.clear();
    for (index_t i = begin; i < end; ++i) {
        const float* const row = whole.data() + tokens[static_cast<std::size_t>(i)] * head_dim;
        gathered.insert(gathered.end(), row, row + head_dim);
    }
    return gathered.data();
}

}  // namespace

int main(int argc, char** argv) {
    const segment prompt[] = {text(5), image(token_grid{1, rows, columns}), text(4), image(token_grid{1, 4, 4}),
                              text(6)};
    const auto plan = make_plan(layout::mrope{1}, prompt, 5);
    const auto rope = make_rotary(make_frequency_table(allocation::interleaved{thw{12, 10, 10}},
                                                       spectrum::geometric{1e4}, head_dim, pairing::half_split)
                                      .value());
    if (!plan || !rope) return 1;
    const index_t tokens = plan->size();
    const token_range all{token_index{0}, token_index{tokens}};
    const index_t visual = visual_tokens(*plan, all);
    std::string maps;
    double worst = 0.0;
    for (std::size_t s = 0; s < 4; ++s) {
        const coordinate_selection which = selections[s].which;
        turned in{content(*plan, tokens, 1), content(*plan, tokens, 2), content(*plan, tokens, 3), {}, {}};
        const index_t twice = which.is_mixed() ? visual : 0;
        in.visual_q.resize(static_cast<std::size_t>(twice * head_dim));
        in.visual_k.resize(static_cast<std::size_t>(twice * head_dim));
        const auto bank = [](std::vector<float>& data) {
            return compact_heads(data.data(), static_cast<index_t>(data.size()) / head_dim, 1, head_dim);
        };
        status done = cpu::rotate_banks(*rope, *plan, token_index{0}, which, bank(in.q), bank(in.k), bank(in.visual_q),
                                        bank(in.visual_k));
        if (!done.ok()) return std::puts(to_string(done).c_str()), 1;
        const attention_operands<float> operands{bank(in.q).as_const(), bank(in.k).as_const(), bank(in.v).as_const(),
                                                 bank(in.visual_q).as_const(), bank(in.visual_k).as_const()};
        const auto scores = attention::reference<float>::make(*plan, which, {all, all}, operands);
        if (!scores) return std::puts(to_string(scores.error()).c_str()), 1;

        const auto from_text = weights(*scores, tokens - 1, image_begin, patches);
        const auto from_patch = weights(*scores, image_begin + 2 * columns + 4, image_begin, patches);
        std::printf("%s\n", selections[s].name);
        print_map("the last text token", from_text);
        print_map("the patch in row 2, column 4", from_patch);
        const double x = 20.0 + 190.0 * static_cast<double>(s);
        maps += svg_label(x, 58, selections[s].name, true) + svg_map(from_text, x, 86.0, -1) +
                svg_map(from_patch, x, 214.0, 2 * columns + 4);

        // The same by ordinary calls.
        std::vector<float> out(static_cast<std::size_t>(tokens * head_dim)), part, q_rows, k_rows, v_rows;
        std::vector<float> log_sum_exp(static_cast<std::size_t>(tokens), -std::numeric_limits<float>::infinity());
        auto calls = attention_calls::make(*plan, which, {all, all});
        int count = 0;
        for (attention_call c; calls->next(c); ++count) {
            const bool second = which.is_mixed() && c.key_order == token_order::visual;
            const index_t queries = c.query_end - c.query_begin, keys = c.key_end - c.key_begin;
            const float* const q =
                rows_of(*plan, all, c.query_order, c.query_begin, c.query_end, in.q, in.visual_q, second, q_rows);
            const float* const k =
                rows_of(*plan, all, c.key_order, c.key_begin, c.key_end, in.k, in.visual_k, second, k_rows);
            const float* const v = rows_of(*plan, all, c.key_order, c.key_begin, c.key_end, in.v, in.v, false, v_rows);
            part.resize(static_cast<std::size_t>(queries * (head_dim + 1)));
            engine_attention(q, queries, k, v, keys, c.causal, part.data(), part.data() + queries * head_dim);
            std::vector<index_t> into(static_cast<std::size_t>(order_size(*plan, all, c.query_order)));
            done = order_indices(*plan, all, c.query_order, into.data(), static_cast<index_t>(into.size()));
            if (done.ok())
                done = merge_states<float>(
                    {compact_heads(out.data(), tokens, 1, head_dim), log_sum_exp.data()},
                    {compact_heads<const float>(part.data(), queries, 1, head_dim), part.data() + queries * head_dim},
                    into.data() + c.query_begin);
            if (!done.ok()) return std::puts(to_string(done).c_str()), 1;
        }
        for (index_t n = 0; n < tokens; ++n) {
            float right[head_dim];
            static_cast<void>(scores->attend(n, 0, right));
            for (index_t c = 0; c < head_dim; ++c)
                worst =
                    std::max(worst, std::fabs(static_cast<double>(right[c]) -
                                              static_cast<double>(out[static_cast<std::size_t>(n * head_dim + c)])));
        }
        std::printf("  %d attention calls\n\n", count);
    }
    std::printf("largest difference between the calls and the definition: %.1e\n", worst);
    if (argc > 1)
        std::ofstream(argv[1])
            << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 360\" font-family=\"sans-serif\" "
               "font-size=\"13\">\n<rect width=\"780\" height=\"360\" fill=\"white\"/>\n"
            << svg_label(20, 26, "Attention over one image whose patches are all alike", true)
            << svg_label(20, 78, "from the last text token") << svg_label(20, 206, "from the marked patch") << maps
            << svg_label(20, 334,
                         "Synthetic content: only places differ. Share of a patch against an even one, from 0.7 "
                         "(light) to 1.3 (dark);")
            << svg_label(20, 351, "MRoPE-I frequencies, one head of 64 channels, an image of 6 x 10 tokens.")
            << "</svg>\n";
    return worst < 1e-5 ? 0 : 1;
}
