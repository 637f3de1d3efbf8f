#include "polyrope/core/result.hpp"
#include "support/catch.hpp"

#include <memory>
#include <type_traits>

using namespace polyrope;

namespace {
static_assert(std::is_trivially_copyable_v<status> && sizeof(status) <= 32,
              "a status travels in registers and to a device");
constexpr status failed{errc::side_not_divisible, operand::image, 2, 4, 6};
static_assert(!failed.ok() && status{}.ok() && failed != status{}, "a status is constexpr");
}  // namespace

TEST_CASE("a result holds a value or the reason why there is none") {
    const result<int> good = 7;
    CHECK(good.ok());
    CHECK(static_cast<bool>(good));
    CHECK(*good == 7);
    CHECK(good.error() == status{});

    const result<int> bad = failed;
    CHECK_FALSE(bad.ok());
    CHECK_FALSE(static_cast<bool>(bad));
    CHECK(bad.error() == failed);
}

TEST_CASE("a result gives up a value that can only be moved") {
    result<std::unique_ptr<int>> made = std::make_unique<int>(5);
    CHECK(**made == 5);
    const std::unique_ptr<int> taken = std::move(made).value();
    CHECK(*taken == 5);
}

TEST_CASE("statuses are equal when every field is") {
    CHECK(failed == status{errc::side_not_divisible, operand::image, 2, 4, 6});
    CHECK(failed != status{errc::side_not_positive, operand::image, 2, 4, 6});
    CHECK(failed != status{errc::side_not_divisible, operand::video, 2, 4, 6});
    CHECK(failed != status{errc::side_not_divisible, operand::image, 1, 4, 6});
    CHECK(failed != status{errc::side_not_divisible, operand::image, 2, 5, 6});
    CHECK(failed != status{errc::side_not_divisible, operand::image, 2, 4, 5});
}
