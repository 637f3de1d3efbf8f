// Hostile bytes: every truncation, every changed byte, random bytes. The reader refuses or gives a plan that is sound.

#include "layout/prompts.hpp"
#include "polyrope/layout/clip.hpp"
#include "polyrope/layout/serialise.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// Uses everything of a plan that a reader let through.
void use(const position_plan& plan) {
    if (plan.axes() == 0) return;
    std::vector<double> out(static_cast<std::size_t>(plan.axes()) * 64);
    for (const index_t begin : {index_t{0}, plan.size() / 2, plan.size() > 40 ? plan.size() - 40 : 0, plan.size()}) {
        const status s =
            plan.fill(token_index{begin}, token_index{begin + 64}, axis_major(out.data(), plan.axes(), 64));
        CHECK((s.ok() || s.code == errc::position_out_of_range || s.code == errc::no_neutral_point));
        static_cast<void>(plan.coordinates(token_index{begin}));
        static_cast<void>(plan.neutral(token_index{begin}));
        static_cast<void>(plan.tokens_of(plan.segment_of(token_index{begin})));
        static_cast<void>(plan.span(plan.segment_of(token_index{begin})));
    }
    const auto bytes = serialise(plan);
    const auto again = deserialise(bytes.data(), static_cast<index_t>(bytes.size()));
    REQUIRE(again.ok());
    CHECK(*again == plan);
}

std::vector<std::vector<unsigned char>> samples() {
    std::vector<std::vector<unsigned char>> all;
    const std::vector<segment> prompt = {text(3), video(patch_grid{3, 2, 4}, seconds_per_grid{2, 3}), text(2),
                                         image(patch_grid{1, 4, 4})};
    const position_plan plan = plan_of(layout::mrope{2, floored_product(2)}, prompt);
    all.push_back(serialise(plan));
    all.push_back(serialise(plan_of(layout::mrope{2, stride(0.5)}, prompt)));
    std::vector<char> keep(static_cast<std::size_t>(plan.size()));
    for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = i % 3 != 1;
    all.push_back(serialise(*prune(plan, keep.data(), plan.size())));
    all.push_back(serialise(plan_of(layout::mrope{2}, {})));
    return all;
}

}  // namespace

TEST_CASE("every truncation is refused") {
    for (const auto& bytes : samples())
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const std::vector<unsigned char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
            const auto plan = deserialise(cut.data(), static_cast<index_t>(size));
            REQUIRE(!plan.ok());
            REQUIRE(plan.error().code == errc::bad_serialisation);
        }
    auto longer = samples()[0];
    longer.push_back(0);
    CHECK(!deserialise(longer.data(), static_cast<index_t>(longer.size())).ok());
}

TEST_CASE("every changed byte is refused or gives a sound plan") {
    std::int64_t refused = 0, read = 0;
    for (const auto& bytes : samples())
        for (std::size_t at = 0; at < bytes.size(); ++at)
            for (const int change : {0x01, 0x80, 0xff, 0x7f}) {
                auto damaged = bytes;
                damaged[at] = static_cast<unsigned char>(damaged[at] ^ change);
                const auto plan = deserialise(damaged.data(), static_cast<index_t>(damaged.size()));
                ++(plan.ok() ? read : refused);
                if (plan.ok()) use(*plan);
            }
    CHECK(refused > 2000);
    CHECK(read > 100);
}

TEST_CASE("random fields are refused or give a sound plan") {
    random_prompts random(12);
    const auto all = samples();
    for (int round = 0; round < 20000; ++round) {
        auto damaged = all[static_cast<std::size_t>(round) % all.size()];
        for (index_t changes = random.number(1, 4); changes > 0; --changes) {
            const index_t field = random.number(0, static_cast<index_t>(damaged.size()) / 8 - 1);
            const index_t kind = random.number(0, 3);
            const std::uint64_t value =
                kind == 0   ? static_cast<std::uint64_t>(random.number(-2, 40))
                : kind == 1 ? detail::bit_copy<std::uint64_t>(static_cast<double>(random.number(-3, 50)))
                : kind == 2 ? std::uint64_t{1} << random.number(0, 63)
                            : static_cast<std::uint64_t>(random.number(INT64_MIN, INT64_MAX));
            for (int i = 0; i < 8; ++i)
                damaged[static_cast<std::size_t>(8 * field + i)] = static_cast<unsigned char>(value >> (8 * i));
        }
        const auto plan = deserialise(damaged.data(), static_cast<index_t>(damaged.size()));
        if (plan.ok()) use(*plan);
    }
}

TEST_CASE("the header is what the comment says") {
    const auto bytes = serialise(plan_a());
    CHECK(std::string(bytes.begin(), bytes.begin() + 8) == "polyrope");
    CHECK(bytes[8] == 1);
    CHECK(bytes[12] == 3);
    CHECK(bytes[16] == 4);  // text, image, text and the open placement
    CHECK(bytes[32] == 15);
    CHECK(bytes.size() == 88 + 4 * (80 + 48 * 3));
    CHECK(deserialise(serialise(position_plan{}).data(), 88).ok());
}
