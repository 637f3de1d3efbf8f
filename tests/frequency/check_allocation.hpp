#pragma once
// What every allocation must keep, so that a new one is tested by one line.

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace polyrope::test {

/// One head as a string of axis letters.
template <class Allocation>
std::string picture(const Allocation& allocation, index_t pairs, index_t group = 0) {
    std::string letters;
    for (index_t l = 0; l < pairs; ++l) letters += letter(allocation(l, group));
    return letters;
}

/// The text of a public header, or of a page beside the headers.
inline std::string header(const std::string& path) {
    std::ifstream stream(std::string(POLYROPE_INCLUDE_DIR "/") + path);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Where a pair rotates, the table holds the bits of ordinary one-dimensional rotary embedding, so that a token with
/// equal coordinates on all axes turns as there.
template <class Allocation>
void check_equal_axes(const Allocation& allocation, const frequency_table& table) {
    const auto plain = make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e6}, table.rotary_dim(),
                                            pairing::half_split);
    REQUIRE(plain.ok());
    index_t wrong = 0, turning = 0;
    for (index_t group = 0; group < allocation.groups(); ++group) {
        for (index_t l = 0; l < table.pairs(); ++l) {
            pair_frequency pair = table.at(group, l), right = plain->at(0, l);
            if (pair.which == axis_none) right = {};
            else ++turning, pair.which = axis::t;
            wrong += pair.frequency != right.frequency || pair.inv_freq != right.inv_freq ||
                     pair.turns_hi != right.turns_hi || pair.turns_lo != right.turns_lo ||
                     pair.wrapped_hi != right.wrapped_hi || pair.wrapped_lo != right.wrapped_lo;
        }
    }
    CHECK(wrong == 0);
    CHECK(turning > 0);
}

/// An allocation that fits `pairs` pairs: every pair has a real axis below axes() or none; the table holds the same
/// axes and the spectrum's frequencies by pair index, whatever the axis, so that a text token (all axes equal) turns as
/// in ordinary one-dimensional rotary embedding; and one pair more or less is refused or still keeps all of this.
template <class Allocation>
void check_allocation(const Allocation& allocation, index_t pairs) {
    static_assert(is_allocation_v<Allocation>, "the allocation under test must fulfil is_allocation_v");
    CAPTURE(pairs);
    REQUIRE(allocation.validate(pairs).ok());
    REQUIRE(allocation.axes() >= 1);
    REQUIRE(allocation.axes() <= max_axes);
    const spectrum::geometric spectrum{1e6};
    const auto table = make_frequency_table(allocation, spectrum, 2 * pairs, pairing::half_split);
    REQUIRE(table.ok());
    CHECK(table->pairs() == pairs);
    CHECK(table->axes() == allocation.axes());
    CHECK(table->groups() == allocation.groups());
    index_t wrong = 0;
    for (index_t group = 0; group < allocation.groups(); ++group) {
        for (index_t l = 0; l < pairs; ++l) {
            const axis which = allocation(l, group);
            const pair_frequency& pair = table->at(group, l);
            wrong += static_cast<int>(which) < -1 || static_cast<int>(which) >= allocation.axes();
            wrong += pair.which != which;
            wrong += pair.frequency != (which == axis_none ? 0.0 : spectrum.frequency(l, 2 * pairs));
            wrong += &pair != table->data() + group * pairs + l;
        }
    }
    CHECK(wrong == 0);
    CHECK(table->attention_scaling() == 1.0);
    check_equal_axes(allocation, *table);
}

/// Pairs of each axis of a picture.
struct axis_counts {
    index_t t = 0, h = 0, w = 0, none = 0;
    friend bool operator==(const axis_counts& a, const axis_counts& b) {
        return a.t == b.t && a.h == b.h && a.w == b.w && a.none == b.none;
    }
};
inline axis_counts counts_of(const std::string& letters) {
    const auto of = [&](char c) { return static_cast<index_t>(std::count(letters.begin(), letters.end(), c)); };
    return {of('t'), of('h'), of('w'), of('-')};
}

/// A picture is drawn in the header it belongs to, letter for letter.
inline void check_picture(const std::string& path, const std::string& letters) {
    CAPTURE(path, letters);
    CHECK(header("polyrope/frequency/" + path).find("   " + letters + "\n") != std::string::npos);
}

}  // namespace polyrope::test
