// Norm, e4m3 outputs and paged cache around the rotation: the bits of the same steps one after the other, with
// cpu::rotate in their middle.

#include "cpu/kernels.hpp"
#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "cuda/side.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

// Whole numbers: the sum of their squares is exact, in whatever order.
template <class T>
void fill_whole(std::vector<T>& all, random_bits& random) {
    for (T& x : all) {
        const auto v = static_cast<float>(random.between(-8, 8));
        if constexpr (std::is_same_v<T, float>) x = v;
        else x = T::from(v);
    }
}
template <class T>
float widened(T x) {
    return static_cast<float>(format<T>::value(x));
}
template <class T>
T narrowed(float x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else return T::from(x);
}

/// What the launch does to one operand, in float32 and as T, step by step.
template <class T>
struct steps {
    std::vector<float> wide;
    std::vector<T> narrow;
    steps(const rotary& rope, const std::vector<std::int32_t>& positions, int axes, const side<T>& of,
          const std::vector<T>* weight, bool plus_one, float epsilon, cpu::rotate_options options, bool turns) {
        const bool once = rope.round() == rounding::once;
        wide.resize(of.data.size());
        narrow = of.data;
        for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = widened(of.data[i]);
        if (weight != nullptr)
            for (std::size_t row = 0; row < wide.size(); row += static_cast<std::size_t>(of.head_dim))
                normalise(&wide[row], &narrow[row], of.head_dim, *weight, plus_one, epsilon, once);
        if (!turns) return;
        const auto at = axis_major<const std::int32_t>(positions.data(), axes, of.tokens);
        const auto turn = [&](auto& data) {
            using E = std::decay_t<decltype(data[0])>;
            REQUIRE(cpu::rotate(rope, at, compact_heads(data.data(), of.tokens, of.heads, of.head_dim), no_heads<E>(),
                                options)
                        .ok());
        };
        turn(wide);
        if (!once) {
            turn(narrow);
            for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = widened(narrow[i]);
            return;
        }
        for (std::size_t i = 0; i < wide.size(); ++i) narrow[i] = narrowed<T>(wide[i]);
    }
    static void normalise(float* row, T* stored, index_t head_dim, const std::vector<T>& weight, bool plus_one,
                          float epsilon, bool once) {
        float sum = 0.0f;
        for (index_t i = 0; i < head_dim; ++i) sum += row[i] * row[i];
        const float share = 1.0f / static_cast<float>(head_dim);
        const float factor = 1.0f / std::sqrt(std::fma(sum, share, epsilon));
        for (index_t i = 0; i < head_dim; ++i) {
            const float w = widened(weight[static_cast<std::size_t>(i)]);
            float y = row[i] * factor;
            if (!once && !plus_one) y = widened(narrowed<T>(y));
            y *= plus_one ? 1.0f + w : w;
            stored[i] = narrowed<T>(y);
            row[i] = once ? y : widened(stored[i]);
        }
    }
};

template <class C, class T>
C stored(const steps<T>& of, std::size_t i, float scale) {
    if constexpr (std::is_same_v<C, e4m3>) return e4m3::from(of.wide[i] * scale);
    else return of.narrow[i];
}

template <class C>
bool same_bytes(const std::vector<C>& a, const std::vector<C>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(C)) == 0);
}

enum class places { none, slots, table };

