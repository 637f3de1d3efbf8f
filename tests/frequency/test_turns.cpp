#include "polyrope/frequency/turns.hpp"
#include "support/catch.hpp"
#include "turns_bits.hpp"

#include <cmath>
#include <random>

using namespace polyrope;

namespace {
std::uint32_t bits(float value) { return detail::bit_copy<std::uint32_t>(value); }
}  // namespace

TEST_CASE("turns are the correctly rounded pair, by numbers worked out with 1400 bits") {
    struct known {
        double frequency;
        std::uint32_t turns_hi, turns_lo, wrapped_hi, wrapped_lo;
    };
    const known all[] = {
        {1.0, 0x3e22f983u, 0x31dc9c88u, 0x3ec1b727u, 0x31882a54u},
        {0.1, 0x3c826136u, 0xaee27c98u, 0x3d1af8ecu, 0x2fd9e579u},
        {0.0001, 0x37858244u, 0xab71fb78u, 0x3d304871u, 0xaffdbbeeu},
        {0.7858299804196346, 0x3e001204u, 0x30e3e589u, 0xbefdf1c2u, 0x32311b44u},
        {1.1920928955078125e-07, 0x32a2f983u, 0x265c9c88u, 0x3aa2f983u, 0x2e5c9c88u},
        {6.283185307179586, 0x3f800000u, 0xa433c57du, 0xac33c57du, 0x9fe35cddu},  // just below one turn
        {1000000.0, 0x481b6cbcu, 0x3bb73c38u, 0x3ef0df2eu, 0xb080e185u},
        {-3.5, 0xbf0e9a53u, 0xaf047b93u, 0xbea60109u, 0x308daf68u},
        {1e+30, 0x70009079u, 0xe3ef72f2u, 0xbeaa116au, 0x30f159c9u},
        {3.0000000000000004e-07, 0x334d11d0u, 0x262e2267u, 0x3b4d11d0u, 0x2e2e2267u},
        {0.00019634954084936208, 0x3803126fu, 0xabd0e560u, 0x3d449ba6u, 0xafe56040u},
        {5e-324, 0u, 0u, 0u, 0u},
        {0.0, 0u, 0u, 0u, 0u},
    };
    for (const known& one : all) {
        CAPTURE(one.frequency);
        const float_pair turns = turns_of(one.frequency), wrapped = wrapped_turns_of(one.frequency);
        CHECK(bits(turns.hi) == one.turns_hi);
        CHECK(bits(turns.lo) == one.turns_lo);
        CHECK(bits(wrapped.hi) == one.wrapped_hi);
        CHECK(bits(wrapped.lo) == one.wrapped_lo);
    }
}

TEST_CASE("a negative frequency turns the other way by the same numbers") {
    for (const double frequency : {1.0, 0.3, 1e-5, 77.0}) {
        const float_pair forth = turns_of(frequency), back = turns_of(-frequency);
        const float_pair wrapped_forth = wrapped_turns_of(frequency), wrapped_back = wrapped_turns_of(-frequency);
        CHECK(forth.hi == -back.hi);
        CHECK(forth.lo == -back.lo);
        CHECK(wrapped_forth.hi == -wrapped_back.hi);
        CHECK(wrapped_forth.lo == -wrapped_back.lo);
    }
}

TEST_CASE("turns carry 48 bits and wrapped turns are the nearest") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-40.0, 10.0);
    const long double two_pi = 6.283185307179586476925286766559005768L;
    for (int i = 0; i < 20000; ++i) {
        const double frequency = std::exp2(exponent(random));
        const long double turns = frequency / two_pi;
        const float_pair pair = turns_of(frequency);
        const long double error = turns - pair.hi - pair.lo;
        // long double itself is right to 2^-63 of the number.
        if (std::fabs(error) > turns * 0x1p-48L)
            FAIL("turns of " << frequency << " are off by " << static_cast<double>(error));

        const long double scaled = 65536.0L * turns, rest = scaled - std::nearbyint(scaled);
        const float_pair wrapped = wrapped_turns_of(frequency);
        if (std::fabs(wrapped.hi) > 0.5f)
            FAIL("wrapped turns of " << frequency << " are not the nearest: " << wrapped.hi);
        long double apart = rest - wrapped.hi - wrapped.lo;
        apart -= std::nearbyint(apart);  // a rest next to one half may fall on either side in long double
        if (std::fabs(apart) > 0x1p-48L + scaled * 0x1p-61L)
            FAIL("wrapped turns of " << frequency << " are off by " << static_cast<double>(apart));
    }
    SUCCEED();
}

TEST_CASE("-ffast-math changes no bit of a table") {
    const auto plain = turns_bits_plain(), fast = turns_bits_fast_math();
    REQUIRE(plain.size() == 9u * 65 * 2 + 6u * 128 * 5 + 20000u * 4);
    REQUIRE(fast.size() == plain.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) different += plain[i] != fast[i] ? 1 : 0;
    CHECK(different == 0);
}

TEST_CASE("a double is known to be finite, and to fit float32, by its bits") {
    const double largest = 3.4028234663852886e38, half_past = 3.4028235677973366e38;
    CHECK(detail::is_finite(1.7976931348623157e308));
    CHECK_FALSE(detail::is_finite(detail::bit_copy<double>(std::uint64_t{0x7ff0000000000000u})));
    CHECK_FALSE(detail::is_finite(detail::bit_copy<double>(std::uint64_t{0xfff8000000000000u})));
    CHECK(detail::fits_float32(-largest));
    CHECK(detail::fits_float32(std::nextafter(half_past, 0.0)));
    CHECK_FALSE(detail::fits_float32(half_past));
    CHECK_FALSE(detail::fits_float32(-1e300));
}
