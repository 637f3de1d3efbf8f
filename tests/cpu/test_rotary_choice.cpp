// A rotary per token: the bits of one call per rotary, and what is refused before anything is written.

#include <cstring>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "polyrope/cpu/rotary_choice.hpp"
#include "polyrope/frequency/dynamic_ntk.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
std::vector<T> random_values(random_bits& random, std::size_t count) {
    std::vector<T> all(count);
    for (T& value : all) put_random(value, random, values::ordinary);
    return all;
}

/// Three tables of one model: as trained, and grown for 6000 and 20000 tokens.
std::vector<rotary> grown_tables(pairing paired = pairing::half_split) {
    std::vector<rotary> all;
    for (const index_t tokens : {4096, 6000, 20000}) {
        const auto table = make_frequency_table(allocation::interleaved{thw{12, 10, 10}},
                                                spectrum::dynamic_ntk{1e6, 2.0, 4096}.at_length(tokens), 64, paired);
        all.push_back(make_rotary(table.value()).value());
    }
    return all;
}

std::string sentence_of(const status& s) { return to_string(s).c_str(); }

}  // namespace

TEMPLATE_TEST_CASE("a rotary per token gives the bits of one call per rotary", "", float, bf16) {
    random_bits random(5);
    const auto ropes = grown_tables();
    constexpr index_t tokens = 150, width = 80;
    std::vector<index_t> which;
    while (which.size() < tokens)
        which.insert(which.end(), static_cast<std::size_t>(random.between(1, 40)),
                     static_cast<index_t>(random.between(0, 2)));
    which.resize(tokens);
    for (std::size_t n = 100; n < which.size(); ++n) which[n] = static_cast<index_t>(n % 3);  // decoded tokens
    std::vector<std::int32_t> positions;
    for (index_t i = 0; i < 3 * tokens; ++i) positions.push_back(static_cast<std::int32_t>(random.between(0, 20000)));
    const auto at = axis_major(positions.data(), 3, tokens);
    const cpu::rotary_choice choice{ropes.data(), 3, which.data(), tokens};

    const auto q = random_values<TestType>(random, tokens * 4 * width),
               k = random_values<TestType>(random, tokens * width);
    auto q_right = q, k_right = k;
    for (index_t n = 0; n < tokens; ++n) {
        cpu::rotate_options one;
        one.tokens = {token_index{n}, token_index{n + 1}};
        REQUIRE(cpu::rotate(ropes[static_cast<std::size_t>(which[static_cast<std::size_t>(n)])], at,
                            compact_heads(q_right.data(), tokens, 4, width),
                            compact_heads(k_right.data(), tokens, 1, width), one)
                    .ok());
    }
    CHECK_FALSE(same_bytes(q, q_right));
    for (const int workers : {1, 3, 7}) {
        auto q_got = q, k_got = k;
        for (int worker = 0; worker < workers; ++worker) {
            cpu::rotate_options options;
            options.part = {worker, workers};
            REQUIRE(cpu::rotate(choice, at, compact_heads(q_got.data(), tokens, 4, width),
                                compact_heads(k_got.data(), tokens, 1, width), options)
                        .ok());
        }
        CHECK(same_bytes(q_got, q_right));
        CHECK(same_bytes(k_got, k_right));
    }
    std::vector<TestType> q_out(q.size()), k_out(k.size());
    REQUIRE(cpu::rotate_to(choice, at, compact_heads(q.data(), tokens, 4, width),
                           compact_heads(k.data(), tokens, 1, width), compact_heads(q_out.data(), tokens, 4, width),
                           compact_heads(k_out.data(), tokens, 1, width))
                .ok());
    CHECK(same_bytes(q_out, q_right));
    CHECK(same_bytes(k_out, k_right));
}