template <class T, class Q, class C>
void compare(random_bits& random, places kept) {
    const bool wide = kept != places::none || !std::is_same_v<Q, T> || random.chance(50);
    rope_shape shape;
    shape.rotary_dim = wide ? random.one_of({16, 64, 96, 128, 256}) : random.one_of({2, 30, 72, 80, 128, 250});
    const index_t head_dim = shape.rotary_dim + (wide ? random.one_of({0, 0, 8, 64}) : random.one_of({0, 1, 2, 64}));
    shape.paired = random.chance(50) ? pairing::half_split : pairing::adjacent;
    if (wide && shape.rotary_dim % 32 == 0 && random.chance(30)) shape.paired = pairing::blocks(16);
    shape.groups = random.chance(25) ? 2 : 1;
    shape.leaves_pairs_out = random.chance(30);
    const rotary rope = make_rope(
        shape, {random.chance(70) ? phase::exact : phase::float32, static_cast<rounding>(random.between(0, 3))});
    const index_t tokens = random.chance(10) ? random.between(250, 300) : random.between(0, 7);
    const index_t q_heads = random.between(1, 9), k_heads = random.between(1, 3);
    side<T> q{{}, tokens, q_heads, head_dim, 0}, k{{}, tokens, k_heads, head_dim, 0}, v = k;
    for (side<T>* of : {&q, &k, &v}) {
        of->data.resize(static_cast<std::size_t>(tokens * of->heads * head_dim));
        fill_whole(of->data, random);
    }
    std::vector<std::int32_t> positions(static_cast<std::size_t>(3 * tokens));
    for (auto& p : positions) p = static_cast<std::int32_t>(random.between(-5000, 100000));
    std::vector<T> q_weight(static_cast<std::size_t>(head_dim)), k_weight = q_weight;
    for (auto* w : {&q_weight, &k_weight})
        for (T& x : *w) put_random(x, random, values::ordinary);
    const bool norm_q = random.chance(60), norm_k = random.chance(60), plus_one = random.chance(50);

    cuda::fused_heads<T, Q, C> step;
    step.norm = {norm_q ? q_weight.data() : nullptr, norm_k ? k_weight.data() : nullptr, 1e-6f,
                 plus_one ? cuda::norm_weight::plus_one : cuda::norm_weight::plain};
    const side<T> q0 = q, k0 = k;
    step.q = q.view().as_const(), step.k = k.view().as_const();
    std::vector<Q> q_out(q.data.size()), k_out(k.data.size());
    const bool in_place = std::is_same_v<Q, T> && random.chance(50),
               lacks_k = kept != places::none && random.chance(50);
    if constexpr (std::is_same_v<Q, T>) {
        step.q_out = in_place ? q.view() : compact_heads(q_out.data(), tokens, q_heads, head_dim);
        step.k_out = in_place ? k.view() : compact_heads(k_out.data(), tokens, k_heads, head_dim);
    } else {
        step.q_out = compact_heads(q_out.data(), tokens, q_heads, head_dim);
        step.k_out = compact_heads(k_out.data(), tokens, k_heads, head_dim);
    }
    if (lacks_k) step.k_out = {};
    step.q_scale.multiplier = 4.0f;
    step.k_scale.multiplier = 0.3f;

    // The cache, and where each token belongs: [page, place] by token, -1 where it is not kept.
    const index_t size = random.one_of({1, 2, 16}), pages = tokens / size + 3, row = k_heads * head_dim;
    std::vector<C> k_pages(kept == places::none ? 0 : static_cast<std::size_t>(pages * size * row)), v_pages = k_pages;
    std::vector<float> per_head;
    for (index_t m = 0; m < k_heads; ++m) per_head.push_back(0.5f + static_cast<float>(m));
    std::vector<index_t> slots, index_of;
    std::vector<std::int32_t> table, request_of;
    std::vector<index_t> belongs;
    const bool hnd = random.chance(50);
    if (kept != places::none) {
        step.v = v.view().as_const();
        step.cache = hnd ? cuda::hnd_cache(k_pages.data(), v_pages.data(), pages, size, k_heads, head_dim)
                         : cuda::nhd_cache(k_pages.data(), v_pages.data(), pages, size, k_heads, head_dim);
        step.v_scale.per_head = per_head.data();
    }
    if (kept == places::slots) {
        for (index_t n = 0; n < tokens; ++n) {
            slots.push_back(random.chance(15) ? random.one_of({index_t{-1}, pages * size, index_t{1} << 40})
                                              : pages * size - 1 - n);
            belongs.push_back(slots.back() < pages * size ? slots.back() : -1);
        }
        step.places.slots = {slots.data(), tokens};
    }
    if (kept == places::table) {
        // Request 0 alone; its pages lie backwards, one of them is missing.
        const index_t width = tokens / size + 1;
        request_of.assign(static_cast<std::size_t>(tokens), 0);
        for (index_t p = 0; p < width; ++p)
            table.push_back(random.chance(10) ? random.one_of({-1, static_cast<std::int32_t>(pages)})
                                              : static_cast<std::int32_t>(pages - 1 - p));
        for (index_t n = 0; n < tokens; ++n) {
            index_of.push_back(random.chance(10) ? random.one_of({index_t{-1}, width * size}) : n);
            const index_t at = index_of.back();
            const index_t page = at < 0 || at >= width * size ? -1 : table[static_cast<std::size_t>(at / size)];
            belongs.push_back(page < 0 || page >= pages ? -1 : page * size + at % size);
        }
        step.places.table = {table.data(), 1, width, width, index_of.data(), request_of.data(), width * size};
    }

    cuda::rotate_options device;
    device.way = static_cast<direction>(random.between(0, 2));
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    const auto at = axis_major<const std::int32_t>(positions.data(), 3, tokens);
    const status s = host_fused<cuda::detail::position_rows>(there, at, step, device);
    INFO(to_string(s).c_str());
    CAPTURE(shape.rotary_dim, head_dim, tokens, q_heads, k_heads, size, hnd, in_place, lacks_k, norm_q, norm_k,
            plus_one, static_cast<int>(rope.round()));
    REQUIRE(s.ok());

    cpu::rotate_options options;
    options.way = device.way;
    const steps<T> q_is(rope, positions, 3, q0, norm_q ? &q_weight : nullptr, plus_one, 1e-6f, options, true),
        k_is(rope, positions, 3, k0, norm_k ? &k_weight : nullptr, plus_one, 1e-6f, options, true),
        v_is(rope, positions, 3, v, nullptr, false, 0.0f, options, false);
    const auto is_right = [](const void* written, const steps<T>& of, float scale) {
        std::vector<Q> right;
        for (std::size_t i = 0; i < of.wide.size(); ++i) right.push_back(stored<Q>(of, i, scale));
        return right.empty() || std::memcmp(written, right.data(), right.size() * sizeof(Q)) == 0;
    };
    const void *const q_written = q_out.data(), *const k_written = k_out.data();
    CHECK(is_right(in_place ? q.data.data() : q_written, q_is, 4.0f));
    if (lacks_k) CHECK(same_bytes(k.data, k0.data));
    else CHECK(is_right(in_place ? k.data.data() : k_written, k_is, 0.3f));
    if (kept == places::none) return;
    std::vector<C> k_right(k_pages.size()), v_right = k_right;
    for (index_t n = 0; n < tokens; ++n)
        for (index_t m = 0; m < k_heads && belongs[static_cast<std::size_t>(n)] >= 0; ++m)
            for (index_t i = 0; i < head_dim; ++i) {
                const index_t slot = belongs[static_cast<std::size_t>(n)], page = slot / size, place = slot % size;
                const index_t to =
                    page * size * row + (hnd ? (m * size + place) * head_dim : place * row + m * head_dim) + i;
                const auto from = static_cast<std::size_t>((n * k_heads + m) * head_dim + i);
                k_right[static_cast<std::size_t>(to)] = stored<C>(k_is, from, 0.3f);
                v_right[static_cast<std::size_t>(to)] = stored<C>(v_is, from, per_head[static_cast<std::size_t>(m)]);
            }
    CHECK(same_bytes(k_pages, k_right));
    CHECK(same_bytes(v_pages, v_right));
}

}  // namespace

