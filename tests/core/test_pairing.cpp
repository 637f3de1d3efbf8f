#include "polyrope/core/pairing.hpp"
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

TEST_CASE("the pictures of the two pairings are those of the header") {
    std::ifstream stream(POLYROPE_INCLUDE_DIR "/polyrope/core/pairing.hpp");
    std::stringstream text;
    text << stream.rdbuf();
    CHECK(text.str().find("half_split, rotary_dim 8:   pair of channel   " + picture(pairing::half_split, 8) + "\n") !=
          std::string::npos);
    CHECK(text.str().find("adjacent,   rotary_dim 8:   pair of channel   " + picture(pairing::adjacent, 8) + "\n") !=
          std::string::npos);
}

TEST_CASE("every channel belongs to one pair, at any even width") {
    for (const pairing p : {pairing::half_split, pairing::adjacent}) {
        for (const index_t rotary_dim : {2, 4, 64, 72, 80, 96, 128, 256}) {
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
