#pragma once
// The list of shipped kernels (shipped.inl) as types.

#include "polyrope/cuda/detail/bind.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

template <channel_order Order, int Pairs>
struct shipped_kernel {
    static constexpr channel_order order = Order;
    static constexpr int pairs = Pairs;
};

/// Calls body(shipped_kernel) for every shipped kernel of an element type, a source of angles and its parts.
template <class T, class Source, parts Parts, class Body>
void for_shipped(Body body) {
#define POLYROPE_CUDA_KERNEL(T_, order_, source_, pairs_, parts_)                              \
    if constexpr (std::is_same_v<T, T_> && std::is_same_v<Source, source_> && Parts == parts_) \
        body(shipped_kernel<order_, pairs_>{});
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_KERNEL
}

/// Why a task has no kernel: caches, e4m3 outputs and second banks are written in wide accesses alone.
[[nodiscard]] inline status not_shipped(const rotate_task& task, parts what, index_t size) noexcept {
    for (const auto& [o, name] : {std::pair{&task.q(), operand::q}, {&task.k(), operand::k}, {&task.v(), operand::v}})
        if (!is_wide(*o, size)) return {errc::alignment_invalid, name, 0, 16, 0};
    return {errc::unsupported, operand::rotary_dim, static_cast<index_t>(what), 0, 0};
}

}  // namespace cuda::detail
POLYROPE_END
