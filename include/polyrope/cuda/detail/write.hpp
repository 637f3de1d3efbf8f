#pragma once
// Where a thread's channels go: in place or to an output, and into a paged cache, as the element type or as e4m3.

#include "polyrope/core/fp8.hpp"
#include "polyrope/cuda/detail/channels.hpp"
#include "polyrope/cuda/detail/task.hpp"
#include "polyrope/rotary/rotation.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// A page and the place in it; page -1: the token is not kept.
struct cache_row {
    std::int32_t page = -1, place = 0;
};

/// Where the cache keeps token n. Slots, requests, pages and places that do not exist are not kept, as -1 is not.
POLYROPE_DEVICE_FUNCTION cache_row cache_row_of(const task_pages& pages, index_t n) {
    const auto size = static_cast<std::uint32_t>(pages.size);
    const index_t at = pages.slots != nullptr ? pages.slots[n] : pages.index_of[n];
    if (at < 0 || at >> 32 != 0) return {};
    const std::uint32_t page = static_cast<std::uint32_t>(at) / size, place = static_cast<std::uint32_t>(at) % size;
    if (pages.slots != nullptr) {
        if (page >= static_cast<std::uint32_t>(pages.count)) return {};
        return {static_cast<std::int32_t>(page), static_cast<std::int32_t>(place)};
    }
    const index_t request = pages.request_of == nullptr ? n : pages.request_of[n];
    if (request < 0 || request >= pages.requests || page >= static_cast<std::uint32_t>(pages.width)) return {};
    const std::int32_t found = pages.table[request * pages.table_stride + static_cast<index_t>(page)];
    if (found < 0 || found >= pages.count) return {};
    return {found, static_cast<std::int32_t>(place)};
}

// Eight e4m3 values in one access of eight bytes, or one.
POLYROPE_DEVICE_FUNCTION void store_e4m3(void* to, const float (&v)[8]) {
    const std::uint32_t low = static_cast<std::uint32_t>(pd::e4m3_pair_bits(v[0], v[1])) |
                              static_cast<std::uint32_t>(pd::e4m3_pair_bits(v[2], v[3])) << 16;
    const std::uint32_t high = static_cast<std::uint32_t>(pd::e4m3_pair_bits(v[4], v[5])) |
                               static_cast<std::uint32_t>(pd::e4m3_pair_bits(v[6], v[7])) << 16;
#if defined(__CUDA_ARCH__)
    *static_cast<uint2*>(to) = make_uint2(low, high);
#else
    std::memcpy(to, &low, sizeof(low));
    std::memcpy(static_cast<char*>(to) + sizeof(low), &high, sizeof(high));
#endif
}
POLYROPE_DEVICE_FUNCTION void store_e4m3(void* to, const float (&v)[1]) {
    *static_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(pd::e4m3_pair_bits(v[0], 0.0f));
}

/// Where a target keeps the token that begins `at` elements behind its base; null where it is not written.
template <class T, bool Narrows>
POLYROPE_DEVICE_FUNCTION char* row_of(const task_target& target, index_t at) {
    if (target.data == nullptr) return nullptr;
    const bool narrow = Narrows && target.is_e4m3 != 0;
    return static_cast<char*>(target.data) + at * static_cast<index_t>(narrow ? sizeof(e4m3) : sizeof(T));
}

/// Writes channels [channel, channel + Count) of head m: `raw`, as they were read, where nothing `changed` them. A
/// kernel that `Narrows` looks whether the target holds e4m3.
template <class T, bool Narrows, int Count>
POLYROPE_DEVICE_FUNCTION void write_channels(rounding how, const task_target& target, char* row, std::int32_t m,
                                             std::int32_t channel, const float (&x)[Count],
                                             const channels<T, Count>& raw, bool changed) {
    const index_t place = m * target.head_stride + channel;
    if (!Narrows || target.is_e4m3 == 0) {
        char* const to = row + place * static_cast<index_t>(sizeof(T));
        if (changed) channels<T, Count>::store(to, x);
        else raw.copy(to);
        return;
    }
    const float scale = target.multipliers == nullptr ? target.multiplier
                                                      : pd::scalar::multiply(target.multiplier, target.multipliers[m]);
    float scaled[Count];
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Count; ++i) {
        // Under `once` the value is rounded a single time; else as if it had been stored first.
        const float value = how == rounding::once ? x[i] : pd::scalar::round_to(element_traits<T>::kind, x[i]);
        scaled[i] = pd::scalar::multiply(value, scale);
    }
    store_e4m3(row + place, scaled);
}

}  // namespace cuda::detail
POLYROPE_END
