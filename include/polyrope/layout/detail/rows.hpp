#pragma once
// Rows of positions in memory: a constant, a run of equal steps, and a repetition of what was just written. These three
// are all that a whole-number placement needs, and they keep a plain -O2 build near the speed of memory: sixteen bytes
// at a time where the compiler has portable vectors, one element otherwise.

#include <cstring>

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN
namespace detail {
inline namespace POLYROPE_AMBIENT {

#if defined(__GNUC__) && !defined(__CUDACC__)
template <class P>
struct lanes {
    typedef P type __attribute__((vector_size(16)));
    static constexpr index_t count = 16 / static_cast<index_t>(sizeof(P));
};

/// out[0, n) = value.
template <class P>
inline void write_constant(P* out, index_t n, P value) noexcept {
    using vector = typename lanes<P>::type;
    constexpr index_t width = lanes<P>::count;
    if (n < width) {
        for (index_t i = 0; i < n; ++i) out[i] = value;
        return;
    }
    const vector v = value - vector{};  // a broadcast, of -0 too
    for (index_t i = 0; i + width <= n; i += width) std::memcpy(out + i, &v, sizeof(v));
    std::memcpy(out + n - width, &v, sizeof(v));  // the rest, over what is there already
}

/// out[i] = first + i * step, exact in P.
template <class P>
inline void write_steps(P* out, index_t n, P first, P step) noexcept {
    using vector = typename lanes<P>::type;
    constexpr index_t width = lanes<P>::count;
    if (n < width) {
        for (index_t i = 0; i < n; ++i) out[i] = static_cast<P>(first + static_cast<P>(i) * step);
        return;
    }
    vector v;
    for (index_t i = 0; i < width; ++i) v[i] = static_cast<P>(first + static_cast<P>(i) * step);
    const vector stride = static_cast<P>(static_cast<P>(width) * step) - vector{};
    index_t i = 0;
    for (; i + width <= n; i += width, v += stride) std::memcpy(out + i, &v, sizeof(v));
    for (; i < n; ++i) out[i] = static_cast<P>(first + static_cast<P>(i) * step);
}
#else
template <class P>
inline void write_constant(P* out, index_t n, P value) noexcept {
    for (index_t i = 0; i < n; ++i) out[i] = value;
}
template <class P>
inline void write_steps(P* out, index_t n, P first, P step) noexcept {
    for (index_t i = 0; i < n; ++i) out[i] = static_cast<P>(first + static_cast<P>(i) * step);
}
#endif

/// out[i] = out[i - period] for i in [period, n): the first `period` elements, over and over.
template <class P>
inline void repeat(P* out, index_t n, index_t period) noexcept {
    for (index_t done = period; done < n;) {
        const index_t more = done < n - done ? done : n - done;
        std::memcpy(out + done, out, static_cast<std::size_t>(more) * sizeof(P));
        done += more;
    }
}

}  // namespace POLYROPE_AMBIENT
}  // namespace detail
POLYROPE_END
