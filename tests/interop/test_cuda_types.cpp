// With a C++ compiler alone: CUDA's headers need no more.
#include "polyrope/interop/cuda_types.hpp"

#include <cstring>
#include <vector>

#include "cpu/make_rope.hpp"
#include "polyrope/core/views.hpp"
#include "polyrope/cpu/rotate.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

static_assert(is_element_v<__half> && is_element_v<__nv_bfloat16> && !is_element_v<__nv_fp8_e4m3>,
              "halves of CUDA are rotated in place, its bytes are outputs");

namespace {

// Queries of CUDA's type and of the library's are the same bytes before and after.
template <class Theirs, class Ours>
void compare_types(std::uint64_t seed) {
    random_bits random(seed);
    const rotary rope = make_rope({64});
    std::vector<std::int32_t> positions(3 * 7);
    for (auto& p : positions) p = static_cast<std::int32_t>(random.between(0, 70000));
    std::vector<Ours> ours(7 * 2 * 64);
    for (Ours& x : ours) x = Ours::from(static_cast<float>(random.between(-4000, 4000)) / 256.0f);
    std::vector<Theirs> theirs(ours.size());
    std::memcpy(static_cast<void*>(theirs.data()), ours.data(), ours.size() * sizeof(Ours));
    const std::vector<Ours> before = ours;
    const auto at = axis_major(positions.data(), 3, 7);
    REQUIRE(cpu::rotate(rope, at, compact_heads(ours.data(), 7, 2, 64), no_heads<Ours>()).ok());
    REQUIRE(cpu::rotate(rope, at, compact_heads(theirs.data(), 7, 2, 64), no_heads<Theirs>()).ok());
    CHECK(std::memcmp(theirs.data(), ours.data(), ours.size() * sizeof(Ours)) == 0);
    CHECK(std::memcmp(before.data(), ours.data(), ours.size() * sizeof(Ours)) != 0);
}

}  // namespace

TEST_CASE("CUDA's half and bfloat16 turn as the library's do") {
    compare_types<__half, f16>(1);
    compare_types<__nv_bfloat16, bf16>(2);
}

TEST_CASE("e4m3 is CUDA's conversion, value by value") {
    random_bits random(3);
    int wrong = 0;
    const auto look = [&wrong](float value) {
        const bool nan = (detail::bit_copy<std::uint32_t>(value) & 0x7fffffffu) > 0x7f800000u;
        const auto theirs = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
        wrong += (e4m3::from(value).bits ^ theirs) & (nan ? 0x7f : 0xff) ? 1 : 0;
    };
    for (std::uint32_t bits = 0; bits < 65536; ++bits) look(bf16{static_cast<std::uint16_t>(bits)}.value());
    for (int i = 0; i < 200000; ++i)
        look(detail::bit_copy<float>(static_cast<std::uint32_t>(random.between(0, 0xffffffff))));
    for (int i = 0; i < 200000; ++i)  // where its values lie
        look(detail::bit_copy<float>(static_cast<std::uint32_t>(random.between(0x3a000000, 0x44000000))));
    CHECK(wrong == 0);
    __nv_fp8_e4m3 byte(-1.5f);
    CHECK(interop::as_e4m3(&byte)->value() == -1.5f);
    const __nv_fp8_e4m3& read_only = byte;
    CHECK(interop::as_e4m3(&read_only)->bits == byte.__x);
}
