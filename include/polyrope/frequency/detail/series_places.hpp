#pragma once
// Where a pair stands in the series of frequencies that it takes a member of: one series over all pairs, or one per
// axis of a head group (spectra that restart per axis).

#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/is_spectrum.hpp"

POLYROPE_BEGIN

namespace detail {

/// The arguments of Spectrum::frequency.
struct series_place {
    index_t l;
    index_t rotary_dim;
};

[[nodiscard]] constexpr bool is_axis(axis which) noexcept {
    return static_cast<int>(which) >= 0 && static_cast<int>(which) < max_axes;
}

/// Frequencies count over all pairs.
struct one_series {
    index_t rotary_dim;

    template <class Allocation, class Spectrum>
    [[nodiscard]] status validate(const Allocation&, const Spectrum& spectrum) const noexcept {
        return spectrum.validate(rotary_dim);
    }
    template <class Allocation>
    void begin_group(const Allocation&, index_t) const noexcept {}
    [[nodiscard]] series_place next(axis, index_t l) const noexcept { return {l, rotary_dim}; }
};

/// Frequencies count over the pairs of one axis of a head group; the pairs of a group are asked for in order.
struct series_per_axis {
    index_t rotary_dim;
    index_t width[max_axes] = {};  // channels of each axis
    index_t seen[max_axes] = {};   // its pairs so far

    template <class Allocation, class Spectrum>
    [[nodiscard]] status validate(const Allocation& allocation, const Spectrum& spectrum) noexcept {
        for (index_t group = 0; group < allocation.groups(); ++group) {
            begin_group(allocation, group);
            for (const index_t channels : width)
                if (channels != 0)
                    if (const status s = spectrum.validate(channels); !s.ok()) return s;
        }
        return {};
    }
    template <class Allocation>
    void begin_group(const Allocation& allocation, index_t group) noexcept {
        for (int a = 0; a < max_axes; ++a) width[a] = seen[a] = 0;
        for (index_t l = 0; l < rotary_dim / 2; ++l)
            if (const axis which = allocation(l, group); is_axis(which)) width[static_cast<int>(which)] += 2;
    }
    [[nodiscard]] series_place next(axis which, index_t) noexcept {
        const int a = static_cast<int>(which);
        return {seen[a]++, width[a]};
    }
};

}  // namespace detail

POLYROPE_END
