#pragma once
// Which instruction set turns. The widest one of the processor is chosen at run time, so that a plain -O2 build is as
// fast as one for the machine; every level gives the same bits.

#include <cstdint>

#include "polyrope/config.hpp"

#if POLYROPE_X86_LEVELS
#include <cpuid.h>
#endif

POLYROPE_BEGIN
namespace cpu {

enum class level : std::uint8_t {
    automatic,  ///< the widest that the processor and the system support
    base,       ///< no vector fused multiply-add: exact software on x86 (before 2013), the compiler's own elsewhere
    avx2,       ///< AVX2, FMA and F16C, 32-byte registers
    avx512,     ///< AVX-512 F, BW, DQ and VL, 64-byte registers
    neon,       ///< aarch64, 16-byte registers
};

[[nodiscard]] constexpr const char* name_of(level l) noexcept {
    return l == level::automatic ? "automatic"
           : l == level::base    ? "base"
           : l == level::avx2    ? "avx2"
           : l == level::avx512  ? "avx512"
                                 : "neon";
}

/// Whether kernels of this level exist in this build and run on this machine.
[[nodiscard]] inline bool supports(level l) noexcept {
    if (l == level::automatic || l == level::base) return true;
#if POLYROPE_X86_LEVELS
    // The compilers' own start-up probe also asks the system whether it keeps the wide registers. It does not know F16C
    // on every compiler, so that bit is read here, once.
    static const bool has_f16c = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & (1u << 29)) != 0;
    }();
    const bool has_avx2 = has_f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (l == level::avx2) return has_avx2;
    if (l == level::avx512)
        return has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return false;
#elif POLYROPE_NEON_LEVEL
    return l == level::neon;
#else
    return false;
#endif
}

/// The level that `automatic` stands for on this machine.
[[nodiscard]] inline level detected_level() noexcept {
    static const level widest = supports(level::avx512) ? level::avx512
                                : supports(level::avx2) ? level::avx2
                                : supports(level::neon) ? level::neon
                                                        : level::base;
    return widest;
}

}  // namespace cpu
POLYROPE_END
