// Allocations and spectra through the kernel: equal axes are ordinary rotary embedding to the bit, heads know their
// place in the whole model, and the attention scaling multiplies cosines and sines.

#include <cstring>
#include <vector>

#include "kernels.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/frequency/spatial_shifted.hpp"
#include "polyrope/frequency/yarn.hpp"
#include "random.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr index_t tokens = 6, dim = 64;

std::vector<float> random_heads(index_t heads) {
    random_bits random(3);
    std::vector<float> all(static_cast<std::size_t>(tokens * heads * dim));
    for (float& v : all) put_random(v, random, values::ordinary);
    return all;
}

template <class Allocation>
rotary rope_of(const Allocation& a) {
    return make_rotary(make_frequency_table(a, spectrum::geometric{1e6}, dim, pairing::half_split).value()).value();
}

template <class P>
std::vector<float> turned(const rotary& rope, const std::vector<P>& positions, int axes, index_t heads,
                          const cpu::rotate_options& options = {}) {
    std::vector<float> q = random_heads(heads);
    REQUIRE(cpu::rotate(rope, axis_major(positions.data(), axes, tokens), compact_heads(q.data(), tokens, heads, dim),
                        no_heads<float>(), options)
                .ok());
    return q;
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("equal coordinates on all axes turn as ordinary rotary embedding, to the bit") {
    const std::vector<std::int32_t> line{0, 1, 77, 1234, 99999, -5};
    std::vector<std::int32_t> equal, apart;
    for (int a = 0; a < 3; ++a)
        for (const std::int32_t p : line) equal.push_back(p), apart.push_back(p + 3 * a);
    const auto plain = turned(rope_of(allocation::single_axis{}), line, 1, 4);
    const auto check = [&](const auto& allocation) {
        const rotary rope = rope_of(allocation);
        CHECK(same_bytes(turned(rope, equal, 3, 4), plain));
        CHECK_FALSE(same_bytes(turned(rope, apart, 3, 4), plain));
    };
    check(allocation::chunked{thw{8, 12, 12}});
    check(allocation::interleaved{thw{12, 10, 10}});
    check(allocation::interleaved{allocation::quarters(32)});
    check(allocation::interleaved{allocation::thirds(32)});
    check(allocation::even_interleaved{thw{12, 10, 10}});
    check(allocation::spatial_first{thw{8, 12, 12}});
    check(allocation::spatial_shifted{thw{8, 12, 12}});
    check(allocation::mm_rope);
    check(allocation::mm_rope_by_pair);
    check(allocation::per_head{thw{2, 1, 1}, 4});

    // HoPE leaves its temporal pairs alone, and turns the others as ordinary rotary embedding does.
    const auto hope = turned(rope_of(allocation::spatial_first{thw{8, 12, 12}, temporal_pairs::still}), equal, 3, 4);
    const auto before = random_heads(4);
    for (std::size_t i = 0; i < hope.size(); ++i) {
        const bool temporal = i % 32 >= 24;
        CHECK(hope[i] == (temporal ? before[i] : plain[i]));
    }
}

TEST_CASE("heads of a tensor-parallel shard turn as in the whole model") {
    const rotary rope = rope_of(allocation::per_head{thw{2, 3, 2}, 8});
    std::vector<std::int32_t> positions;
    for (index_t i = 0; i < 3 * tokens; ++i) positions.push_back(static_cast<std::int32_t>(7 * i + i * i));
    // Eight key heads and sixteen query heads, whole and in four shards.
    for (const index_t heads : {8, 16}) {
        const auto whole = turned(rope, positions, 3, heads);
        const auto before = random_heads(heads);
        for (const index_t shards : {2, 4, 8}) {
            const index_t mine = heads / shards;
            for (index_t shard = 0; shard < shards; ++shard) {
                std::vector<float> part;
                for (index_t n = 0; n < tokens; ++n)
                    part.insert(part.end(), before.begin() + (n * heads + shard * mine) * dim,
                                before.begin() + (n * heads + (shard + 1) * mine) * dim);
                cpu::rotate_options options;
                options.q_shard = {shard * mine, heads};
                REQUIRE(cpu::rotate(rope, axis_major(positions.data(), 3, tokens),
                                    compact_heads(part.data(), tokens, mine, dim), no_heads<float>(), options)
                            .ok());
                bool same = true;
                for (index_t n = 0; n < tokens; ++n)
                    same = same &&
                           std::memcmp(part.data() + n * mine * dim, whole.data() + (n * heads + shard * mine) * dim,
                                       static_cast<std::size_t>(mine * dim) * sizeof(float)) == 0;
                CHECK(same);
            }
        }
        // The spare head is not turned, and its query heads are not either.
        for (index_t n = 0; n < tokens; ++n) {
            const auto last = static_cast<std::size_t>((n * heads + heads - heads / 8) * dim);
            CHECK(std::memcmp(whole.data() + last, before.data() + last,
                              static_cast<std::size_t>(heads / 8 * dim) * sizeof(float)) == 0);
        }
    }
}

TEST_CASE("the attention scaling multiplies every cosine and sine") {
    const auto rows = [](double scaling) {
        frequency_options options;
        options.attention_scaling = scaling;
        const auto table = make_frequency_table(allocation::interleaved{thw{12, 10, 10}},
                                                spectrum::yarn{5e6, 4.0, 262144}, dim, pairing::half_split, options);
        const std::int32_t positions[] = {3, 70000, 5, 12, 9, 1};
        std::vector<float> values(2 * dim);
        REQUIRE(cpu::fill_table(make_rotary(table.value()).value(), axis_major(positions, 3, 2),
                                halves_table(values.data(), 2, dim, table_rows::tokens))
                    .ok());
        return values;
    };
    const auto plain = rows(1.0), scaled = rows(0.0);  // 0: the spectrum's own
    const auto own = static_cast<float>(spectrum::yarn{5e6, 4.0, 262144}.attention_scaling());
    CHECK(own > 1.13f);
    for (std::size_t i = 0; i < plain.size(); ++i) CHECK(scaled[i] == Approx(plain[i] * own).epsilon(2e-7));
}
