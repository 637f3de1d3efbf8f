#pragma once
// Fused multiply-add of float32 with one rounding, whatever the flags: one instruction where the translation unit has
// it, exact arithmetic in double where it has not. `std::fma` in a plain x86 build is a library call ten times as dear.

#include <type_traits>

#include "polyrope/core/libm.hpp"
#include "polyrope/core/scalar.hpp"

POLYROPE_BEGIN
namespace detail {

// Hides a value from the optimiser, so that -ffast-math and contraction cannot see through it. Costs no instruction.
template <class Real>
POLYROPE_LEVEL_FUNCTION Real opaque(Real value) noexcept {
    static_assert(std::is_floating_point_v<Real>, "opaque hides a float or a double");
#if defined(__CUDA_ARCH__)
    return value;
#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __asm__("" : "+x"(value));
    return value;
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
    __asm__("" : "+w"(value));
    return value;
#else
    volatile Real hidden = value;
    return hidden;
#endif
}

inline namespace POLYROPE_AMBIENT {

/// a * b + c with one rounding, from exact products and a sum rounded to odd. Infinities and NaN as IEEE has them.
[[nodiscard]] inline float software_fma(float a, float b, float c) noexcept {
    const double product = opaque(static_cast<double>(a) * static_cast<double>(b));  // exact: 48 bits
    const double addend = static_cast<double>(c);
    const double sum = opaque(product + addend);
    auto bits = bit_copy<std::uint64_t>(sum);
    if (((bits >> 52) & 0x7ffu) == 0x7ffu) return static_cast<float>(sum);
    const double part = opaque(sum - product);
    const double error = opaque(opaque(product - opaque(sum - part)) + opaque(addend - part));
    if (error != 0.0 && (bits & 1u) == 0u) {
        // Rounding to odd keeps the second rounding, to float32, right.
        bits += ((error > 0.0) == ((bits >> 63) == 0u)) ? 1u : ~std::uint64_t{0};
    }
    return static_cast<float>(opaque(bit_copy<double>(bits)));
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline float fma(float a, float b, float c) noexcept {
#if defined(__CUDA_ARCH__)
    float d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));  // never flushed, never contracted further
    return d;
#elif POLYROPE_HARDWARE_FMA
    return __builtin_fmaf(a, b, c);
#else
    return software_fma(a, b, c);
#endif
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline double fma(double a, double b, double c) noexcept {
#if defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#elif !(defined(__GNUC__) || defined(__clang__))
    return std::fma(a, b, c);
#elif POLYROPE_HARDWARE_FMA
    return __builtin_fma(a, b, c);
#else
    return polyrope_library_fma(a, b, c);
#endif
}

/// Nearest whole number, ties to even, sign of zero kept.
[[nodiscard]] POLYROPE_HOST_DEVICE inline float round_even(float value) noexcept {
#if defined(__CUDA_ARCH__)
    float d;
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(d) : "f"(value));
    return d;
#else
    const auto sign = bit_copy<std::uint32_t>(value) & 0x80000000u;
    const double magnitude = bit_copy<float>(bit_copy<std::uint32_t>(value) & 0x7fffffffu);
    if (!(magnitude < 8388608.0)) return value;                     // 2^23 and above, and NaN
    const double shifted = opaque(magnitude + 6755399441055744.0);  // 1.5 * 2^52
    return bit_copy<float>(bit_copy<std::uint32_t>(static_cast<float>(opaque(shifted - 6755399441055744.0))) | sign);
#endif
}

[[nodiscard]] POLYROPE_HOST_DEVICE inline double round_even(double value) noexcept {
#if defined(__CUDA_ARCH__)
    return rint(value);
#else
    const auto sign = bit_copy<std::uint64_t>(value) & 0x8000000000000000u;
    const double magnitude = bit_copy<double>(bit_copy<std::uint64_t>(value) & 0x7fffffffffffffffu);
    if (!(magnitude < 4503599627370496.0)) return value;  // 2^52 and above, and NaN
    const double shifted = opaque(magnitude + 4503599627370496.0);
    return bit_copy<double>(bit_copy<std::uint64_t>(opaque(shifted - 4503599627370496.0)) | sign);
#endif
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
