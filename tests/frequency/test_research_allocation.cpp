// Allocations of the research variants and of models that follow none of the common rules.

#include "check_allocation.hpp"

#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_channel.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/frequency/spatial_shifted.hpp"

#include <limits>
#include <vector>

using namespace polyrope;
using test::axis_counts;
using test::check_allocation;
using test::check_picture;
using test::counts_of;
using test::picture;

namespace {

std::string sentence_of(status s) { return to_string(s).c_str(); }
constexpr index_t most = std::numeric_limits<index_t>::max();

static_assert(allocation::spatial_first{thw{16, 24, 24}}(47, 0) == axis::w, "spatial_first is constexpr");
static_assert(allocation::mm_rope(16, 0) == axis::t, "periodic is constexpr");
static_assert(allocation::even_interleaved{thw{24, 20, 20}}(23, 0) == axis::t, "even_interleaved is constexpr");

}  // namespace

TEST_CASE("per_head: one axis per key/value head, spare heads do not rotate") {
    const allocation::per_head five{thw{2, 1, 1}, 5};
    check_allocation(five, 8);
    std::string drawn;
    for (index_t group = 0; group < 5; ++group) drawn += "//         " + picture(five, 8, group) + "\n";
    CHECK(test::header("polyrope/frequency/per_head.hpp").find(drawn) != std::string::npos);
    const allocation::per_head eight{thw{2, 3, 3}, 8};
    check_allocation(eight, 64);
    axis_counts heads{};
    for (index_t group = 0; group < 8; ++group) {
        const axis_counts one = counts_of(picture(eight, 64, group));
        heads.t += one.t / 64, heads.h += one.h / 64, heads.w += one.w / 64;
    }
    CHECK(heads == axis_counts{2, 3, 3, 0});
    // Query heads follow their key/value head: n_q 8, n_kv 4.
    const auto table =
        make_frequency_table(allocation::per_head{thw{2, 1, 1}, 4}, spectrum::geometric{1e4}, 8, pairing::half_split);
    std::string letters;
    for (index_t m = 0; m < 8; ++m) letters += letter(table->at(table->group_of(m, 8), 0).which);
    CHECK(letters == "tttthhww");
}

TEST_CASE("per_head: head counts that cannot be") {
    CHECK(sentence_of(allocation::per_head{thw{2, 3, 4}, 8}.validate(64)) ==
          "the sections hold 9 heads, and the model has 8 key/value heads");
    CHECK(sentence_of(allocation::per_head{thw{2, -3, 4}, 8}.validate(64)) == "section 1 holds -3 pairs");
    CHECK(allocation::per_head{thw{0, 0, 0}, 0}.validate(64) ==
          status{errc::value_invalid, operand::key_value_heads, 0, 1, 0});
    CHECK(allocation::per_head{thw{most, most, 1}, 8}.validate(64).code == errc::size_overflow);
    const auto many = make_frequency_table(allocation::per_head{thw{1, 1, 1}, most}, spectrum::geometric{1e4}, 128,
                                           pairing::half_split);
    CHECK(many.error() == status{errc::capacity_exceeded, operand::frequency_table, 0, 16384, most});
}

TEST_CASE("spatial_first: rows and columns in turn, then time or nothing") {
    const allocation::spatial_first video{thw{16, 24, 24}}, hope{thw{16, 24, 24}, temporal_pairs::still};
    check_allocation(video, 64);
    check_allocation(hope, 64);
    CHECK(counts_of(picture(video, 64)) == axis_counts{16, 24, 24, 0});
    CHECK(counts_of(picture(hope, 64)) == axis_counts{0, 24, 24, 16});
    check_picture("spatial_first.hpp", picture(allocation::spatial_first{thw{5, 7, 4}}, 16));
    check_picture("spatial_first.hpp", picture(allocation::spatial_first{thw{5, 7, 4}, temporal_pairs::still}, 16));
    CHECK(counts_of(picture(allocation::spatial_first{thw{5, 7, 4}}, 16)) == axis_counts{5, 6, 5, 0});
    // ERNIE-4.5-VL: its list {22, 22, 20} reads h, w, t.
    CHECK(counts_of(picture(allocation::spatial_first{thw{20, 22, 22}}, 64)) == axis_counts{20, 22, 22, 0});
    CHECK(sentence_of(video.validate(63)) == "the sections hold 64 pairs, and rotary_dim has 63");
    CHECK(allocation::spatial_first{thw{-1, 2, 2}}.validate(3).code == errc::section_negative);
    CHECK(allocation::spatial_first{thw{most, most, 2}}.validate(3).code == errc::size_overflow);
}

TEST_CASE("spatial_shifted: the same one pair later, columns and rows exchanged") {
    const allocation::spatial_shifted video{thw{16, 24, 24}}, hope{thw{16, 24, 24}, temporal_pairs::still};
    check_allocation(video, 64);
    check_allocation(hope, 64);
    CHECK(counts_of(picture(video, 64)) == axis_counts{17, 24, 23, 0});
    CHECK(counts_of(picture(hope, 64)) == axis_counts{0, 24, 23, 17});
    check_picture("spatial_shifted.hpp", picture(allocation::spatial_shifted{thw{4, 5, 7}}, 16));
    check_picture("spatial_shifted.hpp", picture(allocation::spatial_shifted{thw{4, 5, 7}, temporal_pairs::still}, 16));
    CHECK(video.validate(65).code == errc::section_mismatch);
    CHECK(allocation::spatial_shifted{thw{-1, 2, 2}}.validate(3).code == errc::section_negative);
}

