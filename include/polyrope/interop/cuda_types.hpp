#pragma once
// CUDA's own element types in views, on the host and on the device: heads_view<__half> is read as f16 and
// heads_view<__nv_bfloat16> as bf16. An output of __nv_fp8_e4m3 is handed over as e4m3, the same byte:
//
//     cuda::rotate(rope, positions, compact_heads(q, n, 32, 128), compact_heads(k, n, 8, 128), stream);   // __nv_bfloat16*
//     const auto k_out = compact_heads(interop::as_e4m3(cache), n, 8, 128);                               // __nv_fp8_e4m3*
//
// Needs the headers of CUDA 11.8 or later and no CUDA compiler.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "polyrope/core/fp8.hpp"

POLYROPE_BEGIN

static_assert(sizeof(__half) == sizeof(f16) && sizeof(__nv_bfloat16) == sizeof(bf16) &&
                  sizeof(__nv_fp8_e4m3) == sizeof(e4m3),
              "CUDA's types lie in memory as the library's do");

template <>
struct element_traits<__half> : element_is<element::float16> {};
template <>
struct element_traits<__nv_bfloat16> : element_is<element::bfloat16> {};

namespace interop {

/// The same bytes in the library's type.
[[nodiscard]] POLYROPE_HOST_DEVICE inline e4m3* as_e4m3(__nv_fp8_e4m3* data) noexcept {
    return reinterpret_cast<e4m3*>(data);
}
[[nodiscard]] POLYROPE_HOST_DEVICE inline const e4m3* as_e4m3(const __nv_fp8_e4m3* data) noexcept {
    return reinterpret_cast<const e4m3*>(data);
}

}  // namespace interop
POLYROPE_END
