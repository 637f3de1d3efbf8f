#pragma once
// What one launch reads and writes where the rotation is fused with what stands around it.

#include "polyrope/core/fp8.hpp"
#include "polyrope/core/views.hpp"
#include "polyrope/cuda/head_norm.hpp"
#include "polyrope/cuda/paged_cache.hpp"

POLYROPE_BEGIN
namespace cuda {

/// How values become e4m3: stored = nearest e4m3 of multiplier * per_head[m] * value, past +-448 the largest.
struct e4m3_scale {
    float multiplier = 1.0f;
    const float* per_head = nullptr;  ///< [heads] in device memory; null: ones
};

/// q and k of element type T are normalised, turned and written to q_out and k_out of type Q (T, or e4m3), and k and v
/// to a paged cache of type C (T, or e4m3). All but q and q_out may be absent; k_out only where a cache takes k. q_out
/// may be q itself, k_out k itself.
template <class T, class Q = T, class C = T>
struct fused_heads {
    heads_view<const T> q{}, k{}, v{};  ///< [tokens, heads, head_dim]
    heads_view<Q> q_out{}, k_out{};
    paged_cache<C> cache{};
    cache_places places{};
    head_norm<T> norm{};
    e4m3_scale q_scale{}, k_scale{}, v_scale{};
};

}  // namespace cuda
POLYROPE_END