TEST_CASE("periodic: MM-RoPE's two patterns") {
    check_allocation(allocation::mm_rope, 64);
    check_allocation(allocation::mm_rope, 48);
    check_allocation(allocation::mm_rope_by_pair, 20);
    check_picture("periodic.hpp", "     " + picture(allocation::mm_rope, 32));
    CHECK(test::header("polyrope/frequency/periodic.hpp")
              .find("rotary_dim 40: " + picture(allocation::mm_rope_by_pair, 20) + "\n") != std::string::npos);
    CHECK(counts_of(picture(allocation::mm_rope, 64)) == axis_counts{16, 24, 24, 0});
    CHECK(counts_of(picture(allocation::mm_rope_by_pair, 64)) == axis_counts{16, 24, 24, 0});
    CHECK(sentence_of(allocation::mm_rope.validate(40)) ==
          "the axes repeat every 16 pairs, and 40 pairs would cut the last of them");
    const axis own[] = {axis::u, axis_none};
    check_allocation(allocation::periodic{own, allocation::last_period::cut}, 5);
    CHECK(picture(allocation::periodic{own, allocation::last_period::cut}, 5) == "u-u-u");
    CHECK(allocation::periodic{own}.validate(5).code == errc::pattern_cut);
    CHECK(allocation::periodic{own}.axes() == 4);
}

TEST_CASE("even_interleaved: each axis spread over all pairs") {
    const thw shapes[] = {{24, 20, 20}, {16, 24, 24}, {4, 2, 2}, {11, 11, 10}, {1, 0, 0}, {1, 7, 0}, {60, 3, 1}};
    for (const thw s : shapes) {
        const allocation::even_interleaved one{s};
        check_allocation(one, s.t + s.h + s.w);
        CHECK(counts_of(picture(one, s.t + s.h + s.w)) == axis_counts{s.t, s.h, s.w, 0});
        CHECK(picture(one, s.t + s.h + s.w).back() == 't');
    }
    check_picture("even_interleaved.hpp", picture(allocation::even_interleaved{shapes[0]}, 64));
    check_picture("even_interleaved.hpp", picture(allocation::even_interleaved{shapes[1]}, 64));
    CHECK(sentence_of(allocation::even_interleaved{thw{0, 4, 4}}.validate(8)) == "section 0 holds 0 pairs");
    CHECK(allocation::even_interleaved{thw{4, 4, 4}}.validate(8).code == errc::section_mismatch);
    CHECK(allocation::even_interleaved{thw{5000, 4, 4}}.validate(5008).code == errc::capacity_exceeded);
}

TEST_CASE("per_channel: accepted where the channels of every pair agree") {
    const axis halves[] = {axis::t, axis::h, axis::t, axis::h}, neighbours[] = {axis::t, axis::t, axis::h, axis_none};
    const allocation::per_channel one{halves, 4};
    check_allocation(one, 2);
    check_picture("per_channel.hpp", picture(one, 2));
    CHECK(sentence_of(allocation::per_channel{halves, 4, pairing::adjacent}.validate(2)) ==
          "pair 0: its two channels follow axes 0 and 1, which is no rotation");
    CHECK(allocation::per_channel{neighbours, 4, pairing::adjacent}.validate(2) ==
          status{errc::channels_disagree, operand::pair, 1, 1, -1});
    CHECK(allocation::per_channel{halves, 4}.validate(3).code == errc::extent_mismatch);
    CHECK(allocation::per_channel{nullptr, 4}.validate(2).code == errc::null_data);
    // Hugging Face's HunyuanVL: four sections of 32 channels over 128, so that pair 0 joins position and height.
    std::vector<axis> hunyuan;
    for (const axis a : {axis::t, axis::w, axis::h, axis::u}) hunyuan.insert(hunyuan.end(), 32, a);
    CHECK(allocation::per_channel{hunyuan.data(), 128, pairing::half_split, 4}.validate(64) ==
          status{errc::channels_disagree, operand::pair, 0, 0, 1});
}

TEST_CASE("docs/concepts.md draws each allocation as it is") {
    const std::string page = test::header("../docs/concepts.md");
    const auto drawn = [&](const std::string& name, const auto& allocation, index_t pairs) {
        INFO(name << ": " << picture(allocation, pairs));
        CHECK(page.find("| " + name + " | `" + picture(allocation, pairs) + "` |") != std::string::npos);
    };
    const section four[] = {{axis::t, 4}, {axis::w, 4}, {axis::h, 4}, {axis::u, 4}};
    const index_t list[] = {4, 2, 2, 3};
    drawn("`chunked` over four axes", allocation::chunked{four}, 16);
    drawn("`chunked::cycling`", allocation::chunked::cycling(list, 4), 11);
    drawn("`interleaved{quarters(pairs)}`", allocation::interleaved{allocation::quarters(16)}, 16);
    drawn("`interleaved{thirds(pairs)}`", allocation::interleaved{allocation::thirds(16)}, 16);
    drawn("`even_interleaved`", allocation::even_interleaved{thw{5, 6, 5}}, 16);
    drawn("`spatial_first`", allocation::spatial_first{thw{5, 7, 4}}, 16);
    drawn("`spatial_first`, time still", allocation::spatial_first{thw{5, 7, 4}, temporal_pairs::still}, 16);
    drawn("`spatial_shifted`", allocation::spatial_shifted{thw{4, 5, 7}}, 16);
    drawn("`mm_rope`", allocation::mm_rope, 16);
    drawn("`mm_rope_by_pair`", allocation::mm_rope_by_pair, 16);
}
