// Plans: building them, filling positions from them, decode steps. The limit of a fill is memset of the same bytes, the
// limit of building is one allocation of the plan's placements, cleared.

#include <cstdint>
#include <cstring>
#include <random>

#include "polyrope/layout/decode.hpp"
#include "polyrope/layout/mrope.hpp"
#include "ratio.hpp"

using namespace polyrope;

namespace {

/// `images` images of rows x columns tokens, text between them, `tokens` in all.
struct prompt {
    std::vector<segment> segments;
    position_plan plan;
    index_t tokens;

    prompt(index_t images, index_t rows, index_t columns, index_t total) : tokens(total) {
        const index_t words = (total - images * rows * columns) / (images + 1);
        for (index_t i = 0; i < images; ++i) {
            segments.push_back(text(words));
            segments.push_back(image(token_grid{1, rows, columns}));
        }
        segments.push_back(text(total - images * (words + rows * columns)));
        plan = make();
    }
    [[nodiscard]] position_plan make() const {
        return *make_plan(layout::mrope{1}, segments.data(), static_cast<index_t>(segments.size()));
    }
};

void expect_ok(const status& s) {
    if (!s.ok()) {
        std::fprintf(stderr, "%s\n", to_string(s).c_str());
        std::abort();
    }
}

template <class P>
void add_fill(const std::string& name, const std::shared_ptr<prompt>& p, bool tokens_first, double bar) {
    const auto bytes = static_cast<std::size_t>(3 * p->tokens) * sizeof(P);
    const auto memory = std::make_shared<bench::aligned_buffer>(bytes);
    bench::comparison c;
    c.name = "fill/" + name;
    c.own = [p, memory, tokens_first] {
        P* out = memory->as<P>();
        expect_ok(p->plan.fill(token_index{0}, token_index{p->tokens},
                               tokens_first ? token_major(out, 3, p->tokens) : axis_major(out, 3, p->tokens)));
    };
    c.limit = [memory, bytes] { std::memset(memory->as<char>(), 1, bytes); };
    c.units = static_cast<double>(p->tokens);
    c.bytes = static_cast<double>(bytes);
    c.bar = bar;
    bench::add(std::move(c));
}

void add_list(const std::string& name, const std::shared_ptr<prompt>& p, bool shuffled) {
    const auto indices = std::make_shared<std::vector<token_index>>();
    for (index_t n = 0; n < p->tokens; ++n) indices->push_back(token_index{n});
    if (shuffled) std::shuffle(indices->begin(), indices->end(), std::mt19937(1));
    const auto bytes = static_cast<std::size_t>(3 * p->tokens) * sizeof(std::int32_t);
    const auto memory = std::make_shared<bench::aligned_buffer>(bytes);
    bench::comparison c;
    c.name = "list/" + name;
    c.own = [p, memory, indices] {
        expect_ok(p->plan.fill(indices->data(), p->tokens, axis_major(memory->as<std::int32_t>(), 3, p->tokens)));
    };
    c.limit = [memory, bytes] { std::memset(memory->as<char>(), 1, bytes); };
    c.units = static_cast<double>(p->tokens);
    c.bytes = static_cast<double>(bytes);
    bench::add(std::move(c));
}

void add_build(const std::string& name, const std::shared_ptr<prompt>& p) {
    bench::comparison c;
    c.name = "build/" + name;
    c.own = [p] { benchmark::DoNotOptimize(p->make()); };
    c.limit = [p] {
        const std::vector<unsigned char> cleared((p->segments.size() + 1) * sizeof(placement));
        benchmark::DoNotOptimize(cleared.data());
    };
    c.units = static_cast<double>(p->segments.size());
    bench::add(std::move(c));
}

void add_decode(index_t count) {
    struct requests {
        std::vector<position_plan> plans;
        std::vector<decode_request> rows;
        std::vector<std::int32_t> out;
    };
    const auto r = std::make_shared<requests>();
    for (index_t i = 0; i < count; ++i) r->plans.push_back(prompt(1 + i % 3, 4, 6 + i % 5, 200 + 7 * i).plan);
    for (index_t i = 0; i < count; ++i)
        r->rows.push_back({&r->plans[static_cast<std::size_t>(i)], token_index{200 + 7 * i + i % 40}});
    r->out.resize(static_cast<std::size_t>(3 * count));
    bench::comparison c;
    c.name = "decode/" + std::to_string(count) + "_requests";
    c.own = [r, count] { expect_ok(decode_positions(r->rows.data(), count, axis_major(r->out.data(), 3, count))); };
    c.limit = [r] { std::memset(r->out.data(), 1, r->out.size() * sizeof(std::int32_t)); };
    bench::add(std::move(c));
}

}  // namespace

int main(int argc, char** argv) {
    std::puts(
        "units: tokens of a fill or a list, segments of a build, calls of a decode step. Asked for: 12 GB/s of fill at "
        "-O2, 25 ns a token of a shuffled list, 20 ns a segment, 500 ns a step of 256 requests");
    const auto usual = std::make_shared<prompt>(64, 14, 16, 32768), small = std::make_shared<prompt>(256, 8, 8, 32768);
    const auto odd = std::make_shared<prompt>(8, 40, 45, 32768),
               large = std::make_shared<prompt>(64, 120, 128, 1 << 21);
    add_build("64_images", usual);
    add_build("256_images", small);
    add_fill<std::int32_t>("i32/32k/64x14x16", usual, false, 0.0);
    add_fill<std::int32_t>("i32/32k/256x8x8", small, false, 0.0);
    add_fill<std::int32_t>("i32/32k/8x40x45", odd, false, 0.0);
    add_fill<std::int32_t>("i32/2M/64x120x128", large, false, 0.6);
    add_fill<std::int32_t>("i32/token_major/32k/64x14x16", usual, true, 0.0);
    add_fill<std::int64_t>("i64/32k/64x14x16", usual, false, 0.0);
    add_fill<float>("f32/32k/64x14x16", usual, false, 0.0);
    add_fill<double>("f64/32k/64x14x16", usual, false, 0.0);
    add_list("shuffled/32k/64x14x16", usual, true);
    add_list("shuffled/32k/256x8x8", small, true);
    add_list("ascending/32k/64x14x16", usual, false);
    add_decode(256);
    return bench::run(argc, argv);
}
