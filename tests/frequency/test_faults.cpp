// Public faults of the axis allocation (K6), of partial rotation (K8) and of its configuration, by number.

#include "polyrope/core/views.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>

using namespace polyrope;

namespace {

template <class Allocation>
result<frequency_table> made(const Allocation& a, index_t rotary_dim, double theta = 5e6) {
    return make_frequency_table(a, spectrum::geometric{theta}, rotary_dim, pairing::half_split);
}

std::string letters(const frequency_table& table) {
    std::string all;
    for (index_t l = 0; l < table.pairs(); ++l) all += letter(table.at(0, l).which);
    return all;
}

std::string sentence_of(status s) { return to_string(s).c_str(); }

}  // namespace

TEST_CASE("fault 27: contiguous sections were used for an interleaved model", "[fault]") {
    std::string turns;
    for (int i = 0; i < 20; ++i) turns += "thw";
    const std::string right = letters(made(allocation::interleaved{thw{24, 20, 20}}, 128).value());
    CHECK(right == turns + "tttt");
    CHECK(std::count(right.begin(), right.end(), 't') == 24);
    CHECK(std::count(right.begin(), right.end(), 'h') == 20);
    CHECK(std::count(right.begin(), right.end(), 'w') == 20);
    CHECK(letters(made(allocation::chunked{thw{24, 20, 20}}, 128).value()) ==
          std::string(24, 't') + std::string(20, 'h') + std::string(20, 'w'));
}

TEST_CASE("fault 28: the interleave was a stride of three without a bound", "[fault]") {
    const auto table = made(allocation::interleaved{thw{24, 20, 20}}, 128);
    CHECK(table->at(0, 61).which == axis::t);
    CHECK(table->at(0, 62).which == axis::t);
    CHECK(table->at(0, 58).which == axis::h);
    CHECK(table->at(0, 59).which == axis::w);
}

TEST_CASE("fault 29: pairs that matched no case followed a fourth axis that text leaves at zero", "[fault]") {
    frequency_options four_planes;
    four_planes.axes = 4;
    const auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                            pairing::half_split, four_planes);
    REQUIRE(table.ok());
    CHECK(table->axes() == 4);
    for (index_t l = 0; l < 64; ++l)
        CHECK(static_cast<int>(table->at(0, l).which) < 3);  // nothing reads the fourth plane
    CHECK(table->at(0, 61).which == axis::t);
    CHECK(200000 * table->at(0, 61).frequency == Approx(0.0824).epsilon(1e-3));
}

TEST_CASE("fault 30: sections did not sum to the pairs", "[fault]") {
    CHECK(made(allocation::chunked{thw{16, 24, 24}}, 128).ok());
    CHECK(made(allocation::interleaved{thw{24, 20, 20}}, 128).ok());
    CHECK(sentence_of(made(allocation::chunked{thw{32, 48, 48}}, 128).error()) ==
          "the sections hold 128 pairs, and rotary_dim has 64");
    CHECK(sentence_of(made(allocation::chunked{thw{16, 24, 24}}, 80).error()) ==
          "the sections hold 64 pairs, and rotary_dim has 40");
    CHECK(sentence_of(made(allocation::interleaved{thw{32, 48, 48}}, 128).error()) ==
          "the sections hold 128 pairs, and rotary_dim has 64");
}

TEST_CASE("fault 31: a table says how many axes its positions have", "[fault]") {
    const section four[] = {{axis::t, 16}, {axis::w, 16}, {axis::h, 16}, {axis::u, 16}};
    CHECK(made(allocation::chunked{four}, 128)->axes() == 4);
    CHECK(sentence_of({errc::axis_count_mismatch, operand::positions, 0, 4, 3}) ==
          "the frequency table turns 4 axes, and positions has 3");
}

TEST_CASE("fault 33: bad sections passed to the kernel", "[fault]") {
    CHECK(sentence_of(made(allocation::chunked{thw{0, 0, 0}}, 64).error()) ==
          "the sections hold 0 pairs, and rotary_dim has 32");
    const section two[] = {{axis::t, 11}, {axis::h, 11}};
    CHECK(sentence_of(made(allocation::chunked{two}, 64).error()) ==
          "the sections hold 22 pairs, and rotary_dim has 32");
    CHECK(sentence_of(made(allocation::chunked{thw{-1, 17, 16}}, 64).error()) == "section 0 holds -1 pairs");
    CHECK(sentence_of(made(allocation::interleaved{thw{-1, 17, 16}}, 64).error()) == "section 0 holds -1 pairs");
    // Four planes are named as such.
    const section planes[] = {{axis::t, 11}, {axis::h, 11}, {axis::w, 10}, {axis::u, 0}};
    CHECK(made(allocation::chunked{planes}, 64)->axes() == 4);
    const index_t most = std::numeric_limits<index_t>::max();
    CHECK(made(allocation::chunked{thw{most, most, 2}}, 64).error().code == errc::size_overflow);
    CHECK(made(allocation::interleaved{thw{0, most, most}}, 64).error().code == errc::size_overflow);
    CHECK(made(allocation::chunked{thw{std::numeric_limits<index_t>::min(), 0, 0}}, 64).error().code ==
          errc::section_negative);
}

TEST_CASE("fault 37: the frequencies of a partial rotation are those of rotary_dim", "[fault]") {
    const section one[] = {{axis::t, 2}};
    const auto table = made(allocation::chunked{one}, 4, 10000.0);  // a head of 16 channels, of which 4 rotate
    CHECK(table->at(0, 0).inv_freq == 1.0f);
    CHECK(table->at(0, 1).inv_freq == 0.01f);
}
