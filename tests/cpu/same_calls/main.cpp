// same_calls <count>: the ways to the kernels that tests/structure/same_bits does not take, `count` random calls of
// each, and a checksum of the bits that each way leaves: every type of position, transpose and undo with an attention
// scaling, tables written and read in every layout, keys turned on, plans. The output is the same for every compiler,
// flag, level and machine; a level that differs from the base ends the program with 1.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../random.hpp"
#include "polyrope/cpu/rerotate.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "polyrope/cpu/table.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/layout/mrope.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr index_t tokens = 70, dim = 72, pairs = dim / 2;
bool agree = true;

[[noreturn]] void stop(const char* why) {
    std::fprintf(stderr, "%s\n", why);
    std::exit(1);
}
void must_be_ok(status s) {
    if (!s.ok()) stop(to_string(s).c_str());
}

std::vector<cpu::level> levels() {
    std::vector<cpu::level> all;
    for (cpu::level const l : {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon})
        if (cpu::supports(l)) all.push_back(l);
    return all;
}

std::uint64_t checksum(std::uint64_t sum, const std::vector<float>& values) {
    for (const float v : values) {
        sum ^= is_nan(v) ? 0x7fc00000u : bits_of(v);
        sum *= 0x100000001b3u;
        sum ^= sum >> 29;
    }
    return sum;
}

// Frequencies made from integers, so that no mathematical library has a part in them.
rotary rope_of(phase angle, pairing paired, double scaling) {
    random_bits random(3);
    std::vector<axis_frequency> entries;
    for (index_t l = 0; l < pairs; ++l)
        entries.push_back(
            {l % 7 == 3 ? axis_none : static_cast<axis>(l % 3),
             static_cast<double>(detail::bit_copy<float>(static_cast<std::uint32_t>((126 - l / 2) << 23) |
                                                         static_cast<std::uint32_t>(random() & 0x7fffffu)))});
    frequency_options options;
    options.attention_scaling = scaling;
    return make_rotary(make_frequency_table(entries.data(), 1, pairs, 3, paired, options).value(),
                       {angle, rounding::once})
        .value();
}

template <class P>
P position(random_bits& random) {
    const auto whole = static_cast<double>(random.between(INT32_MIN, INT32_MAX) >> random.between(0, 31));
    double p = whole;
    if (!std::is_integral_v<P> && random.chance(70))
        for (auto halvings = random.between(1, 40); halvings > 0; --halvings) p *= 0.5;
    const auto made = static_cast<P>(p);
    // A float may have been rounded up to 2^31.
    return static_cast<double>(made) < 2147483648.0 ? made : static_cast<P>(1);
}

// Calls make(level, q) for every level on equal values and sums what it leaves.
template <class Make>
void each_level(std::vector<std::uint64_t>& sums, const std::vector<float>& before, Make make) {
    const std::vector<cpu::level> all = levels();
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<float> q = before;
        must_be_ok(make(all[i], q));
        sums[i] = checksum(sums[i], q);
    }
}

void report(const char* way, phase angle, pairing paired, const std::vector<std::uint64_t>& sums) {
    std::printf("%-26s %-7s %-10s  %016llx\n", way, angle == phase::exact ? "exact" : "float32",
                paired.is_whole()             ? "half_split"
                : paired == pairing::adjacent ? "adjacent"
                                              : "blocks",
                static_cast<unsigned long long>(sums[0]));
    for (std::size_t i = 1; i < sums.size(); ++i) {
        if (sums[i] == sums[0]) continue;
        std::printf("    but %016llx at level %s\n", static_cast<unsigned long long>(sums[i]),
                    cpu::name_of(levels()[i]));
        agree = false;
    }
}

cpu::rotate_options at_level(cpu::level use, direction way) {
    cpu::rotate_options options;
    options.use = use;
    options.way = way;
    return options;
}

template <class P>
void by_positions(const char* name, const rotary& rope, int count) {
    std::vector<std::uint64_t> sums(levels().size(), 1), table_sums = sums;
    random_bits random(sizeof(P));
    std::vector<P> at(3 * tokens);
    for (int i = 0; i < count; ++i) {
        for (P& p : at) p = position<P>(random);
        const auto way = static_cast<direction>(i % 3);
        each_level(
            sums, random_buffer<float>(tokens * dim, random, values::any), [&](cpu::level use, std::vector<float>& q) {
                return cpu::rotate(rope, token_major(at.data(), 3, tokens), compact_heads(q.data(), tokens, 1, dim),
                                   no_heads<float>(), at_level(use, way));
            });
        each_level(table_sums, std::vector<float>(2 * tokens * dim, 0.0f), [&](cpu::level use, std::vector<float>& t) {
            float* const second = t.data() + tokens * dim;
            cos_sin_view<float> const table = i % 3 == 0 ? pairs_table(t.data(), tokens, dim, table_rows::tokens)
                                              : i % 3 == 1
                                                  ? halves_table(t.data(), tokens, dim, table_rows::tokens)
                                                  : doubled_table(t.data(), second, tokens, dim, table_rows::tokens);
            return cpu::fill_table(rope, axis_major(at.data(), 3, tokens), table, at_level(use, way));
        });
    }
    report((std::string("positions ") + name).c_str(), rope.angle(), rope.paired(), sums);
    report((std::string("table ") + name).c_str(), rope.angle(), rope.paired(), table_sums);
}

