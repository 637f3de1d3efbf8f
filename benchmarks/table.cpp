// Sines and cosines: the rows that serve one forward pass, beside the C library. One row is 64 pairs.

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/polyrope.hpp"
#include "ratio.hpp"

namespace {

using namespace polyrope;

constexpr index_t rows = 512, channels = 128, pairs = channels / 2;

struct workload {
    rotary rope = make_rotary(make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6},
                                                   channels, pairing::half_split)
                                  .value())
                      .value();
    std::vector<std::int32_t> positions = std::vector<std::int32_t>(3 * rows);
    bench::aligned_buffer memory{rows * channels * sizeof(float)};

    workload() {
        for (index_t n = 0; n < 3 * rows; ++n)
            positions[static_cast<std::size_t>(n)] = static_cast<std::int32_t>(37 * n % 32768);
    }
};

void add_level(const std::shared_ptr<workload>& work, cpu::level use, double bar) {
    bench::comparison c;
    c.name = std::string("sincos/64_pairs/") + cpu::name_of(use);
    c.own = [work, use] {
        cpu::rotate_options options;
        options.use = use;
        const status s =
            cpu::fill_table(work->rope, axis_major(work->positions.data(), 3, rows),
                            halves_table(work->memory.as<float>(), rows, channels, table_rows::tokens), options);
        if (!s.ok()) std::abort();
    };
    // The limit here is a peer: sinf and cosf of the float32 product, pair by pair.
    c.limit = [work] {
        auto* out = work->memory.as<float>();
        for (index_t n = 0; n < rows; ++n) {
            for (index_t l = 0; l < pairs; ++l) {
                const pair_frequency& pair = work->rope.frequencies().at(0, l);
                const float angle =
                    static_cast<float>(
                        work->positions[static_cast<std::size_t>(static_cast<index_t>(pair.which) * rows + n)]) *
                    pair.inv_freq;
                out[n * channels + l] = std::cos(angle);
                out[n * channels + pairs + l] = std::sin(angle);
            }
        }
    };
    c.units = rows;
    c.bar = bar;
    bench::add(std::move(c));
}

}  // namespace

int main(int argc, char** argv) {
    std::puts(
        "own: ns per 64 pairs, axis choice and stores included; limit: the C library's sinf and cosf; ratio: times "
        "faster");
    const auto work = std::make_shared<workload>();
    if (cpu::supports(cpu::level::avx512)) add_level(work, cpu::level::avx512, 10.0);
    if (cpu::supports(cpu::level::avx2)) add_level(work, cpu::level::avx2, 5.0);
    if (cpu::supports(cpu::level::neon)) add_level(work, cpu::level::neon, 0.0);
    add_level(work, cpu::level::base, 0.0);
    return bench::run(argc, argv);
}
