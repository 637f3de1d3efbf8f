#include "polyrope/core/partition.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace polyrope;

namespace {
// The shares follow one another from begin to end, and their sizes differ by one at most.
void check_shares(index_t begin, index_t end, int nth) {
    CAPTURE(begin, end, nth);
    index_t next = begin, smallest = index_t{INT64_MAX}, largest = 0;
    bool in_order = true;
    for (int ith = 0; ith < nth; ++ith) {
        const token_range mine = share({token_index{begin}, token_index{end}}, {ith, nth});
        in_order = in_order && mine.begin.value == next && mine.size() >= 0;
        next = mine.end.value;
        smallest = std::min(smallest, mine.size());
        largest = std::max(largest, mine.size());
    }
    CHECK(in_order);
    CHECK(next == end);
    CHECK(largest - smallest <= 1);
}
static_assert(share({token_index{0}, token_index{10}}, {0, 3}).end == token_index{4}, "share is constexpr");
}  // namespace

TEST_CASE("shares cover the range without overlap") {
    for (const index_t begin : {0, 1, 1000})
        for (const index_t size : {0, 1, 2, 7, 64, 1001})
            for (const int nth : {1, 2, 3, 7, 64, 1000}) check_shares(begin, begin + size, nth);
}

TEST_CASE("shares of ranges near the end of 64 bits do not overflow") {
    for (const int nth : {1, 2, 3, 1000}) {
        check_shares(0, INT64_MAX, nth);
        check_shares(INT64_MAX - 5, INT64_MAX, nth);
        check_shares(INT64_MAX, INT64_MAX, nth);
    }
    const token_range all{token_index{0}, token_index{INT64_MAX}};
    CHECK(share(all, {INT32_MAX - 1, INT32_MAX}).end == token_index{INT64_MAX});
}

TEST_CASE("what is no partition has an empty share") {
    const token_range all{token_index{3}, token_index{9}};
    for (const partition p :
         {partition{0, 0}, partition{0, -1}, partition{-1, 2}, partition{2, 2}, partition{INT32_MIN, INT32_MIN}}) {
        CAPTURE(p.ith, p.nth);
        CHECK(share(all, p).size() == 0);
    }
    CHECK(share({token_index{9}, token_index{3}}, {0, 1}).size() == 0);
    CHECK(share(all, {}).size() == 6);
}
