#include "polyrope/core/fp8.hpp"
#include "polyrope/core/views.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>

using namespace polyrope;

static_assert(sizeof(e4m3) == 1 && std::is_trivially_copyable_v<e4m3>, "e4m3 lies in memory as it does in caches");
static_assert(!is_element_v<e4m3>, "an e4m3 tensor is an output: nothing rotates it in place");
static_assert(std::is_same_v<decltype(heads_view<e4m3>{}.at(0, 0)), e4m3*>, "and its view is one like the others");

namespace {

float from_bits(std::uint32_t bits) { return detail::bit_copy<float>(bits); }
std::uint32_t bits_of(float value) { return detail::bit_copy<std::uint32_t>(value); }
bool is_finite(float value) { return (bits_of(value) & 0x7f800000u) != 0x7f800000u; }
bool is_nan(float value) { return bits_of(value) << 1 > 0xff000000u; }

// What a code stands for, by the definition of the format; 0x7f is left out.
long double meaning(unsigned magnitude) {
    const int exponent = static_cast<int>(magnitude >> 3), fraction = static_cast<int>(magnitude & 7);
    return exponent == 0 ? std::ldexp(static_cast<long double>(fraction), -9)
                         : std::ldexp(static_cast<long double>(8 + fraction), exponent - 10);
}

// The nearest of all values, of two equally near ones the even code; infinity is past the largest.
unsigned nearest(float value) {
    if (is_nan(value)) return 0x7fu;
    const unsigned sign = bits_of(value) >> 31 << 7;
    if (!is_finite(value)) return sign | 0x7eu;
    const long double magnitude = std::fabs(static_cast<long double>(value));
    unsigned best = 0;
    for (unsigned code = 1; code < 0x7f; ++code) {
        const long double here = std::fabs(meaning(code) - magnitude), there = std::fabs(meaning(best) - magnitude);
        if (here < there || (here == there && code % 2 == 0)) best = code;
    }
    return sign | best;
}

}  // namespace

TEST_CASE("every e4m3 code means what the format says and comes back") {
    for (unsigned code = 0; code < 256; ++code) {
        CAPTURE(code);
        const e4m3 element{static_cast<std::uint8_t>(code)};
        const float value = element.value();
        if ((code & 0x7fu) == 0x7fu) {
            CHECK(is_nan(value));
            CHECK((e4m3::from(value).bits & 0x7fu) == 0x7fu);
            continue;
        }
        CHECK(std::fabs(static_cast<long double>(value)) == meaning(code & 0x7fu));
        CHECK(bits_of(value) >> 31 == code >> 7);
        CHECK(e4m3::from(value).bits == code);
    }
    CHECK(e4m3{0x7e}.value() == 448.0f);
    CHECK(e4m3{0xb8}.value() == -1.0f);
    CHECK(e4m3{0x01}.value() == std::ldexp(1.0f, -9));
}

TEST_CASE("all bfloat16 values go to the nearest e4m3") {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = bf16{static_cast<std::uint16_t>(bits)}.value();
        wrong += e4m3::from(value).bits != nearest(value);
    }
    CHECK(wrong == 0);
}

TEST_CASE("and floats at, between and around e4m3 values do") {
    int wrong = 0, middles_up = 0;
    const auto look = [&wrong](float value) {
        for (const float signed_value : {value, -value})
            wrong += e4m3::from(signed_value).bits != nearest(signed_value);
    };
    for (unsigned code = 0; code < 0x7e; ++code) {
        const auto low = static_cast<float>(meaning(code)), high = static_cast<float>(meaning(code + 1));
        const float middle = (low + high) / 2.0f;
        middles_up += e4m3::from(middle).bits != code;
        for (int i = 0; i <= 64; ++i) look(low + (high - low) * static_cast<float>(i) / 64.0f);
        for (const float centre : {low, middle})
            for (const std::uint32_t step : {0u, 1u, 2u, 0xffffffffu, 0xfffffffeu})
                if (is_finite(from_bits(bits_of(centre) + step))) look(from_bits(bits_of(centre) + step));
    }
    CHECK(middles_up == 63);  // of 126 ties every second goes up
    std::mt19937 random(8);
    for (int i = 0; i < 100000; ++i) look(from_bits(static_cast<std::uint32_t>(random())));
    for (int i = 0; i < 100000; ++i)
        look(from_bits(0x3a000000u + static_cast<std::uint32_t>(random()) % 0x0b000000u));  // where the values lie
    CHECK(wrong == 0);
}

TEST_CASE("past 448 the sign and 448 remain, and what is too small leaves a zero of its sign") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float large : {448.0f, 448.5f, 463.99997f, 464.0f, 480.0f, 1e30f, infinity}) {
        CAPTURE(large);
        CHECK(e4m3::from(large).bits == 0x7e);
        CHECK(e4m3::from(-large).bits == 0xfe);
    }
    CHECK(e4m3::from(std::ldexp(1.0f, -10)).bits == 0x00);  // a tie, to even
    CHECK(e4m3::from(std::ldexp(1.0000001f, -10)).bits == 0x01);
    CHECK(e4m3::from(from_bits(0x80000001u)).bits == 0x80);
    CHECK(e4m3::from(-0.0f).bits == 0x80);
    for (const std::uint32_t nan : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
        CHECK(e4m3::from(from_bits(nan)).bits == 0x7f);
}

TEST_CASE("two values share a word, the first in its lower byte") {
    CHECK(detail::e4m3_pair_bits(1.0f, -448.0f) == 0xfe38);
    std::mt19937 random(9);
    int wrong = 0;
    for (int i = 0; i < 10000; ++i) {
        const float low = from_bits(static_cast<std::uint32_t>(random())),
                    high = from_bits(static_cast<std::uint32_t>(random()));
        const std::uint16_t pair = detail::e4m3_pair_bits(low, high);
        wrong += (pair & 0xffu) != e4m3::from(low).bits || pair >> 8 != e4m3::from(high).bits;
    }
    CHECK(wrong == 0);
}
