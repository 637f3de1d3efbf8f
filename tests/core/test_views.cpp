#include "polyrope/core/views.hpp"
#include "support/catch.hpp"

#include <numeric>
#include <type_traits>
#include <vector>

using namespace polyrope;

static_assert(std::is_trivially_copyable_v<heads_view<float>> && std::is_trivially_copyable_v<positions_view<int>>,
              "views own nothing and go to a device as they are");
static_assert(std::is_convertible_v<positions_view<int>, positions_view<const int>> &&
                  !std::is_convertible_v<positions_view<const int>, positions_view<int>>,
              "positions become read-only, never the other way");

TEST_CASE("compact heads lie token after token") {
    std::vector<float> data(2 * 3 * 4);
    const auto view = compact_heads(data.data(), 2, 3, 4);
    CHECK(view.at(0, 0) == data.data());
    CHECK(view.at(0, 2) == data.data() + 8);
    CHECK(view.at(1, 1) == data.data() + 16);
    CHECK_FALSE(view.empty());
    CHECK(view.as_const().at(1, 2) == data.data() + 20);
}

TEST_CASE("heads of packed rows step over their neighbours") {
    // Rows of 2 query heads, 1 key head and 1 value head, 8 channels each.
    std::vector<float> data(3 * 4 * 8);
    const auto q = packed_heads(data.data(), 3, 4, 0, 2, 8), k = packed_heads(data.data(), 3, 4, 2, 1, 8);
    CHECK(q.at(2, 1) == data.data() + 2 * 32 + 8);
    CHECK(k.at(0, 0) == data.data() + 16);
    CHECK(k.at(2, 0) == data.data() + 2 * 32 + 16);
    CHECK(k.heads == 1);
    CHECK(k.token_stride == 32);
}

TEST_CASE("a range of tokens keeps its strides") {
    std::vector<float> data(5 * 2 * 4);
    const auto view = compact_heads(data.data(), 5, 2, 4), part = view.sub(2, 4);
    CHECK(part.tokens == 2);
    CHECK(part.at(0, 1) == view.at(2, 1));
    CHECK(part.at(1, 0) == view.at(3, 0));
}

TEST_CASE("no heads and no tokens are empty") {
    CHECK(no_heads<float>().empty());
    CHECK(compact_heads<float>(nullptr, 0, 3, 4).empty());
    CHECK(compact_heads<float>(nullptr, 3, 0, 4).empty());
}

TEST_CASE("fault 4: a sub-batch of an axis-major array is no contiguous piece of it", "[fault]") {
    // Four text tokens, an image of 1 x 2 x 3 tokens, five text tokens; [axes 3, tokens 15].
    std::vector<int> data = {0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 8, 9, 10, 11,  //
                             0, 1, 2, 3, 4, 4, 4, 5, 5, 5, 7, 8, 9, 10, 11,  //
                             0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7, 8, 9, 10, 11};
    const auto part = axis_major(data.data(), 3, 15).sub(6, 10);
    CHECK(part.tokens == 4);
    std::vector<int> read;
    for (index_t a = 0; a < 3; ++a)
        for (index_t n = 0; n < part.tokens; ++n) read.push_back(part.at(a, n));
    CHECK(read == std::vector<int>{4, 4, 4, 4, 4, 5, 5, 5, 6, 4, 5, 6});
}

TEST_CASE("positions read the same in either memory order") {
    std::vector<int> rows(3 * 4), columns(4 * 3);
    const auto a_major = axis_major(rows.data(), 3, 4);
    const auto n_major = token_major(columns.data(), 3, 4);
    for (index_t a = 0; a < 3; ++a)
        for (index_t n = 0; n < 4; ++n) a_major.at(a, n) = n_major.at(a, n) = static_cast<int>(10 * a + n);
    CHECK(rows == std::vector<int>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
    CHECK(columns == std::vector<int>{0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23});
    CHECK(n_major.sub(1, 3).at(2, 0) == 21);
    const positions_view<const int> read_only = a_major;
    CHECK(read_only.at(1, 3) == 13);
}