TEST_CASE("a rotary per token, straight from a plan and through slots") {
    random_bits random(6);
    const auto ropes = grown_tables();
    const segment prompt[] = {text(3), image(token_grid{1, 2, 4}), text(2)};
    const auto plan = make_plan(layout::mrope{2}, prompt, 3);
    INFO(to_string(plan.error()).c_str());
    REQUIRE(plan.ok());
    const index_t which[] = {2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 2, 0},
                  slots[] = {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    const auto keys = random_values<float>(random, 13 * 64);
    auto right = keys, got = keys;
    for (index_t n = 0; n < 13; ++n)
        REQUIRE(cpu::rotate(ropes[static_cast<std::size_t>(which[n])], cpu::planned(*plan, token_index{n}),
                            compact_heads(right.data() + (12 - n) * 64, 1, 1, 64))
                    .ok());
    cpu::rotate_options options;
    options.slots = {slots, 13};
    REQUIRE(cpu::rotate(cpu::rotary_choice{ropes.data(), 3, which, 13}, cpu::planned(*plan, token_index{0}),
                        no_heads<float>(), compact_heads(got.data(), 13, 1, 64), options)
                .ok());
    CHECK(same_bytes(got, right));

    // The same by rows of cosines and sines, each range filled by its own rotary.
    std::vector<float> rows(13 * 64);
    const auto table = halves_table(rows.data(), 13, 64, table_rows::tokens);
    for (index_t n = 0; n < 13; ++n) {
        cpu::rotate_options range;
        range.tokens = {token_index{n}, token_index{n + 1}};
        REQUIRE(cpu::fill_table(ropes[static_cast<std::size_t>(which[n])], cpu::planned(*plan, token_index{0}), table,
                                range)
                    .ok());
    }
    auto by_rows = keys;
    REQUIRE(cpu::rotate(ropes[0], table, no_heads<float>(), compact_heads(by_rows.data(), 13, 1, 64), options).ok());
    CHECK(same_bytes(by_rows, right));
}

TEST_CASE("a choice of rotaries that cannot be is refused, and nothing is written") {
    auto ropes = grown_tables();
    const std::vector<float> before(4 * 64, 0.5f);
    std::vector<float> q = before;
    const std::int32_t positions[12] = {};
    const index_t good[] = {0, 1, 2, 0}, bad[] = {0, 1, 2, 3}, below[] = {0, -1, 2, 0};
    const auto turned = [&](const cpu::rotary_choice& choice) {
        return cpu::rotate(choice, axis_major(positions, 3, 4), compact_heads(q.data(), 4, 1, 64));
    };
    CHECK(sentence_of(turned({ropes.data(), 3, bad, 4})) == "table choice: token 3 asks for table 3, and there are 3");
    CHECK(turned({ropes.data(), 3, below, 4}) == status{errc::choice_out_of_range, operand::table_choice, 1, 3, -1});
    CHECK(turned({ropes.data(), 3, good, 3}) == status{errc::extent_mismatch, operand::table_choice, 0, 4, 3});
    CHECK(turned({ropes.data(), 3, nullptr, 4}).code == errc::null_data);
    CHECK(turned({nullptr, 3, good, 4}).code == errc::null_data);
    CHECK(turned({ropes.data(), 0, good, 4}).code == errc::extent_mismatch);
    ropes[1] = grown_tables(pairing::adjacent)[1];
    CHECK(sentence_of(turned({ropes.data(), 3, good, 4})) ==
          "frequency table 1: its rotary_dim, axes, head groups or pairing are not those of the first");
    ropes[1] = make_rope({32, 3, 1, pairing::half_split, 1e6, 1.0, false});
    CHECK(turned({ropes.data(), 3, good, 4}).code == errc::tables_differ);
    ropes[1] = make_rope({64, 2, 1, pairing::half_split, 1e6, 1.0, false});
    CHECK(turned({ropes.data(), 3, good, 4}).code == errc::tables_differ);
    ropes[1] = make_rope({64, 3, 2, pairing::half_split, 1e6, 1.0, false});
    CHECK(turned({ropes.data(), 3, good, 4}).code == errc::tables_differ);
    CHECK(same_bytes(q, before));
    ropes = grown_tables();
    const std::int32_t far[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    CHECK(cpu::rotate(cpu::rotary_choice{ropes.data(), 3, good, 4}, axis_major(far, 4, 3),
                      compact_heads(q.data(), 4, 1, 64))
              .code == errc::extent_mismatch);
    CHECK(same_bytes(q, before));
    CHECK(turned({ropes.data(), 3, good, 4}).ok());
    // No tokens at all: valid, and nothing to choose.
    CHECK(cpu::rotate(cpu::rotary_choice{ropes.data(), 3, nullptr, 0}, axis_major(positions, 3, 0),
                      compact_heads(q.data(), 0, 1, 64))
              .ok());
}
