#include "polyrope/core/pairing.hpp"
#include "polyrope/core/sentence.hpp"
#include "support/catch.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace polyrope;

namespace {
std::string picture(pairing p, index_t rotary_dim) {
    std::vector<index_t> pair_of(static_cast<std::size_t>(rotary_dim), -1);
    for (index_t l = 0; l < rotary_dim / 2; ++l) {
        pair_of[static_cast<std::size_t>(first_channel(p, l))] = l;
        pair_of[static_cast<std::size_t>(second_channel(p, l, rotary_dim))] = l;
    }
    std::string text;
    for (const index_t l : pair_of) text += (text.empty() ? "" : " ") + std::to_string(l);
    return text;
}
static_assert(second_channel(pairing::half_split, 3, 128) == 67, "pairing is constexpr");
}  // namespace

TEST_CASE("the pictures of the pairings are those of the header") {
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/polyrope/core/pairing.hpp");
    std::stringstream text;
    text << stream.rdbuf();
    CHECK(text.str().find("half_split, rotary_dim 8:   pair of channel   " + picture(pairing::half_split, 8) + "\n") !=
          std::string::npos);
    CHECK(text.str().find("adjacent,   rotary_dim 8:   pair of channel   " + picture(pairing::adjacent, 8) + "\n") !=
          std::string::npos);
    CHECK(text.str().find("blocks(4),  rotary_dim 8:   pair of channel   " + picture(pairing::blocks(4), 8) + "\n") !=
          std::string::npos);
}

TEST_CASE("every channel belongs to one pair, at any even width") {
    for (const pairing p : {pairing::half_split, pairing::adjacent, pairing::blocks(8), pairing::blocks(12)}) {
        for (const index_t rotary_dim : {2, 4, 64, 72, 80, 96, 128, 256}) {
            if (!check_pairing(p, rotary_dim).ok()) continue;
            std::vector<int> used(static_cast<std::size_t>(rotary_dim), 0);
            for (index_t l = 0; l < rotary_dim / 2; ++l) {
                CHECK(first_channel(p, l) < second_channel(p, l, rotary_dim));
                ++used.at(static_cast<std::size_t>(first_channel(p, l)));
                ++used.at(static_cast<std::size_t>(second_channel(p, l, rotary_dim)));
            }
            CHECK(used == std::vector<int>(static_cast<std::size_t>(rotary_dim), 1));
        }
    }
}

TEST_CASE("one block is half_split, and blocks of two are adjacent") {
    CHECK(pairing::blocks(2) == pairing::adjacent);
    CHECK(pairing() == pairing::half_split);
    for (index_t l = 0; l < 36; ++l) {
        CHECK(first_channel(pairing::blocks(72), l) == first_channel(pairing::half_split, l));
        CHECK(second_channel(pairing::blocks(72), l, 72) == second_channel(pairing::half_split, l, 72));
    }
}

TEST_CASE("blocks that do not fill the rotating channels, or have no halves, are refused") {
    CHECK(check_pairing(pairing::blocks(4), 8).ok());
    CHECK(check_pairing(pairing::adjacent, 6).ok());
    CHECK(check_pairing(pairing::half_split, 6).ok());
    CHECK(std::string(to_string(check_pairing(pairing::blocks(6), 64)).c_str()) ==
          "rotary_dim 64: it is no multiple of blocks of 6 channels, whose halves would be paired");
    for (const index_t channels : {index_t{-4}, index_t{3}, index_t{128}, INT64_MIN, INT64_MAX})
        CHECK(check_pairing(pairing::blocks(channels), 64) ==
              status{errc::blocks_uneven, operand::rotary_dim, 0, channels, 64});
}
