// The kernel beside ggml's multimodal rotary operation: 32 query and 8 key heads of 128 channels, the same memory, in
// place, one thread, sines and cosines made on the way by both. ggml runs a graph of two operations, with its thread
// pool and its work memory made beforehand. First both are shown to compute the same thing. `limit` in the table is
// ggml, so the ratio is times faster.
//
// ggml has a fourth row of positions. Its interleaved mode gives it pairs 61 and 62 of sections 24, 20, 20, which are
// t's in the models; here that row repeats t, so that both turn every pair alike.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ggml-cpu.h>
#include <ggml.h>

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/polyrope.hpp"
#include "ratio.hpp"

namespace {

using namespace polyrope;

constexpr index_t query_heads = 32, key_heads = 8, channels = 128;

/// One model's rotation, as both sides name it.
struct variant {
    const char* name;
    int mode;
    thw sections;
    double theta;

    [[nodiscard]] rotary rope() const {
        const auto table = mode == GGML_ROPE_TYPE_IMROPE
                               ? make_frequency_table(allocation::interleaved{sections}, spectrum::geometric{theta},
                                                      channels, pairing::half_split)
                               : make_frequency_table(allocation::chunked{sections}, spectrum::geometric{theta},
                                                      channels, pairing::half_split);
        return make_rotary(table.value()).value();
    }
};

constexpr variant variants[] = {{"mrope", GGML_ROPE_TYPE_MROPE, {16, 24, 24}, 1e6},
                                {"imrope", GGML_ROPE_TYPE_IMROPE, {24, 20, 20}, 5e6}};

/// Rows t, h, w and the fourth, [4, tokens].
using positions4 = std::vector<std::int32_t>;

template <class Coordinate>
positions4 make_positions(index_t tokens, Coordinate coordinate) {
    positions4 rows(static_cast<std::size_t>(4 * tokens));
    for (index_t a = 0; a < 4; ++a)
        for (index_t n = 0; n < tokens; ++n)
            rows[static_cast<std::size_t>(a * tokens + n)] = static_cast<std::int32_t>(coordinate(a % 3, n));
    return rows;
}

/// Queries and keys in one piece of memory, [tokens, 32, 128] and [tokens, 8, 128].
template <class T>
struct operands {
    index_t tokens;
    bench::aligned_buffer memory;

    explicit operands(index_t n) : tokens(n), memory(static_cast<std::size_t>(values(n)) * sizeof(T)) {
        for (index_t i = 0; i < values(n); ++i) {
            const float v = static_cast<float>(i * 7919 % 4093) / 1024.0f - 2.0f;
            if constexpr (std::is_same_v<T, float>) {
                memory.as<T>()[i] = v;
            } else {
                memory.as<T>()[i] = T::from(v);
            }
        }
    }
    static index_t values(index_t n) { return n * (query_heads + key_heads) * channels; }
    T* queries() { return memory.as<T>(); }
    T* keys() { return memory.as<T>() + tokens * query_heads * channels; }
    double value(index_t i) {
        if constexpr (std::is_same_v<T, float>) return static_cast<double>(memory.as<T>()[i]);
        if constexpr (!std::is_same_v<T, float>) return static_cast<double>(memory.as<T>()[i].value());
    }
};

template <class T>
class own_side {
public:
    own_side(const variant& v, const positions4& positions, std::shared_ptr<operands<T>> data)
        : rope_(v.rope()), positions_(positions), data_(std::move(data)) {}
    void run() {
        const index_t tokens = data_->tokens;
        const status s = cpu::rotate(rope_, axis_major(positions_.data(), 3, tokens),
                                     compact_heads(data_->queries(), tokens, query_heads, channels),
                                     compact_heads(data_->keys(), tokens, key_heads, channels));
        if (!s.ok()) std::abort();
    }

private:
    rotary rope_;
    positions4 positions_;
    std::shared_ptr<operands<T>> data_;
};

template <class T>
class ggml_side {
public:
    ggml_side(const variant& v, const positions4& positions, std::shared_ptr<operands<T>> data)
        : positions_(positions), data_(std::move(data)) {
        context_.reset(ggml_init({16 * ggml_tensor_overhead() + ggml_graph_overhead(), nullptr, true}));
        ggml_tensor* rows = ggml_new_tensor_1d(context_.get(), GGML_TYPE_I32, 4 * data_->tokens);
        rows->data = positions_.data();
        graph_ = ggml_new_graph(context_.get());
        add(v, data_->queries(), query_heads, rows);
        add(v, data_->keys(), key_heads, rows);
        ggml_threadpool_params one_thread = ggml_threadpool_params_default(1);
        pool_.reset(ggml_threadpool_new(&one_thread));
        plan_ = ggml_graph_plan(graph_, 1, pool_.get());
        work_.resize(plan_.work_size);
        plan_.work_data = work_.data();
    }
    void run() {
        if (ggml_graph_compute(graph_, &plan_) != GGML_STATUS_SUCCESS) std::abort();
    }

private:
    void add(const variant& v, T* data, index_t heads, ggml_tensor* rows) {
        const ggml_type type = std::is_same_v<T, float> ? GGML_TYPE_F32 : GGML_TYPE_F16;
        ggml_tensor* x = ggml_new_tensor_3d(context_.get(), type, channels, heads, data_->tokens);
        x->data = data;
        int sections[4] = {static_cast<int>(v.sections.t), static_cast<int>(v.sections.h),
                           static_cast<int>(v.sections.w), 0};
        ggml_build_forward_expand(
            graph_, ggml_rope_multi_inplace(context_.get(), x, rows, nullptr, channels, sections, v.mode, 0,
                                            static_cast<float>(v.theta), 1.0f, 0.0f, 1.0f, 0.0f, 0.0f));
    }
    struct free_context {
        void operator()(ggml_context* c) const { ggml_free(c); }
    };
    struct free_pool {
        void operator()(ggml_threadpool* p) const { ggml_threadpool_free(p); }
    };

