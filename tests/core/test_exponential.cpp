// Exponential, logarithm and hyperbolic tangent of float32 against the mathematical library in double, over their
// ranges in steps of a few units, and at their ends.

#include "polyrope/core/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::detail;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t sign = 0x80000000u;

std::uint32_t bits(float x) { return bit_copy<std::uint32_t>(x); }

/// Largest error of the result, relative to it, over |x| in [least, most] of either sign or of one.
template <class Ours, class Right>
double largest_error(Ours ours, Right right, float least, float most, bool negative_too) {
    double largest = 0.0;
    for (std::uint32_t at = bits(least); at <= bits(most); at += 1009) {
        for (const std::uint32_t side : {0u, sign}) {
            if (side != 0 && !negative_too) continue;
            const float x = bit_copy<float>(at | side);
            const double wanted = right(static_cast<double>(x)), found = static_cast<double>(ours(x));
            if (found != wanted) largest = std::max(largest, std::fabs(found / wanted - 1.0));
        }
    }
    return largest;
}

}  // namespace

TEST_CASE("powers of two and of e are right to 1e-7 of the result") {
    const auto exp2 = [](float x) { return scalar::exp2(x); };
    const auto exp = [](float x) { return scalar::exp(x); };
    CHECK(largest_error(
              exp2, [](double x) { return std::exp2(x); }, 1e-30f, 125.99999f, true) < 1e-7);
    CHECK(largest_error(
              exp, [](double x) { return std::exp(x); }, 1e-30f, 87.336f, true) < 1.1e-7);
    CHECK(largest_error(
              exp, [](double x) { return std::exp(x); }, 87.336f, 88.722832f, false) < 1.1e-7);

    CHECK(scalar::exp2(-126.0f) == 0x1p-126f);
    CHECK(scalar::exp2(std::nextafter(-126.0f, -infinity)) == 0.0f);
    CHECK(scalar::exp2(std::nextafter(128.0f, 0.0f)) > 3.4e38f);
    CHECK(std::isfinite(scalar::exp2(std::nextafter(128.0f, 0.0f))));
    CHECK(scalar::exp2(128.0f) == infinity);
    CHECK(scalar::exp(-87.33654f) >= 0x1p-126f);
    CHECK(scalar::exp(std::nextafter(-87.33654f, -infinity)) == 0.0f);
    CHECK(std::isfinite(scalar::exp(88.722832f)));
    CHECK(scalar::exp(std::nextafter(88.722832f, infinity)) == infinity);
    for (const float zero : {0.0f, -0.0f}) {
        CHECK(scalar::exp2(zero) == 1.0f);
        CHECK(scalar::exp(zero) == 1.0f);
    }
    for (int n = -126; n < 128; ++n) CHECK(scalar::exp2(static_cast<float>(n)) == std::ldexp(1.0f, n));
    CHECK(scalar::exp(infinity) == infinity);
    CHECK(scalar::exp(-infinity) == 0.0f);
    CHECK(scalar::exp2(-infinity) == 0.0f);
    CHECK(std::isnan(scalar::exp(no_number)));
    CHECK(std::isnan(scalar::exp2(no_number)));
}

TEST_CASE("logarithms are right to 1.2e-7 of the result, next to 1 too") {
    const auto log = [](float x) { return scalar::log(x); };
    const auto right = [](double x) { return std::log(x); };
    CHECK(largest_error(log, right, 0x1p-126f, std::numeric_limits<float>::max(), false) < 1.2e-7);
    double largest = 0.0;
    for (int step = -100000; step <= 100000; ++step) {
        const float x = bit_copy<float>(static_cast<std::uint32_t>(0x3f800000 + step));
        if (x != 1.0f) largest = std::max(largest, std::fabs(static_cast<double>(log(x)) / right(x) - 1.0));
    }
    CHECK(largest < 1.2e-7);
    CHECK(bits(scalar::log(1.0f)) == 0);
    CHECK(scalar::log(infinity) == infinity);
    for (const float nothing : {0.0f, -0.0f, 0x1p-127f, -0x1p-149f}) CHECK(scalar::log(nothing) == -infinity);
    for (const float negative : {-1.0f, -infinity, -0x1p-126f}) CHECK(std::isnan(scalar::log(negative)));
    CHECK(std::isnan(scalar::log(no_number)));
}

TEST_CASE("hyperbolic tangents are right to 2.5e-7 of the result, however small it is") {
    const auto tanh = [](float x) { return scalar::tanh(x); };
    CHECK(largest_error(
              tanh, [](double x) { return std::tanh(x); }, 0x1p-126f, 100.0f, true) < 2.5e-7);
    for (const float tiny : {0x1p-127f, 0x1p-149f, -0x1p-140f}) CHECK(std::fabs(tanh(tiny) - tiny) <= 0x1p-149f);
    for (const float zero : {0.0f, -0.0f}) CHECK(bits(tanh(zero)) == bits(zero));
    for (const float far : {10.0f, 1e30f, infinity}) {
        CHECK(tanh(far) == 1.0f);
        CHECK(tanh(-far) == -1.0f);
    }
    CHECK(std::isnan(tanh(no_number)));
}

TEST_CASE("reciprocals are right to 8e-8 without a division") {
    const auto ours = [](float x) { return scalar::reciprocal(x); };
    CHECK(largest_error(
              ours, [](double x) { return 1.0 / x; }, 0x1p-120f, 0x1p120f, false) < 8e-8);
}
