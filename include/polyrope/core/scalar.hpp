#pragma once
// Two-byte element types and the trait that lets an engine keep its own. Kernels compute in float32; conversion to
// sixteen bits rounds to nearest, ties to even, keeps subnormals and maps NaN to a quiet NaN.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

/// How the bits of an element are read.
enum class element : std::uint8_t { float32, bfloat16, float16 };

namespace detail {

template <class To, class From>
[[nodiscard]] POLYROPE_HOST_DEVICE inline To bit_copy(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From), "bit_copy moves bits between types of one size");
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

/// significand / 2^drop, to nearest, ties to even; 1 <= drop <= 31.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr std::uint32_t shifted_to_even(std::uint32_t significand,
                                                                           std::uint32_t drop) noexcept {
    const std::uint32_t kept = significand >> drop, rest = significand & ((1u << drop) - 1u), half = 1u << (drop - 1u);
    return kept + ((rest > half || (rest == half && (kept & 1u) != 0u)) ? 1u : 0u);
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline std::uint16_t bfloat16_bits(float value) noexcept {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    std::uint16_t rounded;  // as below, but for the payload of a NaN
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
    return rounded;
#else
    const auto bits = bit_copy<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline std::uint16_t float16_bits(float value) noexcept {
#if defined(__CUDA_ARCH__)
    std::uint16_t rounded;  // as below, but for the payload of a NaN
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded) : "f"(value));
    return rounded;
#else
    const auto bits = bit_copy<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x477ff000u)
        return static_cast<std::uint16_t>(sign | 0x7c00u);                 // 65520 and above round to infinity
    if (magnitude < 0x33000000u) return static_cast<std::uint16_t>(sign);  // below half the least subnormal
    if (magnitude >= 0x38800000u)
        return static_cast<std::uint16_t>(sign | shifted_to_even(magnitude - 0x38000000u, 13));
    // Subnormal: the significand with its hidden bit is shifted into place.
    const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
    return static_cast<std::uint16_t>(sign | shifted_to_even(significand, 126u - (magnitude >> 23)));
#endif
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline float float16_value(std::uint16_t bits) noexcept {
#if defined(__CUDA_ARCH__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
    if (exponent == 31u)
        return bit_copy<float>(sign | 0x7f800000u | (fraction << 13) | (fraction != 0u ? 0x400000u : 0u));
    if (exponent != 0u) return bit_copy<float>(sign | ((exponent + 112u) << 23) | (fraction << 13));
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // 2^-24, exact
    return bit_copy<float>(sign | bit_copy<std::uint32_t>(magnitude));
#endif
}

}  // namespace detail

/// bfloat16 as it lies in memory.
struct bf16 {
    std::uint16_t bits;
    [[nodiscard]] static POLYROPE_HOST_DEVICE bf16 from(float value) noexcept { return {detail::bfloat16_bits(value)}; }
    [[nodiscard]] POLYROPE_HOST_DEVICE float value() const noexcept {
        return detail::bit_copy<float>(static_cast<std::uint32_t>(bits) << 16);
    }
};

/// IEEE binary16 as it lies in memory.
struct f16 {
    std::uint16_t bits;
    [[nodiscard]] static POLYROPE_HOST_DEVICE f16 from(float value) noexcept { return {detail::float16_bits(value)}; }
    [[nodiscard]] POLYROPE_HOST_DEVICE float value() const noexcept { return detail::float16_value(bits); }
};

/// Says how the elements of a view are read. An engine's own two-byte type joins with one line:
/// `template <> struct polyrope::element_traits<my_bf16> : polyrope::element_is<polyrope::element::bfloat16> {};`
template <class T>
struct element_traits;

template <element Kind>
struct element_is {
    static constexpr element kind = Kind;
};

template <>
struct element_traits<float> : element_is<element::float32> {};
template <>
struct element_traits<bf16> : element_is<element::bfloat16> {};
template <>
struct element_traits<f16> : element_is<element::float16> {};

namespace detail {
template <class T, class = void>
struct has_element_traits : std::false_type {};
template <class T>
struct has_element_traits<T, decltype(static_cast<void>(element_traits<T>::kind))> : std::true_type {};
}  // namespace detail

/// True for the types whose views can be rotated.
template <class T>
inline constexpr bool is_element_v = detail::has_element_traits<T>::value;

POLYROPE_END