TEMPLATE_TEST_CASE("norm, e4m3 and cache around a rotation give the bits of the steps one by one", "", float, bf16,
                   f16) {
    random_bits random(191);
    for (int round = 0; round < 60; ++round) {
        const places kept = random.one_of({places::slots, places::table});
        compare<TestType, TestType, TestType>(random, places::none);
        compare<TestType, TestType, TestType>(random, kept);
        compare<TestType, TestType, e4m3>(random, kept);
        compare<TestType, e4m3, TestType>(random, kept);
        compare<TestType, e4m3, e4m3>(random, places::none);
    }
}

TEMPLATE_TEST_CASE("the norm of any values is RMSNorm's", "", float, bf16, f16) {
    random_bits random(192);
    const rotary rope = make_rope({64});
    const cuda::device_rotary there = cuda::on_device(rope, cuda::device_data(rope));
    for (int round = 0; round < 200; ++round) {
        const index_t head_dim = random.one_of({64, 96, 128, 200, 67});
        side<TestType> q{random_buffer<TestType>(head_dim, random, values::finite), 1, 1, head_dim, 0};
        const side<TestType> q0 = q;
        std::vector<TestType> weight = random_buffer<TestType>(head_dim, random, values::ordinary);
        cuda::fused_heads<TestType> step;
        step.q = q.view().as_const(), step.q_out = q.view();
        step.norm = {weight.data(), nullptr, 1e-5f, cuda::norm_weight::plain};
        const std::int32_t origin[3] = {};
        REQUIRE(host_fused<cuda::detail::position_rows>(there, axis_major(origin, 3, 1), step).ok());
        long double sum = 0;
        for (const TestType& x : q0.data) sum += static_cast<long double>(widened(x)) * widened(x);
        const long double factor = 1 / std::sqrt(sum / head_dim + 1e-5L);
        for (index_t i = 0; i < head_dim; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const long double right = widened(q0.data[at]) * factor * widened(weight[at]);
            const long double error = std::fabs(widened(q.data[at]) - right);
            // 16 additions in a row and 5 in the butterfly, halved by the root, and five roundings behind them.
            // A product in between may be subnormal: half of 2^-149, times the weight.
            CHECK(error <=
                  1.0e-6L * std::fabs(right) + 1.2e-44L + 0.5L * format<TestType>::unit(static_cast<double>(right)));
        }
    }
}
