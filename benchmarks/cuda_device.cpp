// The device kernels beside what the device can do: 32 query and 8 key heads of 128 channels, bfloat16.
//
//     bench_cuda_device [--benchmark_out=FILE --benchmark_out_format=json]
//
// A case is a graph of many launches, replayed and timed by events; times are per launch. `cold`: consecutive launches
// work on other memory, four times as much as the second-level cache holds. `hot`: on the same memory.
// Limits: the same bytes by a copy kernel of 16-byte accesses (rotate, fused; that kernel itself beside
// cudaMemcpyAsync), an empty kernel (decode: own and limit nanoseconds differ by at most 1000), the same work from a
// table or in separate launches. Ends with 77 where there is no device.

#include <functional>
#include <memory>
#include <string>

#include "cuda/device/launches.hpp"
#include "cuda/device/memory.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/polyrope.hpp"
#include "ratio.hpp"

namespace {

using namespace polyrope;

constexpr index_t q_heads = 32, k_heads = 8, head_dim = 128, q_row = q_heads * head_dim, k_row = k_heads * head_dim;
constexpr index_t token_bytes = (q_row + 2 * k_row) * index_t{sizeof(bf16)};  // of q, k and v

void need(const status& s) {
    if (s.ok()) return;
    std::fprintf(stderr, "%s\n", to_string(s).c_str());
    std::exit(1);
}

/// Memory for many launches, each on tokens of its own; positions, caches and a rotary beside it.
struct workload {
    rotary rope = make_rotary(make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6},
                                                   head_dim, pairing::half_split)
                                  .value())
                      .value();
    device::stream stream;
    device::array<unsigned char> rope_memory{static_cast<std::size_t>(cuda::device_bytes(rope))};
    cuda::device_rotary there;
    index_t tokens;  // that the memory holds
    device::array<bf16> qkv, q_copy, k_pages, v_pages, weight;
    device::array<std::int32_t> positions, origin;
    device::array<float> table;
    device::array<index_t> slots;
    device::array<cuda::device_tail> tails;
    device::array<index_t> live;

    explicit workload(index_t held)
        : tokens(held),
          qkv(static_cast<std::size_t>(held * (q_row + 2 * k_row))),
          q_copy(static_cast<std::size_t>(held * (q_row + 2 * k_row))),
          k_pages(static_cast<std::size_t>(held * k_row)),
          v_pages(static_cast<std::size_t>(held * k_row)),
          weight(std::vector<bf16>(head_dim, bf16::from(1.0f))),
          positions(static_cast<std::size_t>(3 * held)),
          origin(static_cast<std::size_t>(3 * held)),
          table(static_cast<std::size_t>(held * head_dim)),
          slots(static_cast<std::size_t>(held)),
          tails(1024),
          live(1024) {
        std::vector<unsigned char> bytes(rope_memory.size());
        std::memcpy(bytes.data(), cuda::device_data(rope), bytes.size());
        rope_memory.put(bytes);
        there = cuda::on_device(rope, rope_memory.data());
        for (const auto& zeroed : {std::pair<void*, std::size_t>{qkv.data(), qkv.size() * sizeof(bf16)},
                                   {origin.data(), origin.size() * sizeof(std::int32_t)},
                                   {table.data(), table.size() * sizeof(float)}})
            device::check(cudaMemset(zeroed.first, 0, zeroed.second), "cudaMemset");
        std::vector<std::int32_t> at(positions.size());
        std::vector<index_t> places(slots.size());
        for (std::size_t n = 0; n < at.size(); ++n) at[n] = static_cast<std::int32_t>(37 * n % 131072);
        for (std::size_t n = 0; n < places.size(); ++n) places[n] = static_cast<index_t>(places.size() - 1 - n);
        positions.put(at);
        slots.put(places);
        const segment prompt[] = {text(100)};
        tails.put(std::vector<cuda::device_tail>(tails.size(),
                                                 cuda::tail_on_device(make_plan(layout::mrope{2}, prompt, 1).value())));
        live.put(std::vector<index_t>(live.size(), 1000));
    }

    // The memory of launch i of `count` tokens each; hot launches all use the first.
    struct part {
        heads_view<bf16> q, k, v;
        index_t first;
    };
    [[nodiscard]] part of(index_t i, index_t count, bool hot) const {
        const index_t first = hot ? 0 : i * count % (tokens - count + 1);
        bf16* const at = qkv.data() + first * (q_row + 2 * k_row);
        return {compact_heads(at, count, q_heads, head_dim),
                compact_heads(at + count * q_row, count, k_heads, head_dim),
                compact_heads(at + count * (q_row + k_row), count, k_heads, head_dim), first};
    }
    [[nodiscard]] device::positions at(const device::array<std::int32_t>& from, index_t count) const {
        return axis_major<const std::int32_t>(from.data(), 3, count);
    }
};

