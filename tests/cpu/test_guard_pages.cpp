// No byte before or behind an operand is read or written. Every buffer ends, or begins, at a page that may not be
// touched, so that a load that is one lane too wide ends the program.

#include "kernels.hpp"
#include "make_rope.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"
#include "support/guarded.hpp"

#if POLYROPE_GUARD_PAGES

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr index_t sizes[] = {2, 6, 14, 16, 18, 30, 34, 64, 72, 80, 98, 128, 130, 254, 256};
constexpr guard sides[] = {guard::behind, guard::before};

}  // namespace

TEMPLATE_TEST_CASE("fault 44: queries, keys and positions are neither read nor written past their ends", "", float,
                   bf16, f16) {
    random_bits random(51);
    for (const index_t dim : sizes) {
        for (const pairing paired : pairings_of(dim)) {
            for (const guard where : sides) {
                for (const cpu::level use : levels_here()) {
                    rope_shape shape;
                    shape.rotary_dim = dim;
                    shape.paired = paired;
                    const rotary rope = make_rope(shape, {random.chance(50) ? phase::exact : phase::float32,
                                                          static_cast<rounding>(random.between(0, 3))});
                    constexpr index_t tokens = 3, heads = 2;
                    guarded<TestType> q(tokens * heads * dim, where), k(tokens * dim, where),
                        q_out(tokens * heads * dim, where), k_out(tokens * dim, where);
                    guarded<std::int32_t> at(3 * tokens, where);
                    guarded<double> real(3 * tokens, where);
                    std::vector<std::int32_t> whole;
                    std::vector<double> fine;
                    for (int i = 0; i < 3 * tokens; ++i) {
                        whole.push_back(static_cast<std::int32_t>(random.between(0, 1 << 26)));
                        fine.push_back(static_cast<double>(whole.back()));
                    }
                    at.put(whole);
                    real.put(fine);
                    const std::vector<TestType> q_in =
                        random_buffer<TestType>(tokens * heads * dim, random, values::finite);
                    const std::vector<TestType> k_in = random_buffer<TestType>(tokens * dim, random, values::finite);
                    q.put(q_in);
                    k.put(k_in);
                    cpu::rotate_options options;
                    options.use = use;
                    const heads_view<TestType> qs = compact_heads(q.data(), tokens, heads, dim),
                                               ks = compact_heads(k.data(), tokens, 1, dim);
                    REQUIRE(cpu::rotate_to(rope, axis_major(at.data(), 3, tokens), qs.as_const(), ks.as_const(),
                                           compact_heads(q_out.data(), tokens, heads, dim),
                                           compact_heads(k_out.data(), tokens, 1, dim), options)
                                .ok());
                    REQUIRE(cpu::rotate(rope, axis_major(real.data(), 3, tokens), qs, ks, options).ok());
                    CHECK(first_difference(q.all(), q_out.all()) == -1);
                    CHECK(first_difference(k.all(), k_out.all()) == -1);
                    REQUIRE(cpu::rerotate(rope, axis_major(at.data(), 3, tokens), axis_major(real.data(), 3, tokens),
                                          ks, options)
                                .ok());
                }
            }
        }
    }
}

