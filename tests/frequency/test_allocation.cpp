#include "check_allocation.hpp"

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "polyrope/frequency/single_axis.hpp"

using namespace polyrope;
using test::check_allocation;
using test::check_picture;
using test::counts_of;
using test::picture;

namespace {

// Policies are known to the compiler too.
static_assert(allocation::chunked{thw{16, 24, 24}}(16, 0) == axis::h, "chunked is constexpr");
static_assert(allocation::interleaved{thw{24, 20, 20}}(61, 0) == axis::t, "interleaved is constexpr");
static_assert(allocation::interleaved{thw{24, 20, 20}}.validate(64).ok(), "so is its check");
static_assert(allocation::single_axis{}(5, 0) == axis::t, "single_axis is constexpr");
static_assert(!is_allocation_v<int> && !is_allocation_v<spectrum::geometric>, "not everything is an allocation");
static_assert(!is_spectrum_v<allocation::single_axis> && is_spectrum_v<spectrum::geometric>,
              "an allocation is no spectrum");

}  // namespace

TEST_CASE("chunked: sections one after the other") {
    const allocation::chunked qwen2{thw{16, 24, 24}};
    check_allocation(qwen2, 64);
    check_picture("chunked.hpp", picture(qwen2, 64));
    CHECK(counts_of(picture(qwen2, 64)) == test::axis_counts{16, 24, 24, 0});
    CHECK(picture(allocation::chunked{thw{2, 3, 3}}, 8) == "tthhhwww");
    CHECK(picture(allocation::chunked{thw{0, 1, 2}}, 3) == "hww");

    const section with_names[] = {{axis::h, 2}, {axis::w, 1}, {axis::t, 3}};
    check_allocation(allocation::chunked{with_names}, 6);
    CHECK(picture(allocation::chunked{with_names}, 6) == "hhwttt");

    const section four[] = {{axis::t, 16}, {axis::w, 16}, {axis::h, 16}, {axis::u, 16}};
    check_allocation(allocation::chunked{four}, 64);
    CHECK(allocation::chunked{four}.axes() == 4);
    const section small[] = {{axis::t, 4}, {axis::w, 4}, {axis::h, 4}, {axis::u, 4}};
    check_picture("chunked.hpp", picture(allocation::chunked{small}, 16));
    CHECK(allocation::chunked{thw{64, 0, 0}}.axes() == 3);  // a section without pairs still has its axis

    const section with_a_gap[] = {{axis::t, 2}, {axis_none, 1}, {axis::t, 1}};
    check_allocation(allocation::chunked{with_a_gap}, 4);
    CHECK(picture(allocation::chunked{with_a_gap}, 4) == "tt-t");
}

TEST_CASE("chunked: entries of a list take the axes in turn") {
    const index_t four[] = {4, 2, 2, 3}, nine[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const auto cycling = allocation::chunked::cycling(four, 4);
    check_allocation(cycling, 11);
    check_picture("chunked.hpp", picture(cycling, 11));
    check_allocation(allocation::chunked::cycling(nine, 8), 8);
    CHECK(picture(allocation::chunked::cycling(nine, 8), 8) == "thwthwth");
    CHECK(std::string(to_string(allocation::chunked::cycling(nine, 9).validate(9)).c_str()) ==
          "section: 9 exceeds the capacity of 8");
    CHECK(allocation::chunked::cycling(four, 0).validate(1).code == errc::section_mismatch);
}

TEST_CASE("interleaved: t, h and w take turns, the rest is t's") {
    const allocation::interleaved qwen3{thw{24, 20, 20}}, qwen3_5{thw{11, 11, 10}};
    check_allocation(qwen3, 64);
    check_allocation(qwen3_5, 32);
    check_picture("interleaved.hpp", picture(qwen3, 64));
    check_picture("interleaved.hpp", picture(qwen3_5, 32));
    CHECK(counts_of(picture(qwen3, 64)) == test::axis_counts{24, 20, 20, 0});
    CHECK(counts_of(picture(qwen3_5, 32)) == test::axis_counts{11, 11, 10, 0});
    CHECK(picture(allocation::interleaved{thw{4, 2, 2}}, 8) == "thwthwtt");
    check_allocation(allocation::interleaved{thw{1, 0, 0}}, 1);
    // More than the turns that there are: h gets the eleven of 32 pairs, as in the reference.
    CHECK(counts_of(picture(allocation::interleaved{thw{10, 13, 9}}, 32)).h == 11);
}

TEST_CASE("interleaved: sections of IL-RoPE and GRAPE for any width") {
    using allocation::interleaved, allocation::quarters, allocation::thirds;
    CHECK(counts_of(picture(interleaved{quarters(64)}, 64)) == test::axis_counts{32, 16, 16, 0});
    CHECK(picture(interleaved{quarters(64)}, 64).substr(48) == std::string(16, 't'));
    check_picture("interleaved.hpp", "   " + picture(interleaved{quarters(16)}, 16));
    check_picture("interleaved.hpp", "   " + picture(interleaved{thirds(16)}, 16));
    for (index_t pairs = 1; pairs < 70; ++pairs) {
        check_allocation(interleaved{quarters(pairs)}, pairs);
        check_allocation(interleaved{thirds(pairs)}, pairs);
        const std::string turns = picture(interleaved{thirds(pairs)}, pairs);
        for (std::size_t l = 0; l < turns.size(); ++l) CHECK(turns[l] == "thw"[l % 3]);
    }
}

TEST_CASE("single_axis: one letter throughout") {
    check_allocation(allocation::single_axis{}, 64);
    check_picture("single_axis.hpp", picture(allocation::single_axis{}, 8));
    check_allocation(allocation::single_axis{axis::w}, 3);
    CHECK(allocation::single_axis{axis::w}.axes() == 3);
    CHECK(allocation::single_axis{axis_none}.validate(8).code == errc::axis_invalid);
}

TEST_CASE("per_pair: as written, per head group too") {
    const axis drawn[] = {axis::t, axis::w, axis::h, axis_none, axis::t, axis::w, axis::h, axis_none};
    check_allocation(allocation::per_pair{drawn, 8}, 8);
    check_picture("per_pair.hpp", picture(allocation::per_pair{drawn, 8}, 8));

    const allocation::per_pair grouped{drawn, 4, 3, 2};
    check_allocation(grouped, 4);
    CHECK(picture(grouped, 4, 1) == "twh-");

    CHECK(allocation::per_pair{drawn, 8}.validate(7).code == errc::extent_mismatch);
    CHECK(allocation::per_pair{nullptr, 8}.validate(8).code == errc::null_data);
    const auto beyond =
        make_frequency_table(allocation::per_pair{drawn, 8, 2}, spectrum::geometric{1e4}, 16, pairing::adjacent);
    CHECK(std::string(to_string(beyond.error()).c_str()) == "pair 1: axis 2 is not one of the 2 axes");
}
