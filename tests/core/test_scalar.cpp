#include "polyrope/core/scalar.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>

using namespace polyrope;

namespace {

struct half_of_an_engine {
    std::uint16_t raw;
};

float from_bits(std::uint32_t bits) { return detail::bit_copy<float>(bits); }
std::uint32_t bits_of(float value) { return detail::bit_copy<std::uint32_t>(value); }

// value rounded to `digits` significant binary digits, ties to even, with the spacing of the smallest normal number
// below it.
double rounded(double value, int digits, int least_exponent) {
    if (value == 0.0) return value;
    const int exponent = std::max(std::ilogb(value), least_exponent);
    return std::ldexp(std::nearbyint(std::ldexp(value, digits - 1 - exponent)), exponent - digits + 1);
}

template <class T>
double reference(float value) {
    const bool brain = std::is_same_v<T, bf16>;
    const double nearest = rounded(static_cast<double>(value), brain ? 8 : 11, brain ? -126 : -14);
    const double largest = brain ? 0x1.fep127 : 65504.0;
    return std::fabs(nearest) > largest ? std::copysign(std::numeric_limits<double>::infinity(), nearest) : nearest;
}

template <class T>
bool rounds_right(float value) {
    const double found = static_cast<double>(T::from(value).value()), right = reference<T>(value);
    return found == right && std::signbit(found) == std::signbit(right);
}

}  // namespace

template <>
struct polyrope::element_traits<half_of_an_engine> : polyrope::element_is<polyrope::element::float16> {};

static_assert(is_element_v<float> && is_element_v<bf16> && is_element_v<f16>, "three element types are known");
static_assert(is_element_v<half_of_an_engine> && !is_element_v<double> && !is_element_v<int>,
              "an engine joins with one line");
static_assert(element_traits<half_of_an_engine>::kind == element::float16, "and says how its bits are read");
static_assert(sizeof(bf16) == 2 && sizeof(f16) == 2 && std::is_trivially_copyable_v<bf16> &&
                  std::is_trivially_copyable_v<f16>,
              "elements lie in memory as they do in engines");

TEMPLATE_TEST_CASE("all 65536 values come back from float32 unchanged", "", bf16, f16) {
    int changed = 0, not_nan = 0, nans = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const TestType element{static_cast<std::uint16_t>(bits)};
        const float value = element.value();
        const TestType back = TestType::from(value);
        if (bits_of(value) << 1 > 0xff000000u) {  // NaN, by its bits
            ++nans;
            const std::uint32_t quiet = std::is_same_v<TestType, bf16> ? 0x40u : 0x200u;
            not_nan += back.bits != (bits | quiet);  // quiet, with the rest of its payload
        } else {
            changed += back.bits != element.bits;
        }
    }
    CHECK(changed == 0);
    CHECK(not_nan == 0);
    CHECK(nans == (std::is_same_v<TestType, bf16> ? 2 * 127 : 2 * 1023));
}

TEST_CASE("values of known bits") {
    CHECK(bf16{0x3f80}.value() == 1.0f);
    CHECK(bf16{0xc049}.value() == -3.140625f);
    CHECK(bf16{0x0001}.value() == std::ldexp(1.0f, -133));
    CHECK(f16{0x3c00}.value() == 1.0f);
    CHECK(f16{0xc248}.value() == -3.140625f);
    CHECK(f16{0x7bff}.value() == 65504.0f);
    CHECK(f16{0x0400}.value() == std::ldexp(1.0f, -14));
    CHECK(f16{0x0001}.value() == std::ldexp(1.0f, -24));
    CHECK(f16{0x03ff}.value() == std::ldexp(1023.0f, -24));
    CHECK(f16{0xfc00}.value() == -std::numeric_limits<float>::infinity());
    CHECK(bits_of(f16{0x8000}.value()) == 0x80000000u);
    CHECK(bits_of(bf16{0x8000}.value()) == 0x80000000u);
}

TEMPLATE_TEST_CASE("conversion rounds to nearest, ties to even", "", bf16, f16) {
    // Every value, the middle to its upper neighbour and the float32 numbers on both sides of each.
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 65535; ++bits) {
        const float low = TestType{static_cast<std::uint16_t>(bits)}.value(),
                    high = TestType{static_cast<std::uint16_t>(bits + 1)}.value();
        if ((bits_of(low) & 0x7f800000u) == 0x7f800000u || (bits_of(high) & 0x7f800000u) == 0x7f800000u) continue;
        const float middle = static_cast<float>((static_cast<double>(low) + static_cast<double>(high)) / 2.0);
        for (const float centre : {low, middle}) {
            for (const std::uint32_t step : {0u, 1u, 0xffffffffu}) {
                const float near = from_bits(bits_of(centre) + step);
                wrong += (bits_of(near) & 0x7f800000u) != 0x7f800000u && !rounds_right<TestType>(near);
            }
        }
    }
    std::mt19937 random(3);
    for (int i = 0; i < 1000000; ++i) {
        const float value = from_bits(static_cast<std::uint32_t>(random()));
        wrong += (bits_of(value) & 0x7f800000u) != 0x7f800000u && !rounds_right<TestType>(value);
    }
    CHECK(wrong == 0);
}

TEST_CASE("overflow goes to infinity where rounding to nearest does") {
    CHECK(f16::from(65519.996f).bits == 0x7bff);
    CHECK(f16::from(65520.0f).bits == 0x7c00);
    CHECK(f16::from(-1e30f).bits == 0xfc00);
    CHECK(bf16::from(from_bits(0x7f7f7fffu)).bits == 0x7f7f);
    CHECK(bf16::from(from_bits(0x7f7f8000u)).bits == 0x7f80);
    CHECK(bf16::from(-std::numeric_limits<float>::max()).bits == 0xff80);
    CHECK(bf16::from(std::numeric_limits<float>::infinity()).bits == 0x7f80);
    CHECK(f16::from(std::numeric_limits<float>::infinity()).bits == 0x7c00);
}

TEST_CASE("what is too small goes to a zero of its sign") {
    CHECK(f16::from(std::ldexp(1.0f, -25)).bits == 0x0000);  // a tie, to even
    CHECK(f16::from(std::ldexp(1.0000001f, -25)).bits == 0x0001);
    CHECK(f16::from(-std::ldexp(1.0f, -26)).bits == 0x8000);
    CHECK(f16::from(from_bits(0x80000001u)).bits == 0x8000);
    CHECK(bf16::from(from_bits(0x00008000u)).bits == 0x0000);
    CHECK(bf16::from(from_bits(0x00008001u)).bits == 0x0001);
    CHECK(bf16::from(from_bits(0x80000001u)).bits == 0x8000);
}

TEST_CASE("NaN stays NaN, whatever the float32 bits below are") {
    for (const std::uint32_t bits : {0x7f800001u, 0x7f80ffffu, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
        CAPTURE(bits);
        const std::uint32_t sign = bits >> 31;
        CHECK(bf16::from(from_bits(bits)).bits >> 15 == sign);
        CHECK((bf16::from(from_bits(bits)).bits & 0x7fc0u) == 0x7fc0u);
        CHECK(f16::from(from_bits(bits)).bits >> 15 == sign);
        CHECK((f16::from(from_bits(bits)).bits & 0x7e00u) == 0x7e00u);
    }
    CHECK((bits_of(f16{0x7c01}.value()) & 0x7fc00000u) == 0x7fc00000u);  // a signalling half becomes quiet
}
