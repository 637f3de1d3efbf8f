#pragma once
// A rotary embedding, ready to turn queries and keys: a frequency table, how its angles are formed and where values are
// rounded. A value: copy it, share it between threads and layers. Every multimodal variant is one of these.
//
//     const auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6},
//                                             /*rotary_dim*/ 128, pairing::half_split);
//     const auto rope = make_rotary(*table);  // *rope is the rotary

#include <vector>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/rotary/phase.hpp"
#include "polyrope/rotary/rounding.hpp"

POLYROPE_BEGIN

namespace detail {

// Sixteen pairs as the vector kernels read them. `axis` is a lane of the token's eight coordinates; the last lane is
// always zero and serves pairs that are not rotated.
struct alignas(64) pair_lanes {
    float turns_hi[16] = {};
    float turns_lo[16] = {};
    float wrapped_hi[16] = {};
    float wrapped_lo[16] = {};
    float inv_freq[16] = {};
    std::int32_t axis[16] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
};

// Most pairs of a head that the kernels take; their rows of cosines and sines lie on the stack.
inline constexpr index_t most_pairs = 512;

// Largest frequency, radians per unit of position: with an int32 position it makes an angle of 2^51, whose quarter
// turns the kernels still count.
inline constexpr double most_frequency = 1048576.0;

// A finite number for a sentence.
[[nodiscard]] constexpr index_t whole_of(double number) noexcept {
    return number >= 9.2e18 ? INT64_MAX : number <= -9.2e18 ? INT64_MIN : static_cast<index_t>(number);
}

}  // namespace detail

struct rotary_options {
    phase angle = phase::exact;
    rounding round = rounding::once;
};

class rotary;
[[nodiscard]] result<rotary> make_rotary(frequency_table table, rotary_options options = {});

/// Immutable. A default-constructed rotary turns nothing: rotary_dim is 0.
class rotary {
public:
    rotary() = default;

    [[nodiscard]] const frequency_table& frequencies() const noexcept { return table_; }
    [[nodiscard]] phase angle() const noexcept { return options_.angle; }
    [[nodiscard]] rounding round() const noexcept { return options_.round; }
    [[nodiscard]] index_t rotary_dim() const noexcept { return table_.rotary_dim(); }
    [[nodiscard]] index_t pairs() const noexcept { return table_.pairs(); }
    [[nodiscard]] int axes() const noexcept { return table_.axes(); }
    [[nodiscard]] pairing paired() const noexcept { return table_.paired(); }

    /// Pairs of a head group in kernel form, [lane_blocks()] blocks of sixteen; an even number of blocks.
    [[nodiscard]] const detail::pair_lanes* lanes(index_t group) const noexcept {
        return lanes_.data() + static_cast<std::size_t>(group * lane_blocks());
    }
    [[nodiscard]] index_t lane_blocks() const noexcept { return (pairs() + 31) / 32 * 2; }

private:
    friend result<rotary> make_rotary(frequency_table table, rotary_options options);

    frequency_table table_;
    rotary_options options_{};
    std::vector<detail::pair_lanes> lanes_;
};

/// @return the rotary, or capacity_exceeded for more than 512 pairs or a frequency past 2^20 radians per position.
POLYROPE_COLD inline result<rotary> make_rotary(frequency_table table, rotary_options options) {
    if (table.pairs() > detail::most_pairs)
        return status{errc::capacity_exceeded, operand::rotary_dim, 0, 2 * detail::most_pairs, table.rotary_dim()};
    rotary made;
    made.table_ = std::move(table);
    made.options_ = options;
    const index_t blocks = made.lane_blocks();
    made.lanes_ = std::vector<detail::pair_lanes>(static_cast<std::size_t>(made.table_.groups() * blocks));
    for (index_t group = 0; group < made.table_.groups(); ++group) {
        for (index_t l = 0; l < made.pairs(); ++l) {
            const pair_frequency& pair = made.table_.at(group, l);
            if (pair.which == axis_none) continue;
            if (!(pair.frequency <= detail::most_frequency && pair.frequency >= -detail::most_frequency))
                return status{errc::capacity_exceeded, operand::pair, l, static_cast<index_t>(detail::most_frequency),
                              detail::whole_of(pair.frequency)};
            detail::pair_lanes& block = made.lanes_[static_cast<std::size_t>(group * blocks + l / 16)];
            const index_t lane = l % 16;
            block.turns_hi[lane] = pair.turns_hi;
            block.turns_lo[lane] = pair.turns_lo;
            block.wrapped_hi[lane] = pair.wrapped_hi;
            block.wrapped_lo[lane] = pair.wrapped_lo;
            block.inv_freq[lane] = pair.inv_freq;
            block.axis[lane] = static_cast<std::int32_t>(pair.which);
        }
    }
    return made;
}

POLYROPE_END
