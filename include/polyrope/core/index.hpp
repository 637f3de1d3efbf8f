#pragma once
// Three numbers that other code likes to mix up: which token, which rotary position, which cache slot. After an image
// they differ, so they are different types. Conversion is by name only.

#include <cstdint>

#include "polyrope/config.hpp"

POLYROPE_BEGIN

/// Counts and strides, in elements. Signed and 64 bits wide everywhere.
using index_t = std::int64_t;

namespace detail {
/// Comparisons of a type of number with itself and nothing else.
template <class T>
struct compared_by_value {
    friend POLYROPE_HOST_DEVICE constexpr bool operator==(T a, T b) noexcept { return a.value == b.value; }
    friend POLYROPE_HOST_DEVICE constexpr bool operator!=(T a, T b) noexcept { return a.value != b.value; }
    friend POLYROPE_HOST_DEVICE constexpr bool operator<(T a, T b) noexcept { return a.value < b.value; }
};
}  // namespace detail

/// The n-th real token of a request, padding not counted, prompt and generated tokens alike; from 0.
struct token_index : detail::compared_by_value<token_index> {
    index_t value = 0;
    constexpr token_index() = default;
    POLYROPE_HOST_DEVICE constexpr explicit token_index(index_t n) noexcept : value(n) {}
};

/// A coordinate that turns a rotary pair, as a whole number. Real-valued layouts use double.
struct rotary_position : detail::compared_by_value<rotary_position> {
    index_t value = 0;
    constexpr rotary_position() = default;
    POLYROPE_HOST_DEVICE constexpr explicit rotary_position(index_t p) noexcept : value(p) {}
};

/// A place in a key cache, padding included.
struct cache_slot : detail::compared_by_value<cache_slot> {
    index_t value = 0;
    constexpr cache_slot() = default;
    POLYROPE_HOST_DEVICE constexpr explicit cache_slot(index_t s) noexcept : value(s) {}
};

/// The slot of a real token where `padding` slots of left padding stand before it, and back.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr cache_slot slot_of(token_index n, index_t padding) noexcept {
    return cache_slot{n.value + padding};
}
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr token_index token_of(cache_slot s, index_t padding) noexcept {
    return token_index{s.value - padding};
}

/// Half-open range of tokens [begin, end).
struct token_range {
    token_index begin;
    token_index end;
    [[nodiscard]] POLYROPE_HOST_DEVICE constexpr index_t size() const noexcept { return end.value - begin.value; }
};

POLYROPE_END
