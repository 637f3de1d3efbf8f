#pragma once
// From a level to its kernel.

#include "polyrope/cpu/detail/avx2.hpp"
#include "polyrope/cpu/detail/avx512.hpp"
#include "polyrope/cpu/detail/base.hpp"
#include "polyrope/cpu/detail/neon.hpp"
#include "polyrope/cpu/level.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

/// The storage type that stands for an engine's element type.
template <class T>
using storage_of = std::conditional_t<element_traits<T>::kind == element::float32, float,
                                      std::conditional_t<element_traits<T>::kind == element::bfloat16, bf16, f16>>;

template <row_source From>
[[nodiscard]] row_kernel row_kernel_of(level use) noexcept {
#if POLYROPE_X86_LEVELS
    if (use == level::avx512) return &avx512::make_row<From>;
    if (use == level::avx2) return &avx2::make_row<From>;
#elif POLYROPE_NEON_LEVEL
    if (use == level::neon) return &neon::make_row<From>;
#endif
    static_cast<void>(use);
    return &base::make_row<From>;
}

template <class Storage>
[[nodiscard]] const heads_kernel& heads_kernel_of(level use, pairing paired) noexcept {
#if POLYROPE_X86_LEVELS
    if (use == level::avx512) return avx512::heads_of<Storage>(paired);
    if (use == level::avx2) return avx2::heads_of<Storage>(paired);
#elif POLYROPE_NEON_LEVEL
    if (use == level::neon) return neon::heads_of<Storage>(paired);
#endif
    static_cast<void>(use);
    return base::heads_of<Storage>(paired);
}

// Accesses of 64 bytes are slower than two of 32 wherever they cross a cache line, so the widest level is left for data
// that lies on 64-byte lines throughout.
[[nodiscard]] inline bool on_lines(const job& j, index_t size) noexcept {
    std::uintptr_t bits = 0;
    for (const operand_tensor& o : j.operands) {
        if (o.heads == 0) continue;
        bits |= reinterpret_cast<std::uintptr_t>(o.source) | reinterpret_cast<std::uintptr_t>(o.target);
        bits |= static_cast<std::uintptr_t>(
            (o.source_token_stride | o.source_head_stride | o.target_token_stride | o.target_head_stride) * size);
    }
    if (const pairing paired = j.rope->paired(); paired != pairing::adjacent)
        bits |= static_cast<std::uintptr_t>(paired.block(j.rope->rotary_dim()) / 2 * size);
    return bits % 64 == 0;
}

[[nodiscard]] inline level chosen_level(level asked, const job& j, index_t size) noexcept {
    if (asked != level::automatic) return asked;
    const level widest = detected_level();
    return widest == level::avx512 && !on_lines(j, size) ? level::avx2 : widest;
}

/// The kernel for heads of T and rows of a source.
template <class T, row_source From>
[[nodiscard]] token_kernel kernel_of(level asked, const job& j) noexcept {
    const level use = chosen_level(asked, j, sizeof(T));
    return {heads_kernel_of<storage_of<T>>(use, j.rope->paired()), row_kernel_of<From>(use)};
}

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