    positions4 positions_;
    std::shared_ptr<operands<T>> data_;
    std::unique_ptr<ggml_context, free_context> context_;
    std::unique_ptr<ggml_threadpool, free_pool> pool_;
    ggml_cgraph* graph_ = nullptr;
    ggml_cplan plan_{};
    std::vector<std::uint8_t> work_;
};

/// Turns 64 tokens on both sides; t, h and w run through [first, first + 20) in different orders.
template <class T>
double largest_difference(const variant& v, index_t first) {
    constexpr index_t tokens = 64;
    const positions4 positions =
        make_positions(tokens, [first](index_t a, index_t n) { return first + (n + 3 + 7 * a * (n + 1)) % 20; });
    const auto own = std::make_shared<operands<T>>(tokens), peer = std::make_shared<operands<T>>(tokens);
    own_side<T>(v, positions, own).run();
    ggml_side<T>(v, positions, peer).run();
    double most = 0.0;
    for (index_t i = 0; i < operands<T>::values(tokens); ++i) {
        const double difference = std::fabs(own->value(i) - peer->value(i));
        if (!std::isfinite(difference)) return difference;
        most = std::max(most, difference);
    }
    return most;
}

/// How far apart two right answers can be. ggml multiplies the position p by a float32 step s, l times, so its angle is
/// off by up to p l s^l 2^-23; l s^l is below 1.71 here, p is 19, and a pair of values in [-2, 2] is 2.83 long.
constexpr double float32_bound = (19.0 * 1.71 / 8388608.0 + 4e-7) * 2.83;
constexpr double float16_bound = 1.0 / 512.0;  // one unit of a result in [2, 4)

/// Whether both sides compute the same thing.
template <class T>
bool agrees(const variant& v, const char* type, double bound) {
    const double near = largest_difference<T>(v, 0);
    std::printf("%-6s %s: largest difference for values in [-2, 2]: %.1e at positions 0 to 19 (bound %.1e)", v.name,
                type, near, bound);
    for (const index_t first : {4096, 30000})
        std::printf(", %.1e at %d to %d", largest_difference<T>(v, first), static_cast<int>(first),
                    static_cast<int>(first + 19));
    std::puts("");
    return near <= bound;
}

template <class T>
void add_sizes(const variant& v, const char* type) {
    for (const index_t tokens : {1, 16, 512, 4096}) {
        // The first half is text, the second an image 32 cells wide.
        const positions4 positions = make_positions(tokens, [half = tokens / 2](index_t a, index_t n) {
            if (n < half) return n;
            return a == 0 ? half : a == 1 ? half + (n - half) / 32 : half + (n - half) % 32;
        });
        const auto data = std::make_shared<operands<T>>(tokens);
        const auto own = std::make_shared<own_side<T>>(v, positions, data);
        const auto peer = std::make_shared<ggml_side<T>>(v, positions, data);
        bench::comparison c;
        c.name = std::string("peer/ggml/") + v.name + "/" + type + "/T:" + std::to_string(tokens);
        c.own = [own] { own->run(); };
        c.limit = [peer] { peer->run(); };
        c.units = static_cast<double>(tokens);
        c.bytes = 2.0 * static_cast<double>(operands<T>::values(tokens)) * sizeof(T);
        bench::add(std::move(c));
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::printf("peer ggml %s beside level %s, one thread; limit: ggml; ratio: times faster than ggml\n",
                GGML_INSTALLED_VERSION, cpu::name_of(cpu::detected_level()));
    bool same = true;
    for (const variant& v : variants) {
        same = agrees<float>(v, "f32", float32_bound) && same;
        same = agrees<f16>(v, "f16", float16_bound) && same;
    }
    if (!same) {
        std::puts("peer ggml: results differ, so its times would say nothing");
        return 1;
    }
    for (const variant& v : variants) {
        add_sizes<float>(v, "f32");
        add_sizes<f16>(v, "f16");
    }
    return bench::run(argc, argv);
}
