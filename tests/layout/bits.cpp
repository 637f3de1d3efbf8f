// The bits of positions do not depend on how the compiler was called: this program is built twice, without optimisation
// and with -O3 -ffast-math, and both must find the same sums over plans with fractions and without.

#include <cinttypes>
#include <cstdio>

#include "polyrope/layout/batch.hpp"
#include "polyrope/layout/circle_rope.hpp"
#include "polyrope/layout/hope.hpp"
#include "polyrope/layout/neutral.hpp"
#include "polyrope/layout/tad_rope.hpp"
#include "polyrope/layout/tmrope.hpp"
#include "polyrope/layout/v2pe.hpp"

using namespace polyrope;

namespace {

struct checksum {
    std::uint64_t value = 0xcbf29ce484222325u;
    template <class T>
    void add(T x) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &x, sizeof(T));
        for (const unsigned char b : bytes) value = (value ^ b) * 0x100000001b3u;
    }
};

template <class P>
void fill_and_add(const position_plan& plan, fill_options options, checksum& sum) {
    const index_t count = plan.size() + 30;
    std::vector<P> out(static_cast<std::size_t>(3 * count));
    std::vector<token_index> list;
    for (index_t n = 0; n < count; ++n) list.push_back(token_index{n * 37 % count});
    sum.add(static_cast<int>(
        plan.fill(token_index{0}, token_index{count}, axis_major(out.data(), 3, count), options).code));
    for (const P x : out) sum.add(x);
    sum.add(static_cast<int>(plan.fill(list.data(), count, token_major(out.data(), 3, count), options).code));
    for (const P x : out) sum.add(x);
}

void fill_and_add_all(const position_plan& plan, checksum& sum) {
    for (const fill_options& options : {fill_options{}.truncated(), fill_options{}.truncated().neutral()}) {
        fill_and_add<std::int32_t>(plan, options, sum);
        fill_and_add<std::int64_t>(plan, options, sum);
        fill_and_add<float>(plan, options, sum);
        fill_and_add<double>(plan, options, sum);
    }
    sum.add(plan.generation_start());
    sum.add(plan.max_position());
    sum.add(plan.is_integral());
    sum.add(plan.prefix_key(plan.size()).low);
}

template <class Layout>
std::uint64_t sum_of(const Layout& layout) {
    checksum sum;
    const segment prompt[] = {text(7), video(token_grid{9, 5, 7}, untimed), text(11), image(token_grid{1, 13, 4}),
                              text(2)};
    const auto plan = make_plan(layout, prompt, 5);
    if (!plan) return 0;
    fill_and_add_all(*plan, sum);
    return sum.value;
}

/// Products in float32 of times that no binary fraction states, and sums of them.
std::uint64_t sum_with_audio(const layout::tmrope& layout) {
    checksum sum;
    const segment prompt[] = {text(5), with_audio(video(token_grid{31, 2, 3}, seconds_per_grid{1, 3}), 400), text(3),
                              video(token_grid{12, 2, 2}, seconds_per_grid{2, 25}),
                              with_audio(video(token_grid{40, 1, 2}, seconds_per_grid{1, 13}), 40)};
    const auto plan = make_plan(layout, prompt, 5);
    if (!plan) return 0;
    fill_and_add_all(*plan, sum);
    return sum.value;
}

std::uint64_t sum_of_mrope(double step, double text_step) {
    layout::mrope layout{1, stride(step)};
    layout.text_step = text_step;
    return sum_of(layout);
}

std::uint64_t sum_of_circle(bool centred, double alpha) {
    layout::ring ring{layout::extent_radius(2), alpha, centred};
    ring.plane_share = 0.3;
    ring.positive = layout::shifted_to(1.0 / 3.0);
    return sum_of(layout::circle_rope{1, ring, layout::ring_video::stacked, 0.7});
}

}  // namespace

int main() {
    struct {
        double step, text_step;
        std::uint64_t sum;
    } const known[] = {{1.0, 1.0, 0x35add841c7d2d64du},
                       {0.1, 1.0, 0xf6cf5f9a79bd3e50u},
                       {1.0 / 3.0, 0.7, 0x608ec91dcd805dc2u},
                       {2.25, 1e-3, 0x6574d12ec4df8ee8u}};
    int wrong = 0;
    for (const auto& k : known) {
        const std::uint64_t got = sum_of_mrope(k.step, k.text_step);
        if (got == k.sum) continue;
        std::printf("step %g, text step %g: 0x%016" PRIx64 "u, not 0x%016" PRIx64 "u\n", k.step, k.text_step, got,
                    k.sum);
        ++wrong;
    }
    using namespace polyrope::layout;
    const struct {
        tmrope layout;
        std::uint64_t sum;
    } known_audio[] = {
        {{1, floored_time_float32(25)}, 0xd93bde68c15c49f2u},
        {{1, real_time_float32(13), audio_order::by_time, span_markers::consecutive}, 0x4292b16bbadfce20u},
        {{1, real_time_float32(7), audio_order::by_chunks}, 0xa1ac54ce504fdb68u}};
    for (const auto& k : known_audio) {
        const std::uint64_t got = sum_with_audio(k.layout);
        if (got == k.sum) continue;
        std::printf("audio, %d: 0x%016" PRIx64 "u, not 0x%016" PRIx64 "u\n",
                    static_cast<int>(k.layout.time.tokens_per_second), got, k.sum);
        ++wrong;
    }
    struct {
        bool centred;
        double alpha;
        std::uint64_t sum;
    } const circles[] = {{true, 0.5, 0x94b3c76d9c6c5824u}, {false, -1.0, 0xd5fcb79f239f393au}};
    for (const auto& k : circles) {
        const std::uint64_t got = sum_of_circle(k.centred, k.alpha);
        if (got == k.sum) continue;
        std::printf("circle, alpha %g: 0x%016" PRIx64 "u, not 0x%016" PRIx64 "u\n", k.alpha, got, k.sum);
        ++wrong;
    }
    const struct {
        const char* name;
        std::uint64_t got, sum;
    } known_variants[] = {
        {"hope", sum_of(hope{1, 0.1}), 0x0913bef8fff83620u},
        {"videorope of the paper", sum_of(videorope{1, 1.0 / 3.0, centring::half_side, diagonal_advance::whole_steps}),
         0xdf097afd5fa4fa06u},
        {"v2pe", sum_of(v2pe{1, 0.7, span_of::tile, 3, neutral_point::segment_start}), 0x9a2d32599aac6e4eu},
        {"v2pe over blocks", sum_of(v2pe{1, 16.0, span_of::block, 3, neutral_point::segment_start}),
         0x6fdf8f4f8f0fcd46u},
        {"tad_rope", sum_of(tad_rope{1, 3, neutral_point::segment_start}), 0x97d04555ecbc0ca9u},
        {"neutral hope", sum_of(neutral<hope>{{1, 0.1}}), 0xe37a440ab0c0cb3du}};
    for (const auto& k : known_variants) {
        if (k.got == k.sum) continue;
        std::printf("%s: 0x%016" PRIx64 "u, not 0x%016" PRIx64 "u\n", k.name, k.got, k.sum);
        ++wrong;
    }
    return wrong == 0 ? 0 : 1;
}