/// Nanoseconds of one launch of a graph of `launches`.
std::function<double()> graph_timer(workload& w, index_t launches,
                                    const std::function<void(index_t, cudaStream_t)>& launch) {
    struct timed {
        device::graph graph;
        cudaEvent_t before = nullptr, after = nullptr;
        timed(const workload& on, index_t count, const std::function<void(index_t, cudaStream_t)>& each)
            : graph(on.stream, [&](cudaStream_t stream) {
                  for (index_t i = 0; i < count; ++i) each(i, stream);
              }) {
            device::check(cudaEventCreate(&before), "cudaEventCreate");
            device::check(cudaEventCreate(&after), "cudaEventCreate");
        }
        ~timed() { static_cast<void>(cudaEventDestroy(before)), static_cast<void>(cudaEventDestroy(after)); }
        timed(const timed&) = delete;
        timed& operator=(const timed&) = delete;
    };
    // Captured when it is first asked for: cases that are filtered out cost nothing.
    const auto shared = std::make_shared<std::unique_ptr<timed>>();
    return [shared, &w, launches, launch] {
        if (*shared == nullptr) {
            *shared = std::make_unique<timed>(w, launches, launch);
            (*shared)->graph.replay(w.stream);
            w.stream.wait();
        }
        const timed& of = **shared;
        device::check(cudaEventRecord(of.before, w.stream.get()), "cudaEventRecord");
        of.graph.replay(w.stream);
        device::check(cudaEventRecord(of.after, w.stream.get()), "cudaEventRecord");
        w.stream.wait();
        float ms = 0.0f;
        device::check(cudaEventElapsedTime(&ms, of.before, of.after), "cudaEventElapsedTime");
        return static_cast<double>(ms) * 1e6 / static_cast<double>(launches);
    };
}

using launch = std::function<void(index_t, cudaStream_t)>;

launch rotate_launch(workload& w, index_t count, bool hot, bool early = false) {
    return [&w, count, hot, early](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, hot);
        cuda::rotate_options options;
        options.launch_early = early;
        need(device::rotate(w.there, w.at(w.positions, count), p.q, p.k, on, options));
    };
}
launch table_launch(workload& w, index_t count, bool hot) {
    return [&w, count, hot](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, hot);
        const auto rows = halves_table(w.table.data() + p.first * head_dim, count, head_dim, table_rows::tokens);
        need(device::rotate(w.there, cos_sin_view<const float>(rows), p.q, p.k, on));
    };
}
/// Copies as many bytes as a launch reads, which is as many as it writes.
launch copy_launch(workload& w, index_t count, bool hot, index_t bytes) {
    return [&w, count, hot, bytes](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, hot);
        need(device::copy(w.q_copy.data() + (p.q.data - w.qkv.data()), p.q.data, bytes * count, on));
    };
}
cuda::fused_heads<bf16> fused_step(const workload& w, const workload::part& p, index_t count, bool norm, bool cache) {
    cuda::fused_heads<bf16> step;
    step.q = p.q.as_const(), step.q_out = p.q, step.k = p.k.as_const();
    if (norm) step.norm = {w.weight.data(), w.weight.data(), 1e-6f, cuda::norm_weight::plain};
    if (!cache) return step.k_out = p.k, step;
    step.v = p.v.as_const();
    step.cache = cuda::nhd_cache(w.k_pages.data(), w.v_pages.data(), w.tokens / 16, 16, k_heads, head_dim);
    step.places.slots = {w.slots.data() + p.first, count};
    return step;
}
launch fused_launch(workload& w, index_t count, bool hot, bool early = false) {
    return [&w, count, hot, early](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, hot);
        cuda::rotate_options options;
        options.launch_early = early;
        need(device::rotate_fused(w.there, w.at(w.positions, count), fused_step(w, p, count, true, true), on, options));
    };
}
/// Norm, rotation and cache in launches of their own: a norm at the origin reads and writes what a norm alone does.
launch separate_launch(workload& w, index_t count, bool hot) {
    return [&w, count, hot](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, hot);
        need(device::rotate_fused(w.there, w.at(w.origin, count), fused_step(w, p, count, true, false), on));
        need(device::rotate(w.there, w.at(w.positions, count), p.q, p.k, on));
        need(device::copy(w.k_pages.data() + p.first * k_row, p.k.data, count * k_row * index_t{sizeof(bf16)}, on));
        need(device::copy(w.v_pages.data() + p.first * k_row, p.v.data, count * k_row * index_t{sizeof(bf16)}, on));
    };
}
launch decode_launch(workload& w, index_t count, bool early) {
    return [&w, count, early](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, true);
        cuda::rotate_options options;
        options.launch_early = early;
        need(device::rotate(w.there, cuda::decode_tails{w.tails.data(), w.live.data(), count, 3}, p.q, p.k, on,
                            options));
    };
}
launch memcpy_launch(workload& w, index_t count, index_t bytes) {
    return [&w, count, bytes](index_t i, cudaStream_t on) {
        const workload::part p = w.of(i, count, false);
        device::check(cudaMemcpyAsync(w.q_copy.data() + (p.q.data - w.qkv.data()), p.q.data,
                                      static_cast<std::size_t>(bytes * count), cudaMemcpyDeviceToDevice, on),
                      "cudaMemcpyAsync");
    };
}
launch empty_launch() {
    return [](index_t, cudaStream_t on) { need(device::nothing(on)); };
}

