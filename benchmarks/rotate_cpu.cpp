// The rotary kernel beside the machine's limit: 32 query and 8 key heads of 128 channels, in place, Qwen3-VL's
// frequencies, half of the tokens in an image. One thread. See README.md for how to read the numbers.

#include <memory>
#include <string>
#include <vector>

#include "limits.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/polyrope.hpp"
#include "ratio.hpp"
#include "two_threads.hpp"
#include "user_file.hpp"

namespace {

using namespace polyrope;

constexpr index_t query_heads = 32, key_heads = 8, channels = 128, pairs = channels / 2;

/// Queries, keys, positions and tables for `tokens` tokens, at one place in memory.
template <class T>
struct workload {
    index_t tokens;
    bench::aligned_buffer memory;
    std::vector<std::int32_t> positions;
    bench::aligned_buffer table_memory;
    rotary rope;
    heads_view<T> q, k;
    cos_sin_view<float> table;

    workload(index_t n, std::size_t off)
        : tokens(n),
          memory(static_cast<std::size_t>(n * (query_heads + key_heads) * channels) * sizeof(T), off),
          positions(static_cast<std::size_t>(3 * n)),
          table_memory(static_cast<std::size_t>(n * channels) * sizeof(float)),
          rope(make_rotary(make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6},
                                                channels, pairing::half_split)
                               .value())
                   .value()),
          q(compact_heads(memory.as<T>(), n, query_heads, channels)),
          k(compact_heads(memory.as<T>() + n * query_heads * channels, n, key_heads, channels)),
          table(halves_table(table_memory.as<float>(), n, channels, table_rows::tokens)) {
        for (index_t i = 0; i < n; ++i) {
            const bool image = i >= n / 2;
            positions[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(image ? n / 2 : i);
            positions[static_cast<std::size_t>(n + i)] =
                static_cast<std::int32_t>(image ? n / 2 + (i - n / 2) / 32 : i);
            positions[static_cast<std::size_t>(2 * n + i)] =
                static_cast<std::int32_t>(image ? n / 2 + (i - n / 2) % 32 : i);
        }
        const status made = cpu::fill_table(rope, view(), table);
        if (!made.ok()) std::abort();
        auto* values = memory.as<T>();
        for (index_t i = 0; i < n * (query_heads + key_heads) * channels; ++i) {
            const float v = static_cast<float>(i % 251) / 64.0f - 2.0f;
            if constexpr (std::is_same_v<T, float>) {
                values[i] = v;
            } else {
                values[i] = T::from(v);
            }
        }
    }
    [[nodiscard]] positions_view<const std::int32_t> view() const { return axis_major(positions.data(), 3, tokens); }
    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(tokens * (query_heads + key_heads) * channels) * sizeof(T);
    }
};

template <class T>
bench::limit limit_of() {
    return std::is_same_v<T, float>  ? bench::stream_limit()
           : std::is_same_v<T, bf16> ? bench::bfloat16_limit()
                                     : bench::float16_limit();
}

/// `fused` computes sines and cosines on the way; otherwise they come from a table of one row per token.
template <class T>
void add_case(const std::string& name, index_t tokens, bool fused, cpu::level use, double bar, std::size_t off = 0) {
    const auto work = std::make_shared<workload<T>>(tokens, off);
    const auto edge = off == 0 ? work : std::make_shared<workload<T>>(tokens, 0);
    cpu::rotate_options options;
    options.use = use;
    bench::comparison c;
    c.name = "rotate/" + name + "/T:" + std::to_string(tokens);
    c.own = [work, options, fused] {
        const status s = fused ? cpu::rotate(work->rope, work->view(), work->q, work->k, options)
                               : cpu::rotate(work->rope, work->table, work->q, work->k, options);
        if (!s.ok()) std::abort();
    };
    const bench::limit limit = limit_of<T>();
    c.limit = [edge, limit] { limit.kernel(edge->memory.template as<T>(), edge->bytes()); };
    c.units = static_cast<double>(tokens);
    c.bytes = 2.0 * static_cast<double>(work->bytes());
    c.bar = bar;
    bench::add(std::move(c));
}

template <class T>
void add_sizes(const std::string& name, bool fused, cpu::level use, const double (&bars)[4]) {
    constexpr index_t sizes[4] = {1, 16, 512, 4096};
    for (int i = 0; i < 4; ++i) add_case<T>(name, sizes[i], fused, use, bars[i]);
}

