// Streaming attention, merges and their exponentials give the same bits under other flags, at every level and in every
// partition.

#include "attention_bits.hpp"
#include "support/catch.hpp"

TEST_CASE("attention, merges and exponentials have the same bits without optimisation and under -ffast-math") {
    const auto plain = attention_bits_plain();
    for (const auto& other : {attention_bits_unoptimised(), attention_bits_fast_math()}) {
        REQUIRE(other.size() == plain.size());
        std::size_t different = 0;
        for (std::size_t i = 0; i < plain.size(); ++i) different += plain[i] != other[i] ? 1 : 0;
        CHECK(different == 0);
    }
}

TEST_CASE("levels and partitions of streaming attention are of one kind of bits, soft cap included") {
    const auto plain = attention_bits_plain();
    // Two levels of two caps of two partitions, each behind its status.
    const std::size_t before = 200000 * 8 + 40 * 3 * 5 + 40 * 3, each = (plain.size() - before) / 8;
    REQUIRE(plain.size() == before + 8 * each);
    for (std::size_t i = 0; i < each; ++i)
        for (const std::size_t cap : {0u, 2u})
            for (const std::size_t other : {1u, 4u, 5u})
                if (plain[before + cap * each + i] != plain[before + (cap + other) * each + i]) FAIL("value " << i);
    CHECK(plain[before] == 1);
    CHECK(plain[before + each / 2] != plain[before + 2 * each + each / 2]);  // the cap does something
}
