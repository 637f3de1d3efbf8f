#pragma once
// The product of an allocation and a spectrum, as plain data: for every rotary pair its axis and its frequency.
// Policies make it, kernels only read it, so a layout that comes from a config file at run time is as fast as one known
// to the compiler.
//
//     auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6},
//                                       /*rotary_dim*/ 128, pairing::half_split);
//     if (!table.ok()) std::puts(to_string(table.error()).c_str());

#include <vector>

#include "polyrope/core/pairing.hpp"
#include "polyrope/core/result.hpp"
#include "polyrope/frequency/detail/series_places.hpp"
#include "polyrope/frequency/is_allocation.hpp"
#include "polyrope/frequency/is_spectrum.hpp"
#include "polyrope/frequency/turns.hpp"

POLYROPE_BEGIN

/// One rotary pair. All numbers are zero where `which` is axis_none.
struct pair_frequency {
    axis which = axis_none;
    double frequency = 0.0;  ///< radians per unit of position: the definition
    float inv_freq = 0.0f;   ///< the same, rounded once to float32; a float32 that was handed in, unchanged
    float turns_hi = 0.0f;   ///< turns per unit of position, see turns_of
    float turns_lo = 0.0f;
    float wrapped_hi = 0.0f;  ///< turns per 65536 units of position less whole turns, see wrapped_turns_of
    float wrapped_lo = 0.0f;
};

/// Axis and frequency of a pair, for tables written out by hand.
struct axis_frequency {
    axis which = axis_none;
    double frequency = 0.0;  ///< radians per unit of position, of either sign
};

struct frequency_options {
    /// Factor of every cosine and sine in place of the spectrum's own; 0 keeps the spectrum's.
    double attention_scaling = 0.0;
    /// Axes of the positions where they have more than the pairs read, as in engines with four position planes; 0: as
    /// many as the allocation has.
    int axes = 0;
};

/// Most channels that rotate, and most entries (groups x pairs), of one table.
inline constexpr index_t max_rotary_dim = 65536;
inline constexpr index_t max_frequency_entries = 1 << 20;

namespace detail {
struct frequency_table_maker;
}

/// Immutable and valid, or empty (no pairs) when default constructed.
class frequency_table {
public:
    frequency_table() = default;

    [[nodiscard]] pairing paired() const noexcept { return paired_; }
    [[nodiscard]] index_t rotary_dim() const noexcept { return rotary_dim_; }
    [[nodiscard]] index_t pairs() const noexcept { return rotary_dim_ / 2; }
    [[nodiscard]] int axes() const noexcept { return axes_; }
    [[nodiscard]] index_t groups() const noexcept { return groups_; }
    [[nodiscard]] double attention_scaling() const noexcept { return attention_scaling_; }

    /// Pair l of a head group.
    [[nodiscard]] const pair_frequency& at(index_t group, index_t l) const noexcept {
        return entries_[static_cast<std::size_t>(group * pairs() + l)];
    }
    /// All entries [groups, pairs], compact.
    [[nodiscard]] const pair_frequency* data() const noexcept { return entries_.data(); }

    /// The group of head `head` of `heads`, both counted over the whole model. A shard that starts at head0 passes
    /// head0 + m.
    [[nodiscard]] index_t group_of(index_t head, index_t heads) const noexcept { return head * groups_ / heads; }

private:
    friend struct detail::frequency_table_maker;

    std::vector<pair_frequency> entries_;
    index_t rotary_dim_ = 0;
    index_t groups_ = 1;
    double attention_scaling_ = 1.0;
    int axes_ = 0;
    pairing paired_ = pairing::half_split;
};

