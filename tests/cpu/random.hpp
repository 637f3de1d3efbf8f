#pragma once
// Random inputs made from integers alone, so that every machine and standard library draws the same.

#include <cstdint>
#include <vector>

#include "polyrope/core/index.hpp"
#include "polyrope/core/scalar.hpp"

namespace polyrope::test {

class random_bits {
public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {  // splitmix64
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// A whole number in [low, high].
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(int percent) { return between(0, 99) < percent; }
    template <class T, std::size_t N>
    const T& one_of(const T (&list)[N]) {
        return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(N) - 1))];
    }

private:
    std::uint64_t state_;
};

/// What values a buffer is filled with.
enum class values : std::uint8_t {
    ordinary,  ///< of either sign, 2^-9 to 2^3
    finite,    ///< the same, signed zeros and subnormals
    any,       ///< the same, infinities, NaN and numbers near the largest
};

inline std::uint32_t random_float_bits(random_bits& r, values kind) {
    const auto bits = static_cast<std::uint32_t>(r());
    const auto exponent = static_cast<std::uint32_t>(r.between(118, 129));
    const std::uint32_t usual = (bits & 0x807fffffu) | (exponent << 23);
    const auto draw = r.between(0, 15);
    if (kind == values::ordinary || draw < 11) return usual;
    if (draw == 11) return bits & 0x80000000u;                                 // zeros
    if (draw == 12) return bits & 0x807fffffu;                                 // subnormal
    if (draw == 13) return (bits & 0x807fffffu) | ((bits >> 24 & 15u) << 23);  // barely normal
    if (kind == values::finite) return usual;
    if (draw == 14)
        return (bits & 0x80000000u) | 0x7f800000u | ((bits & 6u) == 0 ? bits & 0x7fffffu : 0u);  // infinity, NaN
    return (bits & 0x807fffffu) | (0xfdu << 23);
}

inline void put_random(float& to, random_bits& r, values kind) {
    to = detail::bit_copy<float>(random_float_bits(r, kind));
}
inline void put_random(bf16& to, random_bits& r, values kind) {
    to.bits = static_cast<std::uint16_t>(random_float_bits(r, kind) >> 16);
}
inline void put_random(f16& to, random_bits& r, values kind) {
    const auto bits = static_cast<std::uint16_t>(r());
    const auto exponent = static_cast<std::uint32_t>(r.between(8, 18));
    const auto draw = r.between(0, 15);
    std::uint32_t made = (bits & 0x83ffu) | (exponent << 10);
    if (kind != values::ordinary && draw == 11) made = bits & 0x8000u;
    if (kind != values::ordinary && draw == 12) made = bits & 0x83ffu;
    if (kind == values::any && draw == 14) made = (bits & 0x8000u) | 0x7c00u | ((bits & 6u) == 0 ? bits & 0x3ffu : 0u);
    if (kind == values::any && draw == 15) made = (bits & 0x83ffu) | 0x7800u;
    to.bits = static_cast<std::uint16_t>(made);
}

template <class T>
std::vector<T> random_buffer(index_t count, random_bits& r, values kind) {
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& v : all) put_random(v, r, kind);
    return all;
}

inline std::uint32_t bits_of(float v) { return detail::bit_copy<std::uint32_t>(v); }
inline std::uint32_t bits_of(bf16 v) { return v.bits; }
inline std::uint32_t bits_of(f16 v) { return v.bits; }

inline bool is_nan(float v) { return (bits_of(v) & 0x7fffffffu) > 0x7f800000u; }
inline bool is_nan(bf16 v) { return (v.bits & 0x7fffu) > 0x7f80u; }
inline bool is_nan(f16 v) { return (v.bits & 0x7fffu) > 0x7c00u; }

/// Equal bits; one NaN counts as any other.
template <class T>
bool same(T a, T b) {
    return bits_of(a) == bits_of(b) || (is_nan(a) && is_nan(b));
}

}  // namespace polyrope::test
