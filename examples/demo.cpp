// The main job on real input: two model configurations and a chat with two images and a video go in; every token gets
// its position, queries and keys of the model's shape are turned, 16 tokens are decoded. Positions are compared with
// stored reference numbers, the speed with the fastest pass over the same bytes in the same run.
//
//     demo <folder of the data> <folder for the pictures>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../benchmarks/limits.hpp"
#include "polyrope/draw/svg.hpp"
#include "polyrope/draw/text.hpp"
#include "polyrope/interop/json.hpp"
#include "polyrope/polyrope.hpp"

namespace {

using namespace polyrope;
using model_t = multimodal<layout::mrope>;
using nlohmann::json;

constexpr index_t decoded = 16;

json read_json(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    return json::parse(file);
}

template <class T>
T ok(result<T> made) {
    if (!made) throw std::runtime_error(to_string(made.error()).c_str());
    return std::move(made).value();
}

void ok(status s) {
    if (!s.ok()) throw std::runtime_error(to_string(s).c_str());
}

std::vector<std::int32_t> ids_of(const json& messages) {
    std::vector<std::int32_t> ids;
    for (const json& message : messages)
        for (index_t i = message.value("repeat", index_t{1}); i > 0; --i)
            for (const json& id : message.at("ids")) ids.push_back(id.get<std::int32_t>());
    return ids;
}

// A chat as the model's processor hands it over.
struct conversation {
    std::vector<std::int32_t> prompt, answer, next_turn;
    std::vector<patch_grid> images, videos;
    std::vector<seconds_per_grid> seconds;

    explicit conversation(const json& from)
        : prompt(ids_of(from.at("prompt"))),
          answer(ids_of(from.at("answer"))),
          next_turn(ids_of(from.at("next_turn"))) {
        for (const json& g : from.at("images")) images.push_back({g.at(0), g.at(1), g.at(2)});
        for (const json& g : from.at("videos")) videos.push_back({g.at(0), g.at(1), g.at(2)});
        for (const json& s : from.at("seconds_per_grid")) seconds.push_back({s.at(0), s.at(1)});
    }
    prompt_media media(const model_t& model) const {
        return {images.data(),  static_cast<index_t>(images.size()), videos.data(), static_cast<index_t>(videos.size()),
                seconds.data(), model.layout.spatial_merge,          model.runs};
    }
};

// One line: tokens, what they are, their grid, the coordinates of the first and of the last of them.
void print_row(const position_plan& plan, token_range tokens, const char* what, const std::string& grid) {
    const coordinate from = plan.coordinates(tokens.begin), to = plan.coordinates(token_index{tokens.end.value - 1});
    std::printf("  %5lld ..%5lld  %-9s%-26s%5g%5g%5g   ..%5g%5g%5g\n", static_cast<long long>(tokens.begin.value),
                static_cast<long long>(tokens.end.value - 1), what, grid.c_str(), from[0], from[1], from[2], to[0],
                to[1], to[2]);
}

// Segments [first, last) of a plan. The frames of a video that lie in the prompt one by one make one line.
void print_segments(const position_plan& plan, const std::vector<segment>& segments, std::size_t first,
                    std::size_t last, const conversation& chat, const model_t& model) {
    std::size_t video = 0;
    for (std::size_t i = 0; i < first; ++i) video += segments[i].kind == segment_kind::video ? 1 : 0;
    for (std::size_t i = first; i < last; ++i) {
        const segment& s = segments[i];
        token_range tokens = plan.tokens_of(static_cast<index_t>(i));
        if (s.kind == segment_kind::text) {
            print_row(plan, tokens, "text", "");
            continue;
        }
        const index_t merge = model.layout.spatial_merge;
        index_t frames = s.frames;
        std::string each;
        if (s.kind == segment_kind::video && model.runs == video_runs::run_of_frame) {
            frames = chat.videos.at(video++).frames;
            i += static_cast<std::size_t>(2 * (frames - 1));
            tokens.end = plan.tokens_of(static_cast<index_t>(i)).end;
            each = ", text between";
        }
        print_row(plan, tokens, s.kind == segment_kind::image ? "image" : "video",
                  std::to_string(frames) + " x " + std::to_string(s.rows / merge) + " x " +
                      std::to_string(s.columns / merge) + each);
    }
}

void print_offsets(const position_plan& plan) {
    std::printf("  %5lld tokens       next position %g, generation starts at %g, position delta %g\n",
                static_cast<long long>(plan.prompt_tokens()), plan.next_position(), plan.generation_start(),
                plan.position_delta());
}

// Number of coordinates of the prompt and of the decoded tokens that differ from the stored runs.
index_t differences(const position_plan& plan, const json& reference, index_t& compared) {
    const index_t tokens = plan.size() + decoded;
    std::vector<std::int32_t> at(static_cast<std::size_t>(3 * tokens));
    ok(plan.fill(token_index{0}, token_index{tokens}, axis_major(at.data(), 3, tokens)));
    index_t n = 0, wrong = 0;
    compared = 0;
    for (const json& run : reference.at("runs")) {
        for (index_t i = 0; i < run.at(0).get<index_t>(); ++i, ++n) {
            for (std::size_t a = 0; a < 3 && n < tokens; ++a, ++compared) {
                const index_t wanted = run.at(1 + a).get<index_t>() + i * run.at(4 + a).get<index_t>();
                wrong += at[a * static_cast<std::size_t>(tokens) + static_cast<std::size_t>(n)] != wanted ? 1 : 0;
            }
        }
    }
    return n == tokens && reference.at("position_delta") == plan.position_delta() ? wrong : wrong + 1;
}

// Memory of q and k on a page, filled with values such as a projection gives.
class heads_memory {
public:
    explicit heads_memory(index_t elements)
        : size(static_cast<std::size_t>(elements)),
          data(static_cast<bf16*>(::operator new (size * sizeof(bf16), std::align_val_t{4096}))) {
        std::mt19937 bits(7);
        std::uniform_real_distribution<float> values(-2.0f, 2.0f);
        for (std::size_t i = 0; i < size; ++i) data[i] = bf16::from(values(bits));
    }
    ~heads_memory() { ::operator delete (data, std::align_val_t{4096}); }
    heads_memory(const heads_memory&) = delete;
    heads_memory& operator=(const heads_memory&) = delete;

