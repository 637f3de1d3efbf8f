#pragma once
// Measures a thing beside its limit: rounds of both, interleaved, the order turned round every other round, medians. A
// ratio is the median over rounds of limit time / own time, so it holds on a machine whose clock drifts; nanoseconds of
// one run compare with that run only. Each case is one Google Benchmark with manual time, and one line of output.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace bench {

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0.0 : n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/// Nanoseconds of this thread's processor time, so that what the neighbours do while it waits is not counted; or of the
/// wall clock, for work that other threads share.
inline double now_ns(bool wall) {
    timespec t{};
    clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Nanoseconds of one call, averaged over `calls`.
template <class F>
double time_of(F& f, int calls, bool wall = false) {
    const double start = now_ns(wall);
    for (int i = 0; i < calls; ++i) {
        f();
        benchmark::ClobberMemory();
    }
    return (now_ns(wall) - start) / calls;
}

/// As many calls as fill about 100 microseconds.
template <class F>
int calls_for(F& f) {
    time_of(f, 1);
    const double once = std::max(5.0, time_of(f, 3));
    return static_cast<int>(std::clamp(1e5 / once, 1.0, 20000.0));
}

struct comparison {
    std::string name;
    std::function<void()> own, limit;
    /// Instead of the two above, where work is timed by other means: nanoseconds of one call.
    std::function<double()> own_timed, limit_timed;
    double units = 1.0;  ///< tokens, pairs, ... of one call; times are per unit
    double bytes = 0.0;  ///< bytes read and written by one call of `own`; 0: not stated
    double bar = 0.0;    ///< the ratio that is asked for; 0: none
    int rounds = 41;
    bool wall = false;  ///< by the wall clock: for work that other threads share
};

/// Registers a case. The counters are ratio, limit_ns and, where a bar is set, bar.
inline void add(comparison c) {
    const auto shared = std::make_shared<comparison>(std::move(c));
    benchmark::RegisterBenchmark(
        shared->name.c_str(),
        [shared](benchmark::State& state) {
            const auto timer = [&shared](const std::function<void()>& f, const std::function<double()>& timed) {
                if (timed) return timed;
                const int calls = calls_for(f);
                return std::function<double()>([&f, calls, wall = shared->wall] { return time_of(f, calls, wall); });
            };
            const auto own_time = timer(shared->own, shared->own_timed),
                       limit_time = timer(shared->limit, shared->limit_timed);
            std::vector<double> own, limit, ratio;
            bool turned = false;
            for (auto _ : state) {
                double own_ns = 0.0, limit_ns = 0.0;
                if (turned) own_ns = own_time();
                limit_ns = limit_time();
                if (!turned) own_ns = own_time();
                turned = !turned;
                own.push_back(own_ns);
                limit.push_back(limit_ns);
                ratio.push_back(limit_ns / own_ns);
                state.SetIterationTime(own_ns * 1e-9);
            }
            state.counters["ratio"] = median(ratio);
            state.counters["own_ns"] = median(own) / shared->units;
            state.counters["limit_ns"] = median(limit) / shared->units;
            if (shared->bytes > 0.0) state.counters["GB/s"] = shared->bytes / median(own);
            if (shared->bar > 0.0) state.counters["bar"] = shared->bar;
        })
        ->UseManualTime()
        ->Iterations(shared->rounds);
}

/// One line per case: name, time per unit, GB/s, ratio and the bar it is held to.
class line_reporter : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override {
        std::printf("%-34s %12s %9s %8s %7s %6s\n", "case", "ns per unit", "limit ns", "GB/s", "ratio", "bar");
        return true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            const auto value = [&run](const char* name) {
                const auto found = run.counters.find(name);
                return found == run.counters.end() ? std::nan("") : static_cast<double>(found->second);
            };
            std::string name = run.benchmark_name();
            name = name.substr(0, name.find("/iterations:"));
            std::printf("%-34s %12.2f %9.2f", name.c_str(), value("own_ns"), value("limit_ns"));
            const double speed = value("GB/s"), bar = value("bar");
            std::isnan(speed) ? std::printf(" %8s", "-") : std::printf(" %8.1f", speed);
            std::printf(" %7.2f", value("ratio"));
            std::isnan(bar) ? std::printf(" %6s\n", "-")
                            : std::printf(" %6.2f%s\n", bar, value("ratio") < bar ? "  below" : "");
            std::fflush(stdout);
        }
    }
};

/// Runs the registered cases with the reporter; Google Benchmark's own flags apply.
inline int run(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    line_reporter lines;
    benchmark::RunSpecifiedBenchmarks(&lines);
    benchmark::Shutdown();
    return 0;
}

/// Memory on a 64-byte line, touched, plus `off` bytes.
class aligned_buffer {
public:
    explicit aligned_buffer(std::size_t bytes, std::size_t off = 0)
        : memory_(static_cast<char*>(::operator new (bytes + off + 256, std::align_val_t{4096}))), off_(off) {
        std::fill(memory_, memory_ + bytes + off + 256, char{0});
    }
    ~aligned_buffer() { ::operator delete (memory_, std::align_val_t{4096}); }
    aligned_buffer(const aligned_buffer&) = delete;
    aligned_buffer& operator=(const aligned_buffer&) = delete;
    template <class T>
    T* as() {
        return reinterpret_cast<T*>(memory_ + off_);
    }

private:
    char* memory_;
    std::size_t off_;
};

}  // namespace bench