TEST_CASE("fault 44: tables are neither read nor written past their ends, rows of exactly rotary_dim floats included") {
    random_bits random(52);
    for (const index_t dim : sizes) {
        for (const pairing paired : pairings_of(dim)) {
            rope_shape shape;
            shape.rotary_dim = dim;
            shape.paired = paired;
            const rotary rope = make_rope(shape);
            for (const guard where : sides) {
                for (const cpu::level use : levels_here()) {
                    cpu::rotate_options options;
                    options.use = use;
                    for (const table_layout layout :
                         {table_layout::pairs, table_layout::halves, table_layout::doubled}) {
                        constexpr index_t rows = 3;
                        guarded<float> cos(rows * dim, where), sin(rows * dim, where);
                        guarded<std::int64_t> at(3 * rows, where);
                        at.put({0, 2, 1, 2, 2, 0, 1, 0, 2});
                        const auto view = [&](table_rows meaning) {
                            return layout == table_layout::pairs ? pairs_table(cos.data(), rows, dim, meaning)
                                   : layout == table_layout::halves
                                       ? halves_table(cos.data(), rows, dim, meaning)
                                       : doubled_table(cos.data(), sin.data(), rows, dim, meaning);
                        };
                        guarded<float> f(rows * dim, where);
                        guarded<bf16> b(rows * dim, where);
                        guarded<f16> h(rows * dim, where);
                        f.put(random_buffer<float>(rows * dim, random, values::finite));
                        b.put(random_buffer<bf16>(rows * dim, random, values::finite));
                        h.put(random_buffer<f16>(rows * dim, random, values::finite));
                        const std::vector<float> f_in = f.all();
                        REQUIRE(cpu::fill_table(rope, axis_major(at.data(), 3, rows), view(table_rows::tokens), options)
                                    .ok());
                        REQUIRE(cpu::rotate(rope, view(table_rows::tokens), compact_heads(f.data(), rows, 1, dim),
                                            no_heads<float>(), options)
                                    .ok());
                        REQUIRE(cpu::rotate(rope, view(table_rows::tokens), compact_heads(b.data(), rows, 1, dim),
                                            no_heads<bf16>(), options)
                                    .ok());
                        REQUIRE(cpu::rotate(rope, view(table_rows::tokens), compact_heads(h.data(), rows, 1, dim),
                                            no_heads<f16>(), options)
                                    .ok());
                        const std::vector<float> by_token = f.all();
                        REQUIRE(cpu::fill_position_table(rope, view(table_rows::positions), options).ok());
                        const auto lookup = cpu::looked_up(view(table_rows::positions), axis_major(at.data(), 3, rows));
                        f.put(f_in);
                        REQUIRE(
                            cpu::rotate(rope, lookup, compact_heads(f.data(), rows, 1, dim), no_heads<float>(), options)
                                .ok());
                        REQUIRE(
                            cpu::rotate(rope, lookup, compact_heads(b.data(), rows, 1, dim), no_heads<bf16>(), options)
                                .ok());
                        REQUIRE(
                            cpu::rotate(rope, lookup, compact_heads(h.data(), rows, 1, dim), no_heads<f16>(), options)
                                .ok());
                        CHECK(first_difference(by_token, f.all()) == -1);
                    }
                }
            }
        }
    }
}

TEST_CASE("fault 62: tokens outside the range are neither read nor written") {
    const rotary rope = make_rope({});
    // Three live tokens of eight: the memory of the others is not there at all.
    constexpr index_t live = 3, padded = 8;
    guarded<float> q(live * 64, guard::behind);
    guarded<std::int64_t> at(3 * live, guard::behind);
    at.put(std::vector<std::int64_t>(9, 7));
    q.put(std::vector<float>(live * 64, 1.0f));
    cpu::rotate_options options;
    options.tokens = {token_index{0}, token_index{live}};
    REQUIRE(cpu::rotate(rope, token_major(at.data(), 3, padded), compact_heads(q.data(), padded, 1, 64),
                        no_heads<float>(), options)
                .ok());
    CHECK(q.all()[0] != 1.0f);

    // Stale positions behind the live ones are not looked at either.
    std::vector<std::int64_t> stale(3 * padded, 5);
    for (index_t n = live; n < padded; ++n) stale[static_cast<std::size_t>(3 * n)] = INT64_MAX;
    std::vector<float> rows(padded * 64, 1.0f);
    REQUIRE(cpu::rotate(rope, token_major(stale.data(), 3, padded), compact_heads(rows.data(), padded, 1, 64),
                        no_heads<float>(), options)
                .ok());
    for (index_t i = live * 64; i < padded * 64; ++i) REQUIRE(rows[static_cast<std::size_t>(i)] == 1.0f);
}

#endif
