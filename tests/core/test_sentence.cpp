#include "polyrope/core/sentence.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>
#include <string_view>

using namespace polyrope;

namespace {

std::string sentence_of(status s) {
    const sentence made = to_string(s);
    CHECK(made.length == static_cast<int>(std::string(made.c_str()).size()));
    return made.c_str();
}

// The codes and operands in order; the first number without a name ends them.
constexpr int codes() {
    int n = 0;
    while (std::string_view(detail::pattern_of(static_cast<errc>(n))) != "unknown error") ++n;
    return n;
}
constexpr int operands() {
    int n = 0;
    while (std::string_view(detail::name_of(static_cast<operand>(n))) != "unknown") ++n;
    return n;
}

}  // namespace

TEST_CASE("every code has a sentence of its own") {
    CHECK(codes() > static_cast<int>(errc::choice_out_of_range));
    std::set<std::string> all;
    for (int n = 0; n < codes(); ++n) {
        const std::string made = sentence_of({static_cast<errc>(n), operand::segment, 11, 22, 33});
        INFO(made);
        CHECK(all.insert(made).second);
        CHECK(made.find('%') == std::string::npos);
        CHECK(made.size() < 200);
    }
    CHECK(sentence_of({}) == "ok");
    CHECK(sentence_of({static_cast<errc>(255), operand::none, 0, 0, 0}) == "unknown error");
}

TEST_CASE("every number and thing of a pattern reaches its sentence") {
    for (int n = 0; n < codes(); ++n) {
        const std::string pattern = detail::pattern_of(static_cast<errc>(n));
        const std::string made = sentence_of({static_cast<errc>(n), operand::q_out, -11, 2222, INT64_MIN});
        INFO(made);
        for (std::size_t at = pattern.find('%'); at != std::string::npos; at = pattern.find('%', at + 1))
            CHECK(std::string("wief").find(pattern.at(at + 1)) != std::string::npos);
        CHECK((pattern.find("%w") == std::string::npos) == (made.find("q_out") == std::string::npos));
        CHECK((pattern.find("%i") == std::string::npos) == (made.find("-11") == std::string::npos));
        CHECK((pattern.find("%e") == std::string::npos) == (made.find("2222") == std::string::npos));
        CHECK((pattern.find("%f") == std::string::npos) == (made.find("-9223372036854775808") == std::string::npos));
    }
}

TEST_CASE("every operand has a name of its own") {
    CHECK(operands() > static_cast<int>(operand::projection));
    std::set<std::string> all;
    for (int n = 0; n < operands(); ++n) {
        INFO(n);
        CHECK(all.insert(detail::name_of(static_cast<operand>(n))).second);
    }
}

TEST_CASE("sentences read as they should") {
    CHECK(sentence_of({errc::token_count_mismatch, operand::segment, 1, 6, 3}) ==
          "segment 1: its grid needs 6 tokens, the prompt holds 3");
    CHECK(sentence_of({errc::side_not_divisible, operand::image, 0, 4, 6}) ==
          "image 0: the grid side 6 is not a multiple of the merge size 4");
    CHECK(sentence_of({errc::axis_count_mismatch, operand::positions, 0, 4, 3}) ==
          "the frequency table turns 4 axes, and positions has 3");
    CHECK(sentence_of({errc::section_mismatch, operand::section, 0, 64, 128}) ==
          "the sections hold 128 pairs, and rotary_dim has 64");
    CHECK(sentence_of({errc::channels_disagree, operand::pair, 0, 0, 2}) ==
          "pair 0: its two channels follow axes 0 and 2, which is no rotation");
    CHECK(sentence_of({errc::pattern_cut, operand::pair, 0, 16, 40}) ==
          "the axes repeat every 16 pairs, and 40 pairs would cut the last of them");
    CHECK(sentence_of({errc::heads_exceeded, operand::section, 0, 8, 9}) ==
          "the sections hold 9 heads, and the model has 8 key/value heads");
    CHECK(sentence_of({errc::position_overflow, operand::video, 0, INT64_MAX, INT64_MIN}) ==
          "video 0: position -9223372036854775808 exceeds the limit 9223372036854775807");
}

TEST_CASE("a sentence never runs past its buffer") {
    detail::sentence_writer writer;
    for (int i = 0; i < 100; ++i) writer.put(INT64_MIN);
    CHECK(writer.out.length == 255);
    CHECK(writer.out.text[255] == '\0');
    CHECK(std::string(writer.out.c_str()).size() == 255);
}
