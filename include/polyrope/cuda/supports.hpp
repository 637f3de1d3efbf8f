#pragma once
// Whether a kernel for a combination is shipped: the question that a launch asks before it refuses.

#include "polyrope/cuda/detail/shipped.hpp"

POLYROPE_BEGIN
namespace cuda {

/// What the rotation is fused with: norm, a cache or e4m3 outputs, second banks of the masking layer.
struct kernel_request {
    element type = element::bfloat16;  ///< of q, k and v
    pairing paired = pairing::half_split;
    bool norm = false;
    bool writes = false;  ///< to a paged cache, or in e4m3
    bool banks = false;   ///< straight from a plan
    bool wide = true;     ///< rows on 16-byte boundaries (8 in e4m3), heads and pairs in multiples of eight
};

/// Positions, tables of a row per token, plans and tails are shipped alike; banks come from plans.
[[nodiscard]] constexpr bool supports(const kernel_request& asked) noexcept {
    using namespace detail;
    if (asked.writes && asked.banks) return false;
    const parts what = asked.banks    ? (asked.norm ? parts::norm_banks : parts::banks)
                       : asked.writes ? (asked.norm ? parts::norm_write : parts::write)
                       : asked.norm   ? parts::norm
                                      : parts::plain;
    const channel_order order = asked.paired == pairing::adjacent ? channel_order::adjacent : channel_order::half_split;
    bool found = false;
#define POLYROPE_CUDA_KERNEL(T_, order_, source_, pairs_, parts_)                                    \
    found = found || (element_traits<T_>::kind == asked.type && order_ == order && parts_ == what && \
                      (pairs_ == 1 || asked.wide) && std::is_same_v<source_, planned_rows>);
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_KERNEL
    return found;
}

}  // namespace cuda
POLYROPE_END