    const std::size_t size;
    bf16* const data;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double nanoseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

// Rounds of our work(round) and of the limit, side by side, in turned order every other round; `tokens`
// and `bytes` of one.
void measure(const char* name, index_t rounds, double tokens, double bytes, const std::function<void(index_t)>& work,
             const std::function<void()>& limit) {
    std::vector<double> own, fraction;
    limit();
    for (index_t round = 0; round < rounds; ++round) {
        double limit_ns = round % 2 == 0 ? nanoseconds(limit) : 0.0;
        const double own_ns = nanoseconds([&] { work(round); });
        if (round % 2 != 0) limit_ns = nanoseconds(limit);
        own.push_back(own_ns);
        fraction.push_back(limit_ns / own_ns);
    }
    const double ns = median(own);
    std::printf("  %-48s%8.1f%9.1f%9.2f\n", name, ns / tokens, bytes / ns, median(fraction));
}

void turn(const position_plan& plan, const model_t& model) {
    const rotary rope = ok(make_rotary(model.frequencies));
    const index_t tokens = plan.size(), q_heads = model.shape.query_heads, k_heads = model.shape.key_value_heads,
                  dim = model.shape.head_dim;
    const index_t layers = model.shape.layers, token_elements = (q_heads + k_heads) * dim;
    const double token_bytes = 2.0 * sizeof(bf16) * static_cast<double>(token_elements);  // read and written
    const auto stream = bench::stream_limit().kernel;

    std::printf("  %-48s%8s%9s%9s\n", "turned", "ns/token", "GB/s", "of limit");

    // The whole prompt: a table of cosines and sines once per forward pass, then every layer.
    heads_memory memory(tokens * token_elements);
    const auto q = compact_heads(memory.data, tokens, q_heads, dim);
    const auto k = compact_heads(memory.data + tokens * q_heads * dim, tokens, k_heads, dim);
    std::vector<float> values(static_cast<std::size_t>(tokens * rope.rotary_dim()));
    const auto table = halves_table(values.data(), tokens, rope.rotary_dim(), table_rows::tokens);
    const auto fill = [&] { ok(cpu::fill_table(rope, cpu::planned(plan, token_index{0}), table)); };
    fill();
    const double table_ns = nanoseconds(fill);
    const std::string all = "prompt, " + std::to_string(layers) + " layers x " + std::to_string(tokens) + " tokens";
    measure(
        all.c_str(), layers, static_cast<double>(tokens), static_cast<double>(tokens) * token_bytes,
        [&](index_t) { ok(cpu::rotate(rope, table, q, k)); }, [&] { stream(memory.data, memory.size * sizeof(bf16)); });

    // Decode: one call per layer and token, its position straight from the plan.
    heads_memory one(token_elements);
    const auto q_one = compact_heads(one.data, 1, q_heads, dim),
               k_one = compact_heads(one.data + q_heads * dim, 1, k_heads, dim);
    const std::string step =
        "decode, " + std::to_string(decoded) + " tokens x " + std::to_string(layers) + " layers, one call each";
    measure(
        step.c_str(), decoded, static_cast<double>(layers), static_cast<double>(layers) * token_bytes,
        [&](index_t g) {
            for (index_t layer = 0; layer < layers; ++layer)
                ok(cpu::rotate(rope, cpu::planned(plan, token_index{tokens + g}), q_one, k_one));
        },
        [&] {
            for (index_t layer = 0; layer < layers; ++layer) stream(one.data, one.size * sizeof(bf16));
        });
    std::printf("  %-48s%8.1f\n", "cosines and sines of the prompt, once per pass",
                table_ns / static_cast<double>(tokens));
}

bool show(const std::string& name, const char* title, const json& chats, const json& references,
          const std::string& data, const std::string& out) {
    const model_t model = ok(interop::read_model(read_json(data + '/' + name + ".config.json")));
    const conversation chat(chats.at(name));
    std::printf("\n%s   %lld layers, %lld query and %lld key heads x %lld channels, bf16\n  %s\n\n", title,
                static_cast<long long>(model.shape.layers), static_cast<long long>(model.shape.query_heads),
                static_cast<long long>(model.shape.key_value_heads), static_cast<long long>(model.shape.head_dim),
                draw::letters(model.frequencies).c_str());
    std::printf("        tokens  what     grid in tokens             from t    h    w     to    t    h    w\n");

    // Prefill, the answer, and the user's next turn behind it.
    const auto size = [](const auto& list) { return static_cast<index_t>(list.size()); };
    media_taken taken;
    std::vector<segment> segments =
        ok(take_segments(chat.prompt.data(), size(chat.prompt), model.ids.special(), chat.media(model), taken));
    const std::vector<segment> next =
        ok(take_segments(chat.next_turn.data(), size(chat.next_turn), model.ids.special(), chat.media(model), taken));
    position_plan plan = ok(make_plan(model.layout, segments.data(), size(segments)));
    print_segments(plan, segments, 0, segments.size(), chat, model);
    print_offsets(plan);
    plan = ok(std::move(plan).append(model.layout, next.data(), size(next), continue_at::generation_start,
                                     size(chat.answer)));
    const std::size_t first = segments.size();
    segments.push_back(text(size(chat.answer)));
    segments.insert(segments.end(), next.begin(), next.end());
    print_row(plan, plan.tokens_of(static_cast<index_t>(first)), "answer", "");
    print_segments(plan, segments, first + 1, segments.size(), chat, model);
    print_offsets(plan);
    print_row(plan, {token_index{plan.size()}, token_index{plan.size() + decoded}}, "decoded", "");

    index_t compared = 0;
    const index_t wrong = differences(plan, references.at(name), compared);
    std::printf("\n  positions: %lld coordinates compared with the reference, %s\n\n", static_cast<long long>(compared),
                wrong == 0 ? "all equal" : (std::to_string(wrong) + " DIFFER").c_str());
    turn(plan, model);

    const std::string picture = out + '/' + name + ".svg";
    std::ofstream(picture) << draw::svg_coordinates(plan, segments.data(), size(segments), {title, decoded});
    std::printf("\n  picture: %s\n", picture.c_str());
    return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string data = argc > 1 ? argv[1] : "examples/data", out = argc > 2 ? argv[2] : ".";
    try {
        const json chats = read_json(data + "/conversations.json"),
                   references = read_json(data + "/reference_positions.json");
        bool right = show("qwen3_vl_8b", "Qwen3-VL-8B", chats, references, data, out);
        right = show("qwen2_5_vl_7b", "Qwen2.5-VL-7B", chats, references, data, out) && right;
        std::printf(
            "\nOne thread, kernel level %s. One layer's q and k serve for all layers. GB/s counts bytes read and\n"
            "written. The limit loads, xors with zero and stores the same bytes in place, round by round beside\n"
            "ours; medians.\n",
            cpu::name_of(cpu::detected_level()));
        return right ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "demo: %s\n", e.what());
        return EXIT_FAILURE;
    }
}
