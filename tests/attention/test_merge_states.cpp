#include <cmath>
#include <limits>

#include "polyrope/attention/merge_states.hpp"
#include "support/catch.hpp"

using namespace polyrope;

TEST_CASE("two answers become one, and an answer over no keys does not count") {
    constexpr double none = -std::numeric_limits<double>::infinity();
    // Keys with scores 0 and log 3, values 1 and 5: the whole is (1 + 15) / 4.
    double out[2] = {1.0, 9.0}, lse[2] = {0.0, none};
    const double more[2] = {5.0, 7.0}, more_lse[2] = {std::log(3.0), 2.0};
    REQUIRE(merge_states<double>({compact_heads(out, 2, 1, 1), lse}, {compact_heads(more, 2, 1, 1), more_lse}).ok());
    CHECK(out[0] == Approx(4.0).epsilon(1e-15));
    CHECK(lse[0] == Approx(std::log(4.0)).epsilon(1e-15));
    CHECK(out[1] == 7.0);
    CHECK(lse[1] == 2.0);
    const double nothing[2] = {100.0, 100.0}, no_keys[2] = {none, none};
    REQUIRE(merge_states<double>({compact_heads(out, 2, 1, 1), lse}, {compact_heads(nothing, 2, 1, 1), no_keys}).ok());
    CHECK(out[1] == 7.0);

    const index_t rows[1] = {1};
    REQUIRE(
        merge_states<double>({compact_heads(out, 2, 1, 1), lse}, {compact_heads(more, 1, 1, 1), more_lse}, rows).ok());
    CHECK(out[1] == Approx((std::exp(2.0) * 7.0 + 3.0 * 5.0) / (std::exp(2.0) + 3.0)).epsilon(1e-14));
}

TEST_CASE("answers that do not fit are refused and nothing is written") {
    float out[4] = {1, 2, 3, 4}, lse[2] = {0, 0};
    const float more[6] = {}, more_lse[3] = {};
    const auto merge = [&](heads_view<const float> from, const float* from_lse, const index_t* rows = nullptr) {
        const status s = merge_states<float>({compact_heads(out, 2, 1, 2), lse}, {from, from_lse}, rows);
        CHECK(out[0] == 1.0f);
        CHECK(out[3] == 4.0f);
        return s;
    };
    CHECK(merge(compact_heads(more, 3, 1, 2), more_lse) == status{errc::extent_mismatch, operand::attention, 0, 2, 3});
    CHECK(merge(compact_heads(more, 1, 2, 2), more_lse) == status{errc::extent_mismatch, operand::attention, 1, 1, 2});
    CHECK(merge(compact_heads(more, 2, 1, 3), more_lse) == status{errc::extent_mismatch, operand::attention, 2, 2, 3});
    CHECK(merge(compact_heads(more, 2, 1, 2), nullptr).code == errc::null_data);
    const index_t beyond[2] = {0, 2};
    CHECK(merge(compact_heads(more, 2, 1, 2), more_lse, beyond) ==
          status{errc::position_out_of_range, operand::slots, 1, 2, 2});
}