namespace detail {

[[nodiscard]] constexpr status check_rotary_dim(index_t rotary_dim) noexcept {
    if (rotary_dim <= 0 || rotary_dim % 2 != 0) return {errc::rotary_dim_odd, operand::rotary_dim, 0, 0, rotary_dim};
    if (rotary_dim > max_rotary_dim)
        return {errc::capacity_exceeded, operand::rotary_dim, 0, max_rotary_dim, rotary_dim};
    return {};
}

[[nodiscard]] constexpr status check_extents(index_t groups, index_t rotary_dim) noexcept {
    if (const status s = check_rotary_dim(rotary_dim); !s.ok()) return s;
    const index_t most_groups = max_frequency_entries / (rotary_dim / 2);
    if (groups <= 0 || groups > most_groups)
        return {errc::capacity_exceeded, operand::frequency_table, 0, most_groups, groups};
    return {};
}

/// Fills a table from `entry(group, l) -> axis_frequency`.
struct frequency_table_maker {
    template <class Entry>
    [[nodiscard]] static result<frequency_table> make(Entry entry, int axes, index_t groups, index_t rotary_dim,
                                                      pairing paired, double attention_scaling,
                                                      frequency_options options) {
        if (const status s = check_extents(groups, rotary_dim); !s.ok()) return s;
        if (const status s = check_pairing(paired, rotary_dim); !s.ok()) return s;
        if (axes < 1 || axes > max_axes)
            return status{errc::axis_count_invalid, operand::frequency_table, 0, max_axes, axes};
        if (options.axes != 0 && (options.axes < axes || options.axes > max_axes))
            return status{errc::axis_count_mismatch, operand::positions, 0, axes, options.axes};
        const double scaling = options.attention_scaling != 0.0 ? options.attention_scaling : attention_scaling;
        if (!is_finite(scaling) || !(scaling > 0.0) || !fits_float32(scaling))
            return status{errc::attention_scaling_invalid, operand::frequency_table, 0, 0, 0};

        frequency_table table;
        table.entries_ = std::vector<pair_frequency>(static_cast<std::size_t>(groups * (rotary_dim / 2)));
        for (index_t group = 0; group < groups; ++group) {
            for (index_t l = 0; l < rotary_dim / 2; ++l) {
                const axis_frequency given = entry(group, l);
                const int a = static_cast<int>(given.which);
                if (a < -1 || a >= axes) return status{errc::axis_invalid, operand::pair, l, axes, a};
                if (given.which == axis_none) continue;
                if (!is_finite(given.frequency) || !fits_float32(given.frequency))
                    return status{errc::frequency_invalid, operand::pair, l, 0, 0};
                const float_pair turns = turns_of(given.frequency), wrapped = wrapped_turns_of(given.frequency);
                table.entries_[static_cast<std::size_t>(group * (rotary_dim / 2) + l)] = {
                    given.which, given.frequency, static_cast<float>(given.frequency), turns.hi, turns.lo,
                    wrapped.hi,  wrapped.lo};
            }
        }
        table.rotary_dim_ = rotary_dim;
        table.groups_ = groups;
        table.attention_scaling_ = scaling;
        table.axes_ = options.axes != 0 ? options.axes : axes;
        // One block as wide as the head is half_split, by one name.
        table.paired_ = paired != pairing::adjacent && paired.block(rotary_dim) == rotary_dim ? pairing() : paired;
        return table;
    }
};

}  // namespace detail

/// The table of an allocation and a spectrum. `rotary_dim` is the number of channels that rotate, even; it is never
/// taken from head_dim, and the frequencies of a partial rotation are those of rotary_dim.
template <class Allocation, class Spectrum>
[[nodiscard]] POLYROPE_COLD result<frequency_table> make_frequency_table(const Allocation& allocation,
                                                                         const Spectrum& spectrum, index_t rotary_dim,
                                                                         pairing paired,
                                                                         frequency_options options = {}) {
    static_assert(
        is_allocation_v<Allocation>,
        "the first argument must be an allocation: give it axes(), groups(), validate(pairs) and operator()(l, group), "
        "see polyrope/frequency/is_allocation.hpp");
    static_assert(is_spectrum_v<Spectrum>,
                  "the second argument must be a spectrum: give it validate(rotary_dim), frequency(l, rotary_dim) and "
                  "attention_scaling(), see polyrope/frequency/is_spectrum.hpp");
    if (const status s = detail::check_rotary_dim(rotary_dim); !s.ok()) return s;
    if (const status s = allocation.validate(rotary_dim / 2); !s.ok()) return s;
    if (const status s = detail::check_extents(allocation.groups(), rotary_dim); !s.ok()) return s;
    std::conditional_t<restarts_per_axis_v<Spectrum>, detail::series_per_axis, detail::one_series> places{rotary_dim};
    if (const status s = places.validate(allocation, spectrum); !s.ok()) return s;
    return detail::frequency_table_maker::make(
        [&](index_t group, index_t l) {
            const axis which = allocation(l, group);
            if (l == 0) places.begin_group(allocation, group);
            if (!detail::is_axis(which)) return axis_frequency{which, 0.0};
            const detail::series_place at = places.next(which, l);
            return axis_frequency{which, spectrum.frequency(at.l, at.rotary_dim)};
        },
        allocation.axes(), allocation.groups(), rotary_dim, paired, spectrum.attention_scaling(), options);
}

/// A table written out: `entries` [groups, pairs], compact, over positions of `axes` axes.
[[nodiscard]] inline result<frequency_table> make_frequency_table(const axis_frequency* entries, index_t groups,
                                                                  index_t pairs, int axes, pairing paired,
                                                                  frequency_options options = {}) {
    if (entries == nullptr) return status{errc::null_data, operand::frequency_table, 0, 0, pairs};
    if (pairs <= 0 || pairs > max_rotary_dim / 2)
        return status{errc::capacity_exceeded, operand::pair, 0, max_rotary_dim / 2, pairs};
    return detail::frequency_table_maker::make([&](index_t group, index_t l) { return entries[group * pairs + l]; },
                                               axes, groups, 2 * pairs, paired, 1.0, options);
}

POLYROPE_END
