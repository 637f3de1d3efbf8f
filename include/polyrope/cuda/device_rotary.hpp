#pragma once
// A rotary on the device: its pairs in memory of the caller's, and the numbers beside them. Made once per model:
//
//     void* memory = ...;                                     // device_bytes(rope), on a 64-byte boundary
//     cudaMemcpyAsync(memory, device_data(rope), device_bytes(rope), cudaMemcpyHostToDevice, stream);
//     const auto turned_there = on_device(rope, memory);      // a value; the memory outlives it
//
// Nothing here needs a CUDA compiler.

#include "polyrope/rotary/rotary.hpp"

POLYROPE_BEGIN
namespace cuda {

/// Bytes that the kernels read of a rotary: 384 per head group and sixteen pairs.
[[nodiscard]] inline index_t device_bytes(const rotary& rope) noexcept {
    return rope.frequencies().groups() * rope.lane_blocks() *
           static_cast<index_t>(sizeof(polyrope::detail::pair_lanes));
}
[[nodiscard]] inline const void* device_data(const rotary& rope) noexcept { return rope.lanes(0); }

struct device_rotary {
    const polyrope::detail::pair_lanes* lanes = nullptr;
    index_t pairs = 0, lane_blocks = 0, groups = 1;
    int axes = 0;
    float attention_scaling = 1.0f;
    pairing paired = pairing::half_split;
    phase angle = phase::exact;
    rounding round = rounding::once;

    [[nodiscard]] constexpr index_t rotary_dim() const noexcept { return 2 * pairs; }
};

[[nodiscard]] inline device_rotary on_device(const rotary& rope, const void* memory) noexcept {
    return {static_cast<const polyrope::detail::pair_lanes*>(memory),
            rope.pairs(),
            rope.lane_blocks(),
            rope.frequencies().groups(),
            rope.axes(),
            static_cast<float>(rope.frequencies().attention_scaling()),
            rope.paired(),
            rope.angle(),
            rope.round()};
}

}  // namespace cuda
POLYROPE_END