/// Two threads of the caller's beside one: the ratio is the gain.
template <class T>
void add_two_threads(const std::string& name, index_t tokens, double bar) {
    const auto work = std::make_shared<workload<T>>(tokens, 0);
    const auto other = std::make_shared<bench::second_thread>();
    const auto turn = [work](partition part) {
        cpu::rotate_options options;
        options.part = part;
        if (!cpu::rotate(work->rope, work->table, work->q, work->k, options).ok()) std::abort();
    };
    bench::comparison c;
    c.name = "rotate/" + name + "/two_threads_over_one/T:" + std::to_string(tokens);
    c.own = [turn, other] { other->run([&turn](int ith) { turn({ith, 2}); }); };
    c.limit = [turn] { turn({0, 1}); };
    c.wall = true;
    c.units = static_cast<double>(tokens);
    c.bytes = 2.0 * static_cast<double>(work->bytes());
    c.bar = bar;
    bench::add(std::move(c));
}

/// A user's file built with plain -O2 beside the same file built for this machine.
void add_plain_build(index_t tokens) {
    const auto work = std::make_shared<workload<float>>(tokens, 0);
    bench::comparison c;
    c.name = "rotate/f32/table/plain_over_native/T:" + std::to_string(tokens);
    c.own = [work] { bench::rotate_plain(work->rope, work->table, work->q, work->k); };
    c.limit = [work] { bench::rotate_native(work->rope, work->table, work->q, work->k); };
    c.units = static_cast<double>(tokens);
    c.bytes = 2.0 * static_cast<double>(work->bytes());
    c.bar = .95;
    bench::add(std::move(c));
}

/// Data off a 64-byte line at the level that is chosen for it, beside the faster one of the levels forced
/// on the same data.
template <class T>
void add_off_line(const std::string& name, index_t tokens, cpu::level beside) {
    const auto work = std::make_shared<workload<T>>(tokens, 16);
    const auto turn = [work](cpu::level use) {
        cpu::rotate_options options;
        options.use = use;
        if (!cpu::rotate(work->rope, work->table, work->q, work->k, options).ok()) std::abort();
    };
    bench::comparison c;
    c.name = "rotate/" + name + "/off_line_over_" + cpu::name_of(beside) + "/T:" + std::to_string(tokens);
    c.own = [turn] { turn(cpu::level::automatic); };
    c.limit = [turn, beside] { turn(beside); };
    c.units = static_cast<double>(tokens);
    c.bytes = 2.0 * static_cast<double>(work->bytes());
    c.bar = .90;
    bench::add(std::move(c));
}

}  // namespace

int main(int argc, char** argv) {
    using cpu::level;
    std::printf("level %s; limits: %s, bf16 %s, f16 %s\n", cpu::name_of(cpu::detected_level()),
                bench::stream_limit().name, bench::bfloat16_limit().name, bench::float16_limit().name);
    // Bars hold for a machine with AVX-512; elsewhere they are printed for orientation.
    add_sizes<float>("f32/table", false, level::automatic, {.82, .85, .82, .80});
    add_sizes<float>("f32/fused", true, level::automatic, {.65, .78, .74, .80});
    add_sizes<bf16>("bf16/table", false, level::automatic, {.43, .46, .63, .86});
    add_sizes<bf16>("bf16/fused", true, level::automatic, {.42, .45, .62, .85});
    add_sizes<f16>("f16/table", false, level::automatic, {.80, .80, .78, .90});
    add_sizes<f16>("f16/fused", true, level::automatic, {0, 0, 0, 0});
    if (cpu::supports(level::avx2)) {
        add_sizes<float>("f32/table/avx2", false, level::avx2, {.42, .48, .68, .70});
        add_sizes<bf16>("bf16/table/avx2", false, level::avx2, {0, 0, 0, 0});
    }
    add_case<float>("f32/table/base", 16, false, level::base, 0);
    for (const level beside : {level::avx2, level::avx512}) {
        if (!cpu::supports(beside)) continue;
        for (const index_t tokens : {16, 4096}) {
            add_off_line<float>("f32", tokens, beside);
            add_off_line<bf16>("bf16", tokens, beside);
        }
    }
    for (const index_t tokens : {1, 16, 512}) add_plain_build(tokens);
    add_two_threads<float>("f32", 512, 1.5);
    add_two_threads<bf16>("bf16", 512, 1.7);
    return bench::run(argc, argv);
}