void add(workload& w, const std::string& name, index_t launches, index_t bytes, double bar, const launch& own,
         const launch& limit) {
    bench::comparison c;
    c.name = name;
    c.own_timed = graph_timer(w, launches, own);
    c.limit_timed = graph_timer(w, launches, limit);
    c.bytes = static_cast<double>(bytes);
    c.bar = bar;
    bench::add(std::move(c));
}

}  // namespace

int main(int argc, char** argv) {
    const cudaDeviceProp found = device::require_device();
    // Four times the cache in q and k, and never fewer tokens than the longest case.
    const index_t longest = 131072, held = std::max(longest, index_t{4} * found.l2CacheSize / token_bytes);
    std::printf("%s, %d multiprocessors, %d MB second-level cache; ns and GB/s are of one launch\n", found.name,
                found.multiProcessorCount, found.l2CacheSize >> 20);
    workload w(held);
    const index_t rotated = 2 * (q_row + k_row) * index_t{sizeof(bf16)}, fused = 2 * token_bytes;
    for (const index_t count : {1, 64, 512, 4096, 32768, 131072}) {
        const std::string tokens = "/T:" + std::to_string(count);
        for (const bool hot : {false, true}) {
            if (hot && count * token_bytes > found.l2CacheSize / 2) continue;
            // Cold launches come round to the same memory after four times the cache.
            const index_t round = index_t{4} * found.l2CacheSize / (rotated / 2 * count) + 1;
            const index_t launches = std::max(hot ? index_t{0} : round, count >= 4096 ? index_t{8} : index_t{400});
            const std::string how = hot ? "/hot" : "/cold";
            const double bar = count >= 32768 ? 0.90 : 0.0, fused_bar = count >= 32768 ? 0.88 : 0.0;
            add(w, "rotate_over_copy" + tokens + how, launches, rotated * count, bar, rotate_launch(w, count, hot),
                copy_launch(w, count, hot, rotated / 2));
            add(w, "fused_over_copy" + tokens + how, launches, fused * count, fused_bar, fused_launch(w, count, hot),
                copy_launch(w, count, hot, fused / 2));
            add(w, "fused_over_separate" + tokens + how, launches, fused * count, 0.0, fused_launch(w, count, hot),
                separate_launch(w, count, hot));
            // On the fly within 3 % of a table of a row per token.
            add(w, "fly_over_table" + tokens + how, launches, rotated * count, count >= 32768 ? 0.97 : 0.0,
                rotate_launch(w, count, hot), table_launch(w, count, hot));
        }
    }
    add(w, "copy_over_memcpy/T:131072/cold", 8, rotated * longest, 0.0, copy_launch(w, longest, false, rotated / 2),
        memcpy_launch(w, longest, rotated / 2));
    for (const index_t count : {1, 64, 512}) {
        const std::string tokens = "/T:" + std::to_string(count);
        add(w, "decode_over_empty" + tokens, 400, rotated * count, 0.0, decode_launch(w, count, false), empty_launch());
        add(w, "early_over_late" + tokens, 400, fused * count, 0.0, fused_launch(w, count, true, true),
            fused_launch(w, count, true, false));
    }
    return bench::run(argc, argv);
}
