#pragma once
// A prompt with queries, keys and values in double, turned into both banks.

#include <vector>

#include "cpu/random.hpp"
#include "layout/prompts.hpp"
#include "polyrope/attention/reference.hpp"
#include "polyrope/cpu/eigen.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/rotary/rotary.hpp"

namespace polyrope::test {

inline constexpr coordinate_selection selections[] = {selection::original, selection::without_tv_spatial,
                                                      selection::without_vv_spatial, selection::without_both_spatial};

struct heads {
    std::vector<double> data;
    index_t count = 0, channels = 0;
    [[nodiscard]] heads_view<const double> view() const {
        const index_t row = count * channels;
        return compact_heads(data.data(), row == 0 ? 0 : static_cast<index_t>(data.size()) / row, count, channels);
    }
    /// Rows of the listed tokens.
    [[nodiscard]] heads rows(const std::vector<index_t>& tokens) const {
        heads out{{}, count, channels};
        const index_t row = count * channels;
        for (const index_t n : tokens)
            out.data.insert(out.data.end(), data.begin() + n * row, data.begin() + (n + 1) * row);
        return out;
    }
};

inline heads random_heads(random_bits& random, index_t tokens, index_t count, index_t channels) {
    heads out{std::vector<double>(static_cast<std::size_t>(tokens * count * channels)), count, channels};
    for (double& x : out.data) x = static_cast<double>(random.between(-1000, 1000)) / 500.0;
    return out;
}

inline rotary small_rotary(index_t head_dim) {
    const index_t pairs = head_dim / 2;
    return make_rotary(make_frequency_table(allocation::interleaved{thw{pairs - 2 * (pairs / 3), pairs / 3, pairs / 3}},
                                            spectrum::geometric{1e4}, head_dim, pairing::half_split)
                           .value())
        .value();
}

/// Tokens [begin, end) of a plan turned to either position.
inline heads turned(const rotary& rope, const position_plan& plan, token_range tokens, position_source which,
                    heads in) {
    std::vector<double> at(static_cast<std::size_t>(plan.axes() * tokens.size()));
    const auto positions = axis_major(at.data(), plan.axes(), tokens.size());
    fill_options options;
    options.source = which;
    REQUIRE(plan.fill(tokens.begin, tokens.end, positions, options).ok());
    REQUIRE(
        cpu::eigen::rotate(rope, positions, compact_heads(in.data.data(), tokens.size(), in.count, in.channels)).ok());
    return in;
}

inline std::vector<index_t> order_of(const position_plan& plan, token_range range, token_order order) {
    std::vector<index_t> out(static_cast<std::size_t>(order_size(plan, range, order)));
    REQUIRE(order_indices(plan, range, order, out.data(), static_cast<index_t>(out.size())).ok());
    return out;
}

/// Both banks of a region's queries and keys.
struct banks {
    heads q, k, v, visual_q, visual_k;
    [[nodiscard]] attention_operands<double> operands() const {
        return {q.view(), k.view(), v.view(), visual_q.view(), visual_k.view()};
    }
};

inline banks make_banks(const rotary& rope, const position_plan& plan, coordinate_selection which,
                        const attention_region& region, const heads& q, const heads& k, const heads& v) {
    banks out{turned(rope, plan, region.queries, which.tv, q), turned(rope, plan, region.keys, which.tv, k), v, {}, {}};
    if (!which.is_mixed()) return out;
    out.visual_q =
        turned(rope, plan, region.queries, which.vv, q).rows(order_of(plan, region.queries, token_order::visual));
    out.visual_k = turned(rope, plan, region.keys, which.vv, k).rows(order_of(plan, region.keys, token_order::visual));
    return out;
}

}  // namespace polyrope::test
