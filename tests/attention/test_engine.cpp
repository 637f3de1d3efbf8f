// Rotation into banks and streaming attention together, as an engine runs them, against the definition: everything in
// double, from what was handed in. Every layout and allocation, audio, packed requests, strided operands.

#include "attention/engine.hpp"
#include "attention/layouts.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

double largest_of(const heads& x) {
    double most = 0.0;
    for (const double value : x.data) most = std::max(most, std::abs(value));
    return most;
}

/// Largest difference from the definition.
double off_definition(const streamed& found, const attention::reference<double>& truth) {
    double worst = 0.0;
    std::vector<double> right(static_cast<std::size_t>(found.channels));
    for (index_t n = 0; n < found.queries; ++n)
        for (index_t m = 0; m < found.heads; ++m) {
            static_cast<void>(truth.attend(n, m, right.data()));
            for (index_t c = 0; c < found.channels; ++c) {
                const double off =
                    std::abs(static_cast<double>(found.row(n, m)[c]) - right[static_cast<std::size_t>(c)]);
                worst = off <= worst ? worst : off;  // keeps a NaN
            }
        }
    return worst;
}

}  // namespace

TEST_CASE("banks and streaming attention are the definition's under every layout and allocation") {
    random_bits random(97);
    for (const one_layout& one : all_layouts()) {
        INFO(one.variant.name);
        const position_plan plan = one.variant.plan(one.prompt).value();
        const rotary rope = make_rotary(one.variant.table).value();
        const token_range all = tokens_from(0, plan.size());
        const heads q = random_heads(random, plan.size(), 16, 128), k = random_heads(random, plan.size(), 8, 128),
                    v = random_heads(random, plan.size(), 8, 12);
        for (const coordinate_selection which : selections) {
            if (which != selection::original && !plan.has_neutral()) continue;
            const auto in = engine_tensors_of<float>(rope, plan, 0, which, q, k, v);
            const auto chunked = engine_tensors_of<float>(rope, plan, 0, which, q, k, v, random.between(1, 40));
            CHECK((same_bits(in.q, chunked.q) && same_bits(in.visual_q, chunked.visual_q)));
            CHECK((same_bits(in.k, chunked.k) && same_bits(in.visual_k, chunked.visual_k)));
            const banks right = make_banks(rope, plan, which, {all, all}, in.wide_q, in.wide_k, in.wide_v);
            for (const visibility sees : {visibility::causal, visibility::whole_image}) {
                attention_options options;
                options.sees = sees;
                const auto truth =
                    *attention::reference<double>::make(plan, which, {all, all}, right.operands(), options);
                // Rows of 128 channels, turned in float32, move a score by 1e-6 or so, and an output by as much of the
                // largest value.
                CHECK(off_definition(stream(plan, which, {all, all}, in.operands(), options), truth) <=
                      5e-6 * largest_of(v));
            }
        }
    }
}

TEST_CASE("a wrong bank, axis or head group would be seen") {
    // What the bound of the case above is worth: the selections, and two allocations, lie far further apart.
    random_bits random(101);
    const auto all_of_them = all_layouts();
    for (const one_layout& one : all_of_them) {
        if (one.variant.name != "MHRoPE" && one.variant.name != "Circle-RoPE, radius 10") continue;
        const position_plan plan = one.variant.plan(one.prompt).value();
        const rotary rope = make_rotary(one.variant.table).value(),
                     other = make_rotary(make_frequency_table(allocation::interleaved{thw{24, 20, 20}},
                                                              spectrum::geometric{variants::theta}, 128,
                                                              pairing::half_split)
                                             .value())
                                 .value();
        const token_range all = tokens_from(0, plan.size());
        const heads q = random_heads(random, plan.size(), 16, 128), k = random_heads(random, plan.size(), 8, 128),
                    v = random_heads(random, plan.size(), 8, 12);
        for (const coordinate_selection which : selections) {
            const auto in = engine_tensors_of<float>(rope, plan, 0, which, q, k, v);
            const streamed found = stream(plan, which, {all, all}, in.operands());
            const auto away = [&](const rotary& turned_by, coordinate_selection by) {
                const banks wrong = make_banks(turned_by, plan, by, {all, all}, q, k, v);
                return off_definition(found,
                                      *attention::reference<double>::make(plan, by, {all, all}, wrong.operands()));
            };
            // On the diagonal every axis reads the same number, so no allocation differs from another there.
            const double elsewhere = away(other, which);
            CHECK((which == selection::without_both_spatial ? elsewhere <= 1e-5 : elsewhere > 0.1));
            for (const coordinate_selection by : selections)
                if (by != which) CHECK(away(rope, by) > 0.1);
        }
    }
}

