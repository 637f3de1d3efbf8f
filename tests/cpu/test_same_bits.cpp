#include "same_bits_case.hpp"

#include <cstdio>

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("levels that this machine has") {
    std::string ran = "levels tested:", skipped = "skipped, not on this machine:";
    bool skips = false;
    for (const cpu::level l : {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon}) {
        (cpu::supports(l) ? ran : skipped) += std::string(" ") + cpu::name_of(l);
        skips = skips || !cpu::supports(l);
    }
    std::printf("%s%s%s\n", ran.c_str(), skips ? "; " : "", skips ? skipped.c_str() : "");
    CHECK(cpu::supports(cpu::level::base));
    CHECK(cpu::supports(cpu::level::automatic));
    CHECK(cpu::supports(cpu::detected_level()));
    CHECK(cpu::detected_level() != cpu::level::automatic);
    CHECK_FALSE(cpu::supports(static_cast<cpu::level>(200)));
}

// Every draw differs in levels, workers, ranges, strides, memory orders, packing, slots, head groups and shards,
// element types of positions, roundings, phases, pairings, directions, scaling and unrotated pairs; values include
// infinities, NaN, subnormals and signed zeros.
TEMPLATE_TEST_CASE("every level gives the oracle's bits whatever the call looks like", "", float, bf16, f16) {
    std::int64_t turned = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        INFO("seed " << seed);
        same_bits_case<TestType> one(seed * 3 + sizeof(TestType), {});
        one.check();
        turned += one.turned();
    }
    CHECK(turned > 5'000'000);
}

TEMPLATE_TEST_CASE("every even rotary_dim up to 256 gives the oracle's bits", "", float, bf16, f16) {
    for (index_t dim = 2; dim <= 256; dim += 2) {
        INFO("rotary_dim " << dim);
        same_bits_case<TestType> one(static_cast<std::uint64_t>(7000 + dim), {dim, values::finite});
        one.check();
        CHECK(one.turned() >= 0);
    }
}

TEST_CASE("fast frequencies give the oracle's bits on every level, at the ends of int32 too") {
    random_bits random(9);
    std::vector<axis_frequency> entries;
    for (const double f : {2.0, -3.5, 100.53, -1000.25, 65537.5, 1048576.0, -1048576.0, 12.0})
        entries.push_back({axis::t, f});
    for (const phase angle : {phase::exact, phase::float32}) {
        const rotary rope = make_rotary(make_frequency_table(entries.data(), 1, 8, 1, pairing::half_split).value(),
                                        {angle, rounding::once})
                                .value();
        positions_table positions{1, 500, {}};
        std::vector<std::int32_t> at = {INT32_MAX, INT32_MIN};
        while (at.size() < 500)
            at.push_back(static_cast<std::int32_t>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31)));
        positions.at.assign(at.begin(), at.end());
        const std::vector<float> before = random_buffer<float>(500 * 16, random, values::ordinary);
        std::vector<float> want = before;
        turn_by_positions<float>(rope, positions, compact_heads<const float>(want.data(), 500, 1, 16),
                                 compact_heads(want.data(), 500, 1, 16), 0, 500);
        for (const cpu::level use : levels_here()) {
            std::vector<float> got = before;
            cpu::rotate_options options;
            options.use = use;
            REQUIRE(cpu::rotate(rope, axis_major(at.data(), 1, 500), compact_heads(got.data(), 500, 1, 16),
                                no_heads<float>(), options)
                        .ok());
            INFO("phase " << static_cast<int>(angle) << " level " << cpu::name_of(use));
            CHECK(first_difference(want, got) == -1);
        }
    }
}
