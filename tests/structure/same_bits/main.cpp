// same_bits <count>: turns about `count` random values and takes about as many sines and cosines at every level
// that this machine has, in every rounding, phase, pairing and element type, and prints a checksum of the bits of
// each. The output is the same for every compiler, flag, level and machine; a level that differs from the base ends
// the program with 1.
//
// Inputs are made from integers alone: any sign, exponent and fraction, subnormals and signed zeros, infinities and
// NaN. One NaN counts as any other.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/cpu/table.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/interleaved.hpp"

using namespace polyrope;

namespace {

class random_bits {
public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {  // splitmix64
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

// Three quarters of the values lie between 2^-9 and 2^8, an eighth are subnormal or zero, an eighth are
// any bits at all.
std::uint32_t float_bits(std::uint64_t r) {
    const auto bits = static_cast<std::uint32_t>(r);
    const auto kind = static_cast<unsigned>(r >> 61);
    if (kind < 6) return (bits & 0x807fffffu) | ((118u + static_cast<std::uint32_t>((r >> 32) & 15u)) << 23);
    if (kind == 6) return bits & ((r >> 32 & 7u) == 0 ? 0x80000000u : 0x807fffffu);
    return bits;
}

std::uint32_t bits_of(float value) { return detail::bit_copy<std::uint32_t>(value); }
std::uint32_t bits_of(bf16 value) { return value.bits; }
std::uint32_t bits_of(f16 value) { return value.bits; }

void put(float& to, std::uint64_t r) { to = detail::bit_copy<float>(float_bits(r)); }
void put(bf16& to, std::uint64_t r) { to.bits = static_cast<std::uint16_t>(float_bits(r) >> 16); }
void put(f16& to, std::uint64_t r) {
    const auto bits = static_cast<std::uint16_t>(r);
    to.bits = r >> 62 != 0 ? static_cast<std::uint16_t>((bits & 0x83ffu) | 0x3800u) : bits;
}

void put(std::int32_t& to, std::uint64_t r) {
    const auto any = static_cast<std::int32_t>(static_cast<std::uint32_t>(r) >> 1);
    const std::int32_t size = any >> static_cast<int>((r >> 32) % 31);
    to = (r >> 40 & 1u) != 0 ? -size : size;
}
void put(double& to, std::uint64_t r) {  // up to 2^23 in steps of 2^-8
    std::int32_t whole = 0;
    put(whole, r);
    to = static_cast<double>(whole) * 0.00390625;
}

// Every NaN becomes one.
std::uint32_t canonical(std::uint32_t bits, float) { return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits; }
std::uint32_t canonical(std::uint32_t bits, bf16) { return (bits & 0x7fffu) > 0x7f80u ? 0x7fc0u : bits; }
std::uint32_t canonical(std::uint32_t bits, f16) { return (bits & 0x7fffu) > 0x7c00u ? 0x7e00u : bits; }

template <class T>
std::uint64_t checksum(std::uint64_t sum, const std::vector<T>& values) {
    for (const T& value : values) {
        sum ^= canonical(bits_of(value), value);
        sum *= 0x100000001b3u;
        sum ^= sum >> 29;
    }
    return sum;
}

std::vector<cpu::level> levels() {
    std::vector<cpu::level> all;
    for (cpu::level l : {cpu::level::base, cpu::level::avx2, cpu::level::avx512, cpu::level::neon})
        if (cpu::supports(l)) all.push_back(l);
    return all;
}

void must_be_ok(status s) {
    if (s.ok()) return;
    std::fprintf(stderr, "%s\n", to_string(s).c_str());
    std::exit(1);
}

// A rotary whose frequencies are made from integers too, so that no mathematical library has a part in them. They lie
// below one radian per position: phase::float32 is defined for angles up to 2^31.
rotary rotary_for(index_t rotary_dim, pairing paired, rotary_options options) {
    random_bits next(static_cast<std::uint64_t>(rotary_dim));
    std::vector<float> inv_freq;
    const index_t pairs = rotary_dim / 2;
    for (index_t l = 0; l < pairs; ++l)
        inv_freq.push_back(detail::bit_copy<float>(static_cast<std::uint32_t>((126 - (20 * l) / pairs) << 23) |
                                                   static_cast<std::uint32_t>(next() & 0x7fffffu)));
    const index_t third = pairs / 4;
    return make_rotary(
               make_frequency_table(allocation::interleaved{thw{pairs - 2 * third, third, third}},
                                    spectrum::explicit_frequencies{inv_freq.data(), pairs, 1.1875}, rotary_dim, paired)
                   .value(),
               options)
        .value();
}

struct shape {
    index_t head_dim, rotary_dim;
};

constexpr const char* rounding_names[] = {"once", "float32_unfused", "table_cast_float32", "table_cast_each"};
constexpr const char* phase_names[] = {"exact", "float32"};
constexpr index_t tokens = 32, heads = 3;

bool agree = true;

void report(const char* what, const char* kind, const rotary& rope, const std::vector<std::uint64_t>& sums) {
    std::printf("%-10s %-4s %-18s %-7s %-10s %3lld  %016llx\n", what, kind,
                rounding_names[static_cast<int>(rope.round())], phase_names[static_cast<int>(rope.angle())],
                rope.paired() == pairing::half_split ? "half_split" : "adjacent",
                static_cast<long long>(rope.rotary_dim()), static_cast<unsigned long long>(sums[0]));
    const std::vector<cpu::level> all = levels();
    for (std::size_t i = 1; i < sums.size(); ++i) {
        if (sums[i] == sums[0]) continue;
        std::printf("    but %016llx at level %s\n", static_cast<unsigned long long>(sums[i]), cpu::name_of(all[i]));
        agree = false;
    }
}

template <class T, class P>
void turn(const char* kind, shape s, const rotary& rope, long long count) {
    const std::vector<cpu::level> all = levels();
    std::vector<std::uint64_t> sums(all.size(), 1);
    random_bits next(static_cast<std::uint64_t>(s.rotary_dim + 1000 * static_cast<int>(rope.round())));
    std::vector<T> values(static_cast<std::size_t>(tokens * heads * s.head_dim)), turned;
    std::vector<P> positions(3 * tokens);
    for (long long done = 0; done < count; done += static_cast<long long>(values.size())) {
        for (T& value : values) put(value, next());
        for (P& position : positions) put(position, next());
        for (std::size_t i = 0; i < all.size(); ++i) {
            turned = values;
            cpu::rotate_options options;
            options.use = all[i];
            must_be_ok(cpu::rotate(rope, axis_major(positions.data(), 3, tokens),
                                   compact_heads(turned.data(), tokens, heads, s.head_dim), no_heads<T>(), options));
            sums[i] = checksum(sums[i], turned);
        }
    }
    report(std::is_same_v<P, double> ? "fractional" : "whole", kind, rope, sums);
}

template <class P>
void sines(const rotary& rope, long long count) {
    const std::vector<cpu::level> all = levels();
    std::vector<std::uint64_t> sums(all.size(), 1);
    random_bits next(static_cast<std::uint64_t>(rope.angle()));
    std::vector<float> table(static_cast<std::size_t>(tokens * rope.rotary_dim()));
    std::vector<P> positions(3 * tokens);
    for (long long done = 0; done < count; done += tokens * rope.pairs()) {
        for (P& position : positions) put(position, next());
        for (std::size_t i = 0; i < all.size(); ++i) {
            cpu::rotate_options options;
            options.use = all[i];
            must_be_ok(cpu::fill_table(rope, axis_major(positions.data(), 3, tokens),
                                       pairs_table(table.data(), tokens, rope.rotary_dim(), table_rows::tokens),
                                       options));
            sums[i] = checksum(sums[i], table);
        }
    }
    report("sincos", std::is_same_v<P, double> ? "frac" : "int", rope, sums);
}

}  // namespace

int main(int arguments, char** argument) {
    const long long count = arguments > 1 ? std::atoll(argument[1]) : 1000000;
    if (count <= 0) return 2;
    const long long each_turn = count / 96, each_sine = count / 4;
    for (const phase angle : {phase::exact, phase::float32}) {
        const rotary rope = rotary_for(128, pairing::half_split, {angle, rounding::once});
        sines<std::int32_t>(rope, each_sine);
        sines<double>(rope, each_sine);
    }
    for (const shape s : {shape{128, 128}, shape{96, 72}}) {
        for (const pairing paired : {pairing::half_split, pairing::adjacent}) {
            for (const phase angle : {phase::exact, phase::float32}) {
                for (const rounding round : {rounding::once, rounding::float32_unfused, rounding::table_cast_float32,
                                             rounding::table_cast_each}) {
                    const rotary rope = rotary_for(s.rotary_dim, paired, {angle, round});
                    turn<float, std::int32_t>("f32", s, rope, each_turn);
                    turn<bf16, std::int32_t>("bf16", s, rope, each_turn);
                    turn<f16, double>("f16", s, rope, each_turn);
                }
            }
        }
    }
    return agree ? 0 : 1;
}
