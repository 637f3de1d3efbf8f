#pragma once
// The kernels for processors without a vector fused multiply-add, and for any other machine. On x86 four lanes of SSE2,
// with an exact fused multiply-add in software; elsewhere four plain floats and the compiler's own.

#include "polyrope/core/fma.hpp"
#include "polyrope/cpu/detail/job.hpp"

#if POLYROPE_SSE2
#include <emmintrin.h>
#endif

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {
namespace base {

#if POLYROPE_SSE2
#include "polyrope/cpu/detail/base_sse2.inl"
#else
#include "polyrope/cpu/detail/base_portable.inl"
#endif

#include "polyrope/core/sincos.inl"
#include "polyrope/rotary/rotation.inl"
#include "polyrope/cpu/detail/row.inl"
#include "polyrope/cpu/detail/channels.inl"
#include "polyrope/cpu/detail/heads.inl"

}  // namespace base
}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