TEMPLATE_TEST_CASE("audio is attended as text", "", float, bf16) {
    random_bits random(103);
    const std::vector<segment> heard = {text(4), audio(9), image(token_grid{1, 4, 5}), audio(6), text(3)},
                               read = {text(4), text(9), image(token_grid{1, 4, 5}), text(6), text(3)};
    const layout::tmrope layout{1, floored_time_float32(25)};
    const position_plan plans[2] = {plan_of(layout, heard), plan_of(layout, read)};
    const token_range all = tokens_from(0, plans[0].size());
    const heads q = random_heads(random, 42, 4, 24), k = random_heads(random, 42, 2, 24),
                v = random_heads(random, 42, 2, 8);
    for (const coordinate_selection which : selections) {
        const auto of = [&](const position_plan& plan) {
            const auto in = engine_tensors_of<TestType>(small_rotary(24), plan, 0, which, q, k, v);
            return stream(plan, which, {all, all}, in.operands());
        };
        CHECK(of(plans[0]) == of(plans[1]));
    }
}

TEMPLATE_TEST_CASE("packed requests in one strided buffer get the bits that each gets alone", "", float, bf16, f16) {
    random_bits random(107);
    const rotary rope = small_rotary(24);
    for (int round = 0; round < 8; ++round) {
        const coordinate_selection which = selections[round % 4];
        attention_options options;
        options.sees = random.chance(50) ? visibility::whole_image : visibility::causal;
        std::vector<position_plan> plans;
        for (index_t i = random.between(2, 4); i > 0; --i)
            plans.push_back(interleaved_plan(random, random.between(20, 150), round));
        plans.push_back(plan_of(layout::mrope{1}, {text(random.between(1, 9))}));
        index_t tokens = 0, visual = 0;
        for (const position_plan& plan : plans) {
            tokens += plan.size();
            visual += which.is_mixed() ? visual_tokens(plan, tokens_from(0, plan.size())) : 0;
        }

        // A row is four query heads, two key heads, two value heads, all of 24 channels.
        constexpr index_t width = 8 * 24;
        heads wide = random_heads(random, tokens, 8, 24);
        const std::vector<TestType> raw = rounded<TestType>(wide);
        std::vector<TestType> packed = raw, second_q(static_cast<std::size_t>(visual * 4 * 24)),
                              second_k(static_cast<std::size_t>(visual * 2 * 24));
        std::vector<float> out(static_cast<std::size_t>(tokens * 6 * 24), -77.0f);
        index_t first = 0, first_visual = 0;
        for (const position_plan& plan : plans) {
            const index_t size = plan.size(), more = which.is_mixed() ? visual_tokens(plan, tokens_from(0, size)) : 0;
            const token_range all = tokens_from(0, size);
            const auto part = [&](index_t head, index_t count) {
                return heads_view<TestType>{packed.data() + first * width + head * 24, size, count, 24, width, 24};
            };
            const auto visual_q = compact_heads(second_q.data(), visual, 4, 24).sub(first_visual, first_visual + more),
                       visual_k = compact_heads(second_k.data(), visual, 2, 24).sub(first_visual, first_visual + more);
            REQUIRE(
                cpu::rotate_banks(rope, plan, token_index{0}, which, part(0, 4), part(4, 2), visual_q, visual_k).ok());
            attention::streaming_options how;
            how.attend = options;
            const attention_operands<TestType> in{part(0, 4).as_const(), part(4, 2).as_const(), part(6, 2).as_const(),
                                                  visual_q.as_const(), visual_k.as_const()};
            // Outputs are four heads of every six.
            const attention_output to{{out.data() + first * 6 * 24, size, 4, 24, 6 * 24, 24}, nullptr};
            REQUIRE(attention::streaming(plan, which, {all, all}, in, to, how).ok());

            const auto alone = [&](index_t head, index_t count) {
                heads some{{}, count, 24};
                for (index_t n = first; n < first + size; ++n)
                    some.data.insert(some.data.end(), wide.data.begin() + n * width + head * 24,
                                     wide.data.begin() + n * width + (head + count) * 24);
                return some;
            };
            const auto single =
                engine_tensors_of<TestType>(rope, plan, 0, which, alone(0, 4), alone(4, 2), alone(6, 2));
            const streamed right = stream(plan, which, {all, all}, single.operands(), options);
            bool same = true, kept = true;
            for (index_t n = 0; n < size; ++n) {
                same = same && std::memcmp(to.out.at(n, 0), right.row(n, 0), 4 * 24 * sizeof(float)) == 0;
                for (index_t c = 4 * 24; c < 6 * 24; ++c) kept = kept && to.out.at(n, 0)[c] == -77.0f;
            }
            CHECK(same);
            CHECK(kept);
            first += size;
            first_visual += more;
        }
    }
}
