#include "same_bits_case.hpp"

#include <cstdio>

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("levels that this machine has") {
    std::string ran = "levels tested:", skipped = "skipped, not on this machine:";
    bool skips = false;
    for (cpu::level const l : {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon}) {
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
