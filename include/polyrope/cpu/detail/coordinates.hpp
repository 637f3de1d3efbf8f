#pragma once
// Positions as the phase kernels read them: one aligned block of floats per token. Every position inside int32 is
// carried whole; a position that one float holds takes the short road.

#include "polyrope/core/views.hpp"
#include "polyrope/cpu/detail/job.hpp"
#include "polyrope/rotary/position_parts.hpp"

POLYROPE_BEGIN
namespace cpu::detail {
inline namespace POLYROPE_AMBIENT {

inline constexpr index_t int32_limit = 2147483647;
inline constexpr index_t chunk_tokens = 64;

// `many` and `rest` are read only where a coordinate of the token is split, and cleared only then.
inline void begin_split(token_coordinates& at) noexcept {
    if (at.split != 0) return;
    for (int a = 0; a < 8; ++a) at.many[a] = at.rest[a] = 0.0f;
    at.split = 1;
}

template <class P>
POLYROPE_ALWAYS_INLINE void put_coordinate(token_coordinates& at, int a, P position, bool product) noexcept {
    const pd::position_parts parts = pd::parts_of(position, product);
    at.low[a] = parts.low;
    if (!parts.split) return;
    begin_split(at);
    at.many[a] = parts.many;
    at.rest[a] = parts.rest;
}

/// Coordinates of tokens [begin, end) of `positions`, at most chunk_tokens.
template <class P>
void put_coordinates(token_coordinates* out, const positions_view<const P>& positions, index_t begin, index_t end,
                     phase angle) noexcept {
    const bool product = angle == phase::float32;
    const auto axes = static_cast<int>(positions.axes);
    for (index_t n = begin; n < end; ++n) {
        token_coordinates& at = out[n - begin];
        for (int a = 0; a < 8; ++a) at.low[a] = 0.0f;
        at.split = 0;
        const P* p = positions.data + n * positions.token_stride;
        for (int a = 0; a < axes; ++a) put_coordinate(at, a, p[a * positions.axis_stride], product);
    }
}

/// A real position as a whole number for a sentence: INT64_MAX and INT64_MIN stand for what lies beyond and for NaN.
[[nodiscard]] inline index_t saturated(double position) noexcept {
    const auto bits = pd::bit_copy<std::uint64_t>(position);
    if ((bits & 0x7fffffffffffffffu) < 0x43e0000000000000u) return static_cast<index_t>(position);  // 2^63
    return (bits >> 63) != 0 ? INT64_MIN : INT64_MAX;
}

/// The first token of [begin, end) with a position outside int32, or not finite.
template <class P>
[[nodiscard]] status check_positions(const positions_view<const P>& positions, index_t begin, index_t end,
                                     operand what) noexcept {
    if constexpr (std::is_same_v<P, std::int32_t>) {
        return {};
    } else {
        for (index_t a = 0; a < positions.axes; ++a) {
            for (index_t n = begin; n < end; ++n) {
                const P p = positions.at(a, n);
                if constexpr (std::is_integral_v<P>) {
                    if (p < -int32_limit - 1 || p > int32_limit)
                        return {errc::position_out_of_range, what, n, int32_limit, static_cast<index_t>(p)};
                } else {
                    // Read as bits, so that NaN is seen under -ffast-math too.
                    const auto bits =
                        std::is_same_v<P, float>
                            ? static_cast<std::uint64_t>(pd::bit_copy<std::uint32_t>(static_cast<float>(p))) << 32
                            : pd::bit_copy<std::uint64_t>(static_cast<double>(p));
                    const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
                    const std::uint64_t limit =
                        std::is_same_v<P, float> ? std::uint64_t{0x4f000000u} << 32 : 0x41e0000000000000u;  // 2^31
                    // -2^31 is an int32.
                    if (magnitude > limit || (magnitude == limit && bits == magnitude))
                        return {errc::position_out_of_range, what, n, int32_limit, saturated(static_cast<double>(p))};
                }
            }
        }
        return {};
    }
}

}  // namespace POLYROPE_AMBIENT
}  // namespace cpu::detail
POLYROPE_END
