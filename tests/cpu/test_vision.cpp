// Vision encoders on the kernels: a class token stays where it is and as it is, and heads of 72 and 80 channels turn in
// every style without a copy and without a lane too many.

#include <type_traits>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "polyrope/preset/vision/gemma4.hpp"
#include "polyrope/preset/vision/hw_halves.hpp"
#include "polyrope/preset/vision/kimi_k25.hpp"
#include "polyrope/preset/vision/llama4.hpp"
#include "polyrope/preset/vision/minimax_m3.hpp"
#include "polyrope/preset/vision/muse_glimmer.hpp"
#include "polyrope/preset/vision/pixtral.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;
namespace vision = preset::vision;

namespace {

std::vector<vision::tower> towers_of(index_t head_dim) {
    return {vision::hw_halves{head_dim}.make().value(), vision::pixtral{head_dim}.make().value(),
            vision::llama4{head_dim}.make().value(),    vision::gemma4{head_dim}.make().value(),
            vision::kimi_k25{head_dim}.make().value(),  vision::muse_glimmer{head_dim}.make().value(),
            vision::minimax_m3{head_dim}.make().value()};
}

/// Positions [t, h, w] of one image of `side` x `side` patches.
std::vector<std::int32_t> positions_of(const patch_order& order, index_t side) {
    const patch_grid grid{1, side, side};
    const index_t tokens = *order.count(&grid, 1);
    std::vector<std::int32_t> at(static_cast<std::size_t>(3 * tokens));
    REQUIRE(order.fill(&grid, 1, axis_major(at.data(), 3, tokens)).ok());
    return at;
}

}  // namespace

TEST_CASE("fault 39: the class token of a tower was turned, or stood at the wrong end", "[fault]") {
    CHECK(positions_of({1, 0, {1, 0}}, 2) ==
          std::vector<std::int32_t>{0, 0, 0, 0, 0, /**/ 0, 0, 0, 1, 1, /**/ 0, 0, 1, 0, 1});
    CHECK(positions_of(vision::llama4{}.make()->order, 2) ==
          std::vector<std::int32_t>{0, 0, 0, 0, 0, /**/ 1, 1, 2, 2, 0, /**/ 1, 2, 1, 2, 0});
    for (const vision::tower& tower : towers_of(72)) {
        const rotary rope = make_rotary(tower.frequencies, {phase::exact, tower.round}).value();
        for (const class_tokens extra : {class_tokens{1, 0}, class_tokens{0, 1}}) {
            patch_order order = tower.order;
            order.first = 1;
            order.extra = extra;
            const auto at = positions_of(order, 2);
            std::vector<float> x(5 * 72, 0.5f);
            REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, 5), compact_heads(x.data(), 5, 1, 72)).ok());
            const std::size_t kept = extra.before == 1 ? 0 : 4;
            for (std::size_t n = 0; n < 5; ++n) {
                std::size_t moved = 0;
                for (std::size_t i = 0; i < 72; ++i) moved += x[72 * n + i] != 0.5f ? 1 : 0;
                if (n == kept) CHECK(moved == 0);
                else CHECK(moved > 36);
            }
        }
    }
}

TEMPLATE_TEST_CASE("fault 40: heads of 72 and 80 were padded or copied first, in any style of tower", "[fault]", float,
                   bf16) {
    random_bits random(80);
    for (const index_t dim : {index_t{72}, index_t{80}}) {
        for (const vision::tower& tower : towers_of(dim)) {
            const rotary rope = make_rotary(tower.frequencies, {phase::exact, tower.round}).value();
            patch_order order = tower.order;
            order.extra = {};
            constexpr index_t tokens = 16, heads = 2;
            const auto at = positions_of(order, 4);
            const index_t row = 3 * heads * dim + 5;  // q, k, v and five canaries
            const std::vector<TestType> before = random_buffer<TestType>(tokens * row, random, values::ordinary);
            const positions_table positions{3, tokens, std::vector<double>(at.begin(), at.end())};
            const auto q_of = [&](std::vector<TestType>& data) {
                return heads_view<TestType>{data.data(), tokens, heads, dim, row, dim};
            };
            const auto k_of = [&](std::vector<TestType>& data) {
                return heads_view<TestType>{data.data() + heads * dim, tokens, heads, dim, row, dim};
            };
            std::vector<TestType> want = before;
            turn_by_positions<TestType>(rope, positions, q_of(want).as_const(), q_of(want), 0, tokens);
            turn_by_positions<TestType>(rope, positions, k_of(want).as_const(), k_of(want), 0, tokens);
            for (const cpu::level use : levels_here()) {
                cpu::rotate_options options;
                options.use = use;
                std::vector<TestType> got = before;
                REQUIRE(cpu::rotate(rope, axis_major(at.data(), 3, tokens), q_of(got), k_of(got), options).ok());
                CHECK(first_difference(want, got) == -1);
            }
        }
    }
}
