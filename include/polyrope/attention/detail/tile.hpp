#pragma once
// The tile kernels of every level, and the choice among them at run time.

#include "polyrope/cpu/detail/dispatch.hpp"

POLYROPE_BEGIN
namespace cpu::detail {

/// From a product of query and key to a score in units of log 2: scale * product, or cap * tanh(scale * product).
struct score_map {
    float scale, cap;
};

inline namespace POLYROPE_AMBIENT {
namespace base {
#include "polyrope/core/exponential.inl"
#include "polyrope/attention/detail/tile.inl"
}  // namespace base
#if POLYROPE_NEON_LEVEL
namespace neon {
#include "polyrope/core/exponential.inl"
#include "polyrope/attention/detail/tile.inl"
}  // namespace neon
#endif
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END

#if POLYROPE_X86_LEVELS
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif
POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace avx2 {
#include "polyrope/core/exponential.inl"
#include "polyrope/attention/detail/tile.inl"
}  // namespace avx2
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), \
                             apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif
POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace avx512 {
#include "polyrope/core/exponential.inl"
#include "polyrope/attention/detail/tile.inl"
}  // namespace avx512
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

struct tile_kernels {
    decltype(&base::product) product;
    decltype(&base::softmax_row) softmax_row;
};

[[nodiscard]] inline tile_kernels tile_kernels_of(level use) noexcept {
    const level chosen = use == level::automatic ? detected_level() : use;
#if POLYROPE_X86_LEVELS
    if (chosen == level::avx512) return {&avx512::product, &avx512::softmax_row};
    if (chosen == level::avx2) return {&avx2::product, &avx2::softmax_row};
#elif POLYROPE_NEON_LEVEL
    if (chosen == level::neon) return {&neon::product, &neon::softmax_row};
#endif
    static_cast<void>(chosen);
    return {&base::product, &base::softmax_row};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