void by_tables(const rotary& rope, int count) {
    std::vector<std::uint64_t> row_sums(levels().size(), 1), lookup_sums = row_sums;
    random_bits random(11);
    for (int i = 0; i < count; ++i) {
        const std::vector<float> first = random_buffer<float>(tokens * dim, random, values::any),
                                 second = random_buffer<float>(tokens * dim, random, values::any);
        std::vector<std::int32_t> at(3 * tokens);
        for (std::int32_t& p : at) p = static_cast<std::int32_t>(random.between(0, tokens - 1));
        const auto table = [&](table_rows meaning) {
            return i % 3 == 0   ? pairs_table(first.data(), tokens, dim, meaning)
                   : i % 3 == 1 ? halves_table(first.data(), tokens, dim, meaning)
                                : doubled_table(first.data(), second.data(), tokens, dim, meaning);
        };
        const auto way = static_cast<direction>(i / 3 % 3);
        const std::vector<float> before = random_buffer<float>(tokens * dim, random, values::any);
        each_level(row_sums, before, [&](cpu::level use, std::vector<float>& q) {
            return cpu::rotate(rope, table(table_rows::tokens), compact_heads(q.data(), tokens, 1, dim),
                               no_heads<float>(), at_level(use, way));
        });
        each_level(lookup_sums, before, [&](cpu::level use, std::vector<float>& q) {
            return cpu::rotate(rope, cpu::looked_up(table(table_rows::positions), axis_major(at.data(), 3, tokens)),
                               compact_heads(q.data(), tokens, 1, dim), no_heads<float>(), at_level(use, way));
        });
    }
    report("from rows by token", rope.angle(), rope.paired(), row_sums);
    report("from rows by position", rope.angle(), rope.paired(), lookup_sums);
}

void turned_on(const rotary& rope, int count) {
    std::vector<std::uint64_t> sums(levels().size(), 1), shift_sums = sums;
    random_bits random(12);
    for (int i = 0; i < count; ++i) {
        std::vector<float> from(3 * tokens);
        std::vector<double> to(3 * tokens);
        for (float& p : from) p = position<float>(random);
        for (double& p : to) p = position<double>(random);
        position_shift by;
        by.axes = 3;
        for (int a = 0; a < 3; ++a) by.by[a] = position<double>(random);
        const auto way = static_cast<direction>(i % 3);
        const std::vector<float> before = random_buffer<float>(tokens * dim, random, values::any);
        each_level(sums, before, [&](cpu::level use, std::vector<float>& k) {
            return cpu::rerotate(rope, axis_major(from.data(), 3, tokens), axis_major(to.data(), 3, tokens),
                                 compact_heads(k.data(), tokens, 1, dim), at_level(use, way));
        });
        each_level(shift_sums, before, [&](cpu::level use, std::vector<float>& k) {
            return cpu::shift(rope, by, compact_heads(k.data(), tokens, 1, dim), at_level(use, way));
        });
    }
    report("turned on", rope.angle(), rope.paired(), sums);
    report("shifted", rope.angle(), rope.paired(), shift_sums);
}

void by_plans(const rotary& rope, int count) {
    std::vector<std::uint64_t> sums(levels().size(), 1);
    random_bits random(13);
    for (int i = 0; i < count; ++i) {
        const segment prompt[] = {text(random.between(0, 40)),
                                  image(patch_grid{1, 2 * random.between(1, 9), 2 * random.between(1, 9)}),
                                  text(random.between(0, 9)), video(patch_grid{random.between(1, 5), 4, 6}, untimed),
                                  text(random.between(0, 50))};
        layout::mrope where{2};
        where.text_step = static_cast<double>(random.between(1, 1000)) * 0.001;
        const auto plan = make_plan(where, prompt, 5);
        if (!plan.ok()) stop(to_string(plan.error()).c_str());
        const token_index first{random.between(0, 300)};
        each_level(sums, random_buffer<float>(tokens * dim, random, values::any),
                   [&](cpu::level use, std::vector<float>& q) {
                       return cpu::rotate(rope, cpu::planned(*plan, first), compact_heads(q.data(), tokens, 1, dim),
                                          no_heads<float>(), at_level(use, direction::forward));
                   });
    }
    report("from plans", rope.angle(), rope.paired(), sums);
}

}  // namespace

int main(int arguments, char** argument) {
    const int count = arguments > 1 ? std::atoi(argument[1]) : 100;
    if (count <= 0) return 2;
    const auto all_ways = [count](phase angle, pairing paired) {
        const rotary rope = rope_of(angle, paired, 1.138629436111989);
        by_positions<std::int32_t>("int32", rope, count);
        by_positions<std::int64_t>("int64", rope, count);
        by_positions<float>("float32", rope, count);
        by_positions<double>("float64", rope, count);
        by_tables(rope, count);
        turned_on(rope, count);
        by_plans(rope, count);
    };
    for (const phase angle : {phase::exact, phase::float32})
        for (const pairing paired : {pairing::half_split, pairing::adjacent}) all_ways(angle, paired);
    for (const phase angle : {phase::exact, phase::float32}) all_ways(angle, pairing::blocks(24));
    return agree ? 0 : 1;
}
