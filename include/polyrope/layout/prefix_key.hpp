#pragma once
// A key of a plan's first n tokens for prefix caches. It hashes what a token is, its coordinates and its kind, token by
// token, so two prompts that place their first n tokens alike share the key whatever segments they came in. Equal
// content always gives equal keys. Different content gives equal keys with probability about 2^-128 for a pair not made
// to collide; among 2^40 prefixes the chance of any collision is below 2^-48. It is no defence against an attacker.

#include "polyrope/core/scalar.hpp"
#include "polyrope/layout/detail/plan_data.hpp"

POLYROPE_BEGIN

struct prefix_key_t {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend constexpr bool operator==(prefix_key_t x, prefix_key_t y) noexcept {
        return x.high == y.high && x.low == y.low;
    }
    friend constexpr bool operator!=(prefix_key_t x, prefix_key_t y) noexcept { return !(x == y); }
    friend constexpr bool operator<(prefix_key_t x, prefix_key_t y) noexcept {
        return x.high != y.high ? x.high < y.high : x.low < y.low;
    }
};

/// Walks a plan once and gives the key of every length it is asked for, in ascending order; O(tokens) in all.
class prefix_keys {
public:
    template <class Plan>
    explicit prefix_keys(const Plan& plan) noexcept : plan_(&detail::plan_access::data(plan)) {}
    explicit prefix_keys(const detail::plan_data& plan) noexcept : plan_(&plan) {}

    /// The key of the first n tokens, n not below the last length asked for; past the prompt too.
    [[nodiscard]] prefix_key_t advance_to(index_t n) noexcept {
        while (n_ < n && !plan_->placements.empty()) {
            const placement& p = plan_->placement_of(n_);
            const index_t end = p.count < n - p.first_token ? p.first_token + p.count : n;
            for (; n_ < end; ++n_) {
                const coordinate c = coordinates_at(p, plan_->arena.data(), n_ - p.first_token);
                std::uint64_t words[max_axes + 2] = {};
                for (int a = 0; a < p.axes; ++a) {
                    const auto bits = detail::bit_copy<std::uint64_t>(c[a]);
                    words[a] = bits << 1 == 0 ? 0 : bits;  // both zeros are one coordinate
                }
                words[p.axes] = static_cast<std::uint64_t>(p.kind);
                for (int a = 0; a <= p.axes; a += 2) absorb(words[a], words[a + 1]);
            }
        }
        return finish();
    }

private:
    static constexpr std::uint64_t k0 = 0xd1b54a32d192ed03u, k1 = 0x8cb92ba72f3d8dd7u, k2 = 0xaef17502108ef2d9u;

    static constexpr std::uint64_t rotated(std::uint64_t x, int by) noexcept { return (x << by) | (x >> (64 - by)); }
    static constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
        x = (x ^ (x >> 32)) * k0;
        x = (x ^ (x >> 29)) * k1;
        return x ^ (x >> 32);
    }

    /// One round: for equal words no two states fall together, and from one state no two pairs of words do.
    void absorb(std::uint64_t first, std::uint64_t second) noexcept {
        x_ ^= first * k0;
        y_ ^= second * k2;
        x_ = rotated(x_, 29) * k1 + y_;
        y_ = (rotated(y_, 37) ^ x_) * k2;
        x_ += rotated(y_, 23);
    }
    [[nodiscard]] prefix_key_t finish() const noexcept {
        const std::uint64_t x = mixed(x_ + static_cast<std::uint64_t>(n_) * k2),
                            y = mixed(y_ ^ static_cast<std::uint64_t>(plan_->axes) * k0);
        return {mixed(x + rotated(y, 17)), mixed(y ^ x * k1)};
    }

    const detail::plan_data* plan_;
    index_t n_ = 0;
    std::uint64_t x_ = k2;
    std::uint64_t y_ = k1;
};

POLYROPE_END
