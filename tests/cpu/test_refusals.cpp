// What is wrong with a call is found before anything is written: its code, its thing, its numbers and its sentence.

#include <climits>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/layout/sequential.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

bool equal(const status& a, const status& b) { return a == b; }

// A call of 4 tokens, 2 + 1 heads of 16 channels, 8 of them turned, 3 axes, that is right until something is changed.
struct call {
    static constexpr index_t tokens = 4, dim = 16;
    std::vector<float> memory = std::vector<float>(2048, 0.5f);
    std::vector<float> cosines = std::vector<float>(1024, 0.25f), sines = std::vector<float>(1024, 0.25f);
    std::vector<std::int32_t> whole = std::vector<std::int32_t>(12, 3);
    std::vector<std::int64_t> wide = std::vector<std::int64_t>(12, 3);
    std::vector<float> real = std::vector<float>(12, 3.0f);
    std::vector<double> fine = std::vector<double>(12, 3.0);
    rotary rope = make_rope({8, 3, 1, pairing::half_split, 1e4, 1.0, false});
    heads_view<float> q = compact_heads(memory.data(), tokens, 2, dim),
                      k = compact_heads(memory.data() + 128, tokens, 1, dim);
    heads_view<float> q_out = compact_heads(memory.data() + 512, tokens, 2, dim),
                      k_out = compact_heads(memory.data() + 640, tokens, 1, dim);
    positions_view<std::int32_t> at = axis_major(whole.data(), 3, tokens);
    cos_sin_view<float> table = halves_table(cosines.data(), tokens, 8, table_rows::tokens);
    cpu::rotate_options options;

    call() = default;
    call(const call&) = delete;
    call& operator=(const call&) = delete;

    template <class Source>
    status turn(const Source& source) {
        return cpu::rotate(rope, source, q, k, options);
    }
    status turn() { return turn(at); }
    status turn_to() { return cpu::rotate_to(rope, at, q.as_const(), k.as_const(), q_out, k_out, options); }

    /// Makes the call by `make`, wants this status and sentence, and every byte as it was.
    template <class Make>
    void refuses(Make make, status want, const std::string& sentence) {
        const std::vector<float> memory_before = memory, cosines_before = cosines, sines_before = sines;
        const status s = make();
        INFO(to_string(s).c_str());
        CHECK(equal(s, want));
        CHECK(std::string(to_string(s).c_str()) == sentence);
        CHECK(std::memcmp(memory.data(), memory_before.data(), memory.size() * sizeof(float)) == 0);
        CHECK(std::memcmp(cosines.data(), cosines_before.data(), cosines.size() * sizeof(float)) == 0);
        CHECK(std::memcmp(sines.data(), sines_before.data(), sines.size() * sizeof(float)) == 0);
    }
};

}  // namespace

TEST_CASE("the call that the refusals start from is right") {
    call c;
    CHECK(c.turn().ok());
    CHECK(c.memory[0] != 0.5f);
    CHECK(c.turn_to().ok());
    CHECK(c.memory[512] != 0.5f);
    CHECK(c.turn(c.table).ok());
}

TEST_CASE("odd, zero and too large rotary dimensions are refused") {
    const auto make = [](index_t dim) {
        return make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, dim, pairing::half_split)
            .error();
    };
    CHECK(equal(make(7), {errc::rotary_dim_odd, operand::rotary_dim, 0, 0, 7}));
    CHECK(std::string(to_string(make(7)).c_str()) == "rotary_dim 7 must be even and positive");
    CHECK(make(0).code == errc::rotary_dim_odd);
    CHECK(make(-2).code == errc::rotary_dim_odd);
    // The kernels hold 512 pairs.
    const auto large = [](index_t dim) {
        return make_rotary(
            make_frequency_table(allocation::single_axis{}, spectrum::geometric{1e4}, dim, pairing::half_split)
                .value());
    };
    CHECK(large(1024).ok());
    CHECK(equal(large(1026).error(), {errc::capacity_exceeded, operand::rotary_dim, 0, 1024, 1026}));
    CHECK(std::string(to_string(large(1026).error()).c_str()) == "rotary_dim: 1026 exceeds the capacity of 1024");

    call c;
    c.rope = make_rope({18, 3, 1, pairing::adjacent, 1e4, 1.0, false});
    c.refuses([&] { return c.turn(); }, {errc::rotary_dim_too_large, operand::q, 0, 16, 18},
              "rotary_dim 18 exceeds head_dim 16");
    c.q = no_heads<float>();
    c.refuses([&] { return c.turn(); }, {errc::rotary_dim_too_large, operand::k, 0, 16, 18},
              "rotary_dim 18 exceeds head_dim 16");
}

TEST_CASE("positions of another shape are refused") {
    {
        call c;
        c.at = axis_major(c.whole.data(), 2, call::tokens);
        c.refuses([&] { return c.turn(); }, {errc::axis_count_mismatch, operand::positions, 0, 3, 2},
                  "the frequency table turns 3 axes, and positions has 2");
    }
    {
        call c;
        c.at = axis_major(c.whole.data(), 3, 3);
        c.refuses([&] { return c.turn(); }, {errc::extent_mismatch, operand::positions, 1, 4, 3},
                  "positions: entry 1 is 3, and must be 4");
    }
    {
        call c;
        c.at.data = nullptr;
        c.refuses([&] { return c.turn(); }, {errc::null_data, operand::positions, 0, 0, 12},
                  "positions: the data pointer is null, and 12 elements are asked for");
    }
    {
        call c;
        const segment prompt[] = {text(8)};
        const position_plan plan = *make_plan(layout::sequential{1, 1}, prompt, 1);
        c.refuses([&] { return c.turn(cpu::planned(plan, token_index{0})); },
                  {errc::axis_count_mismatch, operand::plan, 0, 3, 1},
                  "the frequency table turns 3 axes, and plan has 1");
        const position_plan three = *make_plan(layout::sequential{1, 3}, prompt, 1);
        c.refuses([&] { return c.turn(cpu::planned(three, token_index{-1})); },
                  {errc::range_invalid, operand::plan, 0, -1, 3}, "plan: the range [-1, 3) is not a range of tokens");
        // Far past the prompt the plan's positions pass int32.
        c.refuses([&] { return c.turn(cpu::planned(three, token_index{2147483645})); },
                  {errc::position_out_of_range, operand::plan, 2147483648, 2147483647, 2147483648},
                  "plan: the position of token 2147483648 is 2147483648, past the limit 2147483647");
        CHECK(c.turn(cpu::planned(three, token_index{2147483644})).ok());
    }
}

TEST_CASE("a plan that holds a position past int32 is refused where the call meets it") {
    const segment prompt[] = {text(2), video(patch_grid{3, 2, 2}, seconds_per_grid{2000000000, 1}), text(4)};
    plan_options wide;
    wide.limits.max_position = index_t{1} << 40;
    // Time runs past int32 inside the video, and the text behind it starts again below.
    layout::mrope shape{2};
    shape.time = floored_product(1);
    shape.behind = layout::advance::past_rows_and_columns;
    const result<position_plan> plan = make_plan(shape, prompt, 3, wide);
    REQUIRE(plan.ok());
    REQUIRE(plan->coordinates(token_index{3})[0] == 2000000002.0);
    REQUIRE(plan->coordinates(token_index{4})[0] == 4000000002.0);
    REQUIRE(plan->coordinates(token_index{5})[0] < 100.0);
    call c;
    c.refuses([&] { return c.turn(cpu::planned(*plan, token_index{2})); },
              {errc::position_out_of_range, operand::plan, 4, 2147483647, 4000000002},
              "plan: the position of token 4 is 4000000002, past the limit 2147483647");
    CHECK(c.turn(cpu::planned(*plan, token_index{5})).ok());
    CHECK(c.turn(cpu::planned(*plan, token_index{0})).ok());
    CHECK(c.turn(cpu::planned(*plan, token_index{6})).index == 9);  // generated text goes on behind the video's time
}

TEST_CASE("positions outside int32 are refused, whatever their type; those inside are not") {
    call c;
    c.wide[6] = 2147483648;
    c.refuses([&] { return c.turn(axis_major(c.wide.data(), 3, 4)); },
              {errc::position_out_of_range, operand::positions, 2, 2147483647, 2147483648},
              "positions: the position of token 2 is 2147483648, past the limit 2147483647");
    c.wide[6] = -2147483649;
    c.refuses([&] { return c.turn(axis_major(c.wide.data(), 3, 4)); },
              {errc::position_out_of_range, operand::positions, 2, 2147483647, -2147483649},
              "positions: the position of token 2 is -2147483649, past the limit 2147483647");
    c.wide[6] = INT64_MIN;
    CHECK(equal(c.turn(axis_major(c.wide.data(), 3, 4)),
                {errc::position_out_of_range, operand::positions, 2, 2147483647, INT64_MIN}));

    c.real[11] = 2147483648.0f;
    c.refuses([&] { return c.turn(axis_major(c.real.data(), 3, 4)); },
              {errc::position_out_of_range, operand::positions, 3, 2147483647, 2147483648},
              "positions: the position of token 3 is 2147483648, past the limit 2147483647");
    for (const float p : {INFINITY, -INFINITY, NAN, 1e30f, -2147483904.0f}) {
        c.real[11] = p;
        CHECK(c.turn(axis_major(c.real.data(), 3, 4)).code == errc::position_out_of_range);
        CHECK(c.turn(axis_major(c.real.data(), 3, 4)).index == 3);
    }
    c.fine[0] = 2147483648.0;
    c.refuses([&] { return c.turn(token_major(c.fine.data(), 3, 4)); },
              {errc::position_out_of_range, operand::positions, 0, 2147483647, 2147483648},
              "positions: the position of token 0 is 2147483648, past the limit 2147483647");
    for (const double p :
         {static_cast<double>(INFINITY), -static_cast<double>(INFINITY), std::nan(""), 1e300, -2147483648.5}) {
        c.fine[0] = p;
        CHECK(c.turn(token_major(c.fine.data(), 3, 4)).code == errc::position_out_of_range);
    }
    CHECK(std::memcmp(c.memory.data(), std::vector<float>(2048, 0.5f).data(), 2048 * sizeof(float)) == 0);

    c.wide[6] = 2147483647;
    CHECK(c.turn(axis_major(c.wide.data(), 3, 4)).ok());
    c.wide[6] = INT32_MIN;
    CHECK(c.turn(axis_major(c.wide.data(), 3, 4)).ok());
    c.whole[0] = INT32_MIN;
    CHECK(c.turn().ok());
    for (const double p : {-2147483648.0, 2147483647.5, -0.0, 5e-324}) {
        c.fine[0] = p;
        CHECK(c.turn(token_major(c.fine.data(), 3, 4)).ok());
        c.real[11] = static_cast<float>(p) >= 2147483648.0f ? 2147483520.0f : static_cast<float>(p);
        CHECK(c.turn(axis_major(c.real.data(), 3, 4)).ok());
    }
    // A worker looks at its own share, and a range at its own tokens.
    c.wide = std::vector<std::int64_t>(12, 3);
    c.wide[3] = INT64_MAX;
    c.options.tokens = {token_index{0}, token_index{3}};
    CHECK(c.turn(axis_major(c.wide.data(), 3, 4)).ok());
    c.options = {};
    c.options.part = {0, 2};
    CHECK(c.turn(axis_major(c.wide.data(), 3, 4)).ok());
    c.options.part = {1, 2};
    CHECK(equal(c.turn(axis_major(c.wide.data(), 3, 4)),
                {errc::position_out_of_range, operand::positions, 3, 2147483647, INT64_MAX}));
}

TEST_CASE("views that do not hold what they say are refused") {
    {
        call c;
        c.q.data = nullptr;
        c.refuses([&] { return c.turn(); }, {errc::null_data, operand::q, 0, 0, 128},
                  "q: the data pointer is null, and 128 elements are asked for");
    }
    {
        call c;
        c.k_out.data = nullptr;
        c.refuses([&] { return c.turn_to(); }, {errc::null_data, operand::k_out, 0, 0, 64},
                  "k_out: the data pointer is null, and 64 elements are asked for");
    }
    {
        call c;
        c.q.tokens = -4;
        c.refuses([&] { return c.turn(); }, {errc::extent_negative, operand::q, 0, 0, -4},
                  "q: entry 0 is -4, below zero");
        c.q.tokens = 4;
        c.q.heads = -1;
        c.refuses([&] { return c.turn(); }, {errc::extent_negative, operand::q, 1, 0, -1},
                  "q: entry 1 is -1, below zero");
        c.q.heads = 2;
        c.q.head_dim = INT64_MIN;
        c.refuses([&] { return c.turn(); }, {errc::extent_negative, operand::q, 2, 0, INT64_MIN},
                  "q: entry 2 is -9223372036854775808, below zero");
    }
    {
        call c;
        c.k.tokens = 3;
        c.refuses([&] { return c.turn(); }, {errc::extent_mismatch, operand::k, 0, 4, 3},
                  "k: entry 0 is 3, and must be 4");
    }
    {
        call c;
        c.q_out.heads = 1;
        c.refuses([&] { return c.turn_to(); }, {errc::extent_mismatch, operand::q_out, 1, 2, 1},
                  "q_out: entry 1 is 1, and must be 2");
        c.q_out.heads = 2;
        c.k_out.head_dim = 8;
        c.refuses([&] { return c.turn_to(); }, {errc::extent_mismatch, operand::k_out, 2, 16, 8},
                  "k_out: entry 2 is 8, and must be 16");
        c.k_out.head_dim = 16;
        c.q_out.tokens = 5;
        c.refuses([&] { return c.turn_to(); }, {errc::extent_mismatch, operand::q_out, 0, 4, 5},
                  "q_out: entry 0 is 5, and must be 4");
    }
}

TEST_CASE("strides under which two heads share an element, or a size past 64 bits, are refused") {
    {
        call c;
        c.q.head_stride = 15;
        c.refuses([&] { return c.turn(); }, {errc::stride_invalid, operand::q, 0, 16, 15},
                  "q: a stride of 15 elements is too small for 16");
        c.q.head_stride = -16;
        c.refuses([&] { return c.turn(); }, {errc::stride_invalid, operand::q, 0, 16, -16},
                  "q: a stride of -16 elements is too small for 16");
    }
    {
        call c;
        c.q.token_stride = 31;  // two heads of 16, token by token
        c.refuses([&] { return c.turn(); }, {errc::stride_invalid, operand::q, 0, 32, 31},
                  "q: a stride of 31 elements is too small for 32");
        c.q.token_stride = 0;
        c.refuses([&] { return c.turn(); }, {errc::stride_invalid, operand::q, 0, 16, 0},
                  "q: a stride of 0 elements is too small for 16");
        // Head by head is as good.
        c.q.token_stride = 16;
        c.q.head_stride = 64;
        CHECK(c.turn().ok());
        c.q.head_stride = 63;
        CHECK(c.turn().code == errc::stride_invalid);
    }
    for (const index_t stride : {INT64_MAX, INT64_MAX / 3, INT64_MAX / 4, INT64_MAX / 12 + 1}) {
        call c;
        c.q.token_stride = stride;
        c.refuses([&] { return c.turn(); }, {errc::size_overflow, operand::q, 0, 0, 0},
                  "q 0: its size does not fit 64 bits");
    }
    {
        call c;
        c.q.heads = INT64_MAX;
        c.refuses([&] { return c.turn(); }, {errc::size_overflow, operand::q, 0, 0, 0},
                  "q 0: its size does not fit 64 bits");
        c.q.heads = 2;
        c.k.head_dim = INT64_MAX;
        c.k.token_stride = INT64_MAX;
        c.refuses([&] { return c.turn(); }, {errc::size_overflow, operand::k, 0, 0, 0},
                  "k 0: its size does not fit 64 bits");
    }
    {
        call c;  // the end of the memory would lie before its beginning
        c.q.token_stride = INT64_MAX / 16 - 64;
        c.q.data = reinterpret_cast<float*>(~std::uintptr_t{0} / 4 * 4 - 4095);
        const status s = c.turn();
        CHECK(s.code == errc::size_overflow);
        CHECK(s.what == operand::q);
    }
}

TEST_CASE("strides that no element is reached by are not read") {
    for (const index_t odd : {index_t{0}, index_t{-1}, index_t{1}, INT64_MAX, INT64_MIN, INT64_MAX / 2}) {
        INFO("stride " << odd);
        {
            call c;  // one head each
            c.q = compact_heads(c.memory.data(), 4, 1, 16);
            c.q_out = compact_heads(c.memory.data() + 512, 4, 1, 16);
            for (heads_view<float>* v : {&c.q, &c.k, &c.q_out, &c.k_out}) v->head_stride = odd;
            CHECK(c.turn().ok());
            CHECK(c.turn_to().ok());
            c.q_out = c.q;
            c.q_out.head_stride = 16;
            CHECK(c.turn_to().ok());
        }
        {
            call c;  // one token
            for (heads_view<float>* v : {&c.q, &c.k, &c.q_out, &c.k_out}) {
                v->tokens = 1;
                v->token_stride = odd;
            }
            c.at = axis_major(c.whole.data(), 3, 1);
            CHECK(c.turn().ok());
            CHECK(c.turn_to().ok());
            c.q_out = c.q;
            c.q_out.token_stride = 32;
            CHECK(c.turn_to().ok());
        }
        {
            call c;  // neighbours in one packed row
            c.q = compact_heads(c.memory.data(), 1, 1, 16);
            c.k = compact_heads(c.memory.data() + 8, 1, 1, 16);
            c.q.token_stride = c.k.token_stride = c.q.head_stride = c.k.head_stride = odd;
            c.at = axis_major(c.whole.data(), 3, 1);
            CHECK(c.turn().code == errc::overlap);
        }
    }
}

TEST_CASE("memory that is written may be its own input and nothing else") {
    const std::string of = ": its memory overlaps another operand that is written";
    {
        call c;
        c.k.data = c.q.data + 16;
        c.refuses([&] { return c.turn(); }, {errc::overlap, operand::q, 0, 0, 0}, "q" + of);
        c.k.data = c.q.data + 127;  // by one element
        CHECK(c.turn().code == errc::overlap);
        c.k.data = c.q.data + 128;
        CHECK(c.turn().ok());
    }
    {
        call c;  // in place, but shifted
        c.q_out.data = c.q.data + 1;
        c.refuses([&] { return c.turn_to(); }, {errc::overlap, operand::q_out, 0, 0, 0}, "q_out" + of);
        c.q_out.data = c.q.data + 16;
        CHECK(c.turn_to().code == errc::overlap);
        c.q_out.data = c.q.data;
        c.q_out.token_stride = 48;
        CHECK(c.turn_to().code == errc::overlap);
        c.q_out = c.q;
        CHECK(c.turn_to().ok());
    }
    {
        call c;  // an output over the other's input or output
        c.q_out.data = c.k.data + 3;
        c.refuses([&] { return c.turn_to(); }, {errc::overlap, operand::q_out, 0, 0, 0}, "q_out" + of);
        c.q_out.data = c.memory.data() + 512;
        c.k_out.data = c.q_out.data + 120;
        c.refuses([&] { return c.turn_to(); }, {errc::overlap, operand::q_out, 0, 0, 0}, "q_out" + of);
        c.k_out.data = c.q.data;
        CHECK(c.turn_to().code == errc::overlap);
        c.k_out = c.k;
        c.q_out = c.q;
        CHECK(c.turn_to().ok());
        // Inputs may share: they are only read.
        c.q_out = compact_heads(c.memory.data() + 512, 4, 2, 16);
        c.k_out = compact_heads(c.memory.data() + 640, 4, 1, 16);
        c.k.data = c.q.data;
        CHECK(c.turn_to().ok());
    }
    {
        call c;  // packed rows interleave and do not overlap, until one is a channel too wide
        c.q = packed_heads(c.memory.data(), 4, 4, 0, 2, 16);
        c.k = packed_heads(c.memory.data(), 4, 4, 2, 1, 16);
        CHECK(c.turn().ok());
        c.k = packed_heads(c.memory.data(), 4, 4, 1, 1, 16);
        CHECK(c.turn().code == errc::overlap);
        c.k = packed_heads(c.memory.data(), 4, 4, 3, 1, 16);
        CHECK(c.turn().ok());
        c.k.head_dim = 17;
        CHECK(c.turn().code == errc::overlap);
        // k first in the row.
        c.q = packed_heads(c.memory.data(), 4, 4, 1, 2, 16);
        c.k = packed_heads(c.memory.data(), 4, 4, 0, 1, 16);
        CHECK(c.turn().ok());
        // k starts below q's first row and reaches its rows elsewhere.
        c.q = packed_heads(c.memory.data() + 64, 4, 4, 1, 2, 16);
        c.k = packed_heads(c.memory.data(), 4, 4, 2, 1, 16);
        CHECK(c.turn().code == errc::overlap);
    }
    {
        call c;  // head rows outside, packed the same way
        c.q = {c.memory.data(), 4, 2, 16, 16, 256};
        c.k = {c.memory.data() + 64, 4, 2, 16, 16, 256};
        CHECK(c.turn().ok());
        c.k.data = c.memory.data() + 63;
        CHECK(c.turn().code == errc::overlap);
    }
}

TEST_CASE("ranges, shares, levels, shards and slots that are none are refused") {
    {
        call c;
        c.options.tokens = {token_index{-1}, token_index{2}};
        c.refuses([&] { return c.turn(); }, {errc::range_invalid, operand::token, 0, -1, 2},
                  "token: the range [-1, 2) is not a range of tokens");
        c.options.tokens = {token_index{3}, token_index{2}};
        c.refuses([&] { return c.turn(); }, {errc::range_invalid, operand::token, 0, 3, 2},
                  "token: the range [3, 2) is not a range of tokens");
        c.options.tokens = {token_index{0}, token_index{5}};
        c.refuses([&] { return c.turn(); }, {errc::range_invalid, operand::token, 0, 0, 5},
                  "token: the range [0, 5) is not a range of tokens");
        c.options.tokens = {token_index{4}, token_index{4}};
        CHECK(c.turn().ok());
    }
    for (const partition part :
         {partition{0, 0}, partition{-1, 2}, partition{2, 2}, partition{INT_MIN, INT_MIN}, partition{0, -1}}) {
        call c;
        c.options.part = part;
        c.refuses([&] { return c.turn(); }, {errc::partition_invalid, operand::none, 0, part.nth, part.ith},
                  "worker " + std::to_string(part.ith) + " of " + std::to_string(part.nth) + " is no partition");
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table, c.options); },
                  {errc::partition_invalid, operand::none, 0, part.nth, part.ith},
                  "worker " + std::to_string(part.ith) + " of " + std::to_string(part.nth) + " is no partition");
    }
    for (int l = 0; l < 8; ++l) {
        const auto use = static_cast<cpu::level>(l);
        if (cpu::supports(use)) continue;
        call c;
        c.options.use = use;
        const status want{errc::unsupported, operand::level, l, 0, 0};
        const std::string sentence =
            "instruction-set level: this combination is not supported (entry " + std::to_string(l) + ")";
        c.refuses([&] { return c.turn(); }, want, sentence);
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table, c.options); }, want, sentence);
        c.refuses([&] { return cpu::rerotate(c.rope, c.at, c.at, c.k, c.options); }, want, sentence);
    }
    for (const cpu::head_shard shard :
         {cpu::head_shard{-1, 4}, cpu::head_shard{3, 4}, cpu::head_shard{0, 1}, cpu::head_shard{INT64_MAX, 4},
          cpu::head_shard{0, -1}, cpu::head_shard{0, INT64_MIN}, cpu::head_shard{INT64_MAX, INT64_MAX}}) {
        call c;
        c.options.q_shard = shard;
        const status s = c.turn();
        CHECK(s.code == errc::extent_mismatch);
        CHECK(s.what == operand::q);
        CHECK(s.index == 1);
        CHECK(s.expected == shard.all);
        CHECK(c.memory[0] == 0.5f);
    }
    {
        call c;
        c.options.q_shard = {3, 4};
        c.refuses([&] { return c.turn(); }, {errc::extent_mismatch, operand::q, 1, 4, 5},
                  "q: entry 1 is 5, and must be 4");
        c.options = {};
        c.options.k_shard = {0, INT64_MAX};
        c.rope = make_rope({8, 3, 2, pairing::half_split, 1e4, 1.0, false});
        CHECK(c.turn().code == errc::extent_mismatch);
        c.options.k_shard = {6, 8};
        c.options.q_shard = {6, 8};
        CHECK(c.turn().ok());
    }
    {
        call c;
        const index_t slots[] = {0, 4, 1};
        c.options.slots = {slots, 3};
        c.at = axis_major(c.whole.data(), 3, 3);
        c.refuses([&] { return c.turn(); }, {errc::position_out_of_range, operand::slots, 1, 4, 4},
                  "slots: the position of token 1 is 4, past the limit 4");
        const index_t below[] = {0, 1, -2};
        c.options.slots = {below, 3};
        c.refuses([&] { return c.turn(); }, {errc::position_out_of_range, operand::slots, 2, 4, -2},
                  "slots: the position of token 2 is -2, past the limit 4");
        c.options.slots = {slots, -1};
        c.refuses([&] { return c.turn(); }, {errc::extent_negative, operand::slots, 0, 0, -1},
                  "slots: entry 0 is -1, below zero");
        c.options.slots = {nullptr, 3};
        c.refuses([&] { return c.turn(); }, {errc::null_data, operand::slots, 0, 0, 3},
                  "slots: the data pointer is null, and 3 elements are asked for");
        c.options.slots = {slots, 0};
        c.at = axis_major(c.whole.data(), 3, 0);
        CHECK(c.turn().ok());
        CHECK(c.memory[0] == 0.5f);
    }
}

TEST_CASE("tables that do not serve the call are refused") {
    {
        call c;
        c.table.rows = 3;
        c.refuses([&] { return c.turn(c.table); }, {errc::table_row_out_of_range, operand::table, 3, 3, 3},
                  "cos/sin table: token 3 asks for row 3, and the table has 3 rows");
        c.table.rows = -1;
        c.refuses([&] { return c.turn(c.table); }, {errc::extent_negative, operand::table, 0, 0, -1},
                  "cos/sin table: entry 0 is -1, below zero");
        c.table.rows = 0;
        CHECK(c.turn(c.table).code == errc::table_row_out_of_range);
    }
    {
        call c;
        c.table.row_stride = 7;
        c.refuses([&] { return c.turn(c.table); }, {errc::stride_invalid, operand::table, 0, 8, 7},
                  "cos/sin table: a stride of 7 elements is too small for 8");
        c.table.layout = table_layout::pairs;
        CHECK(equal(c.turn(c.table), {errc::stride_invalid, operand::table, 0, 8, 7}));
        c.table = doubled_table(c.cosines.data(), c.sines.data(), 4, 7, table_rows::tokens);
        CHECK(equal(c.turn(c.table), {errc::stride_invalid, operand::table, 0, 8, 7}));
        c.table.row_stride = INT64_MAX / 4;
        c.refuses([&] { return c.turn(c.table); }, {errc::size_overflow, operand::table, 0, 0, 0},
                  "cos/sin table 0: its size does not fit 64 bits");
        c.table.row_stride = INT64_MIN;
        CHECK(c.turn(c.table).code == errc::stride_invalid);
    }
    {
        call c;
        c.table.cos = nullptr;
        c.refuses([&] { return c.turn(c.table); }, {errc::null_data, operand::cos, 0, 0, 32},
                  "cos: the data pointer is null, and 32 elements are asked for");
        c.table = doubled_table(c.cosines.data(), static_cast<float*>(nullptr), 4, 8, table_rows::tokens);
        c.refuses([&] { return c.turn(c.table); }, {errc::null_data, operand::sin, 0, 0, 32},
                  "sin: the data pointer is null, and 32 elements are asked for");
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table); }, {errc::null_data, operand::sin, 0, 0, 32},
                  "sin: the data pointer is null, and 32 elements are asked for");
    }
    {
        call c;  // rows of the other meaning
        const std::string sentence = "cos/sin table: this combination is not supported (entry 0)";
        const status want{errc::unsupported, operand::table, 0, 0, 0};
        c.refuses([&] { return c.turn(cpu::looked_up(c.table, c.at)); }, want, sentence);
        c.refuses([&] { return cpu::fill_position_table(c.rope, c.table); }, want, sentence);
        c.table.rows_are = table_rows::positions;
        c.refuses([&] { return c.turn(c.table); }, want, sentence);
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table); }, want, sentence);
    }
    {
        call c;  // one row cannot serve head groups that turn differently
        c.rope = make_rope({8, 3, 2, pairing::half_split, 1e4, 1.0, false});
        const std::string sentence = "cos/sin table: this combination is not supported (entry 1)";
        const status want{errc::unsupported, operand::table, 1, 1, 2};
        c.refuses([&] { return c.turn(c.table); }, want, sentence);
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table); }, want, sentence);
        c.table.rows_are = table_rows::positions;
        c.refuses([&] { return c.turn(cpu::looked_up(c.table, c.at)); }, want, sentence);
        c.refuses([&] { return cpu::fill_position_table(c.rope, c.table); }, want, sentence);
    }
    {
        call c;  // rows that positions ask for
        c.table.rows_are = table_rows::positions;
        c.whole[5] = 4;
        c.refuses([&] { return c.turn(cpu::looked_up(c.table, c.at)); },
                  {errc::table_row_out_of_range, operand::table, 1, 4, 4},
                  "cos/sin table: token 1 asks for row 4, and the table has 4 rows");
        c.whole[5] = -1;
        c.refuses([&] { return c.turn(cpu::looked_up(c.table, c.at)); },
                  {errc::table_row_out_of_range, operand::table, 1, 4, -1},
                  "cos/sin table: token 1 asks for row -1, and the table has 4 rows");
        c.whole[5] = 0;
        c.at.axes = 2;
        c.refuses([&] { return c.turn(cpu::looked_up(c.table, c.at)); },
                  {errc::axis_count_mismatch, operand::positions, 0, 3, 2},
                  "the frequency table turns 3 axes, and positions has 2");
        c.at.axes = 3;
        c.at.data = nullptr;
        CHECK(c.turn(cpu::looked_up(c.table, c.at)).code == errc::null_data);
    }
    {
        call c;  // making one
        c.refuses([&] { return cpu::fill_table(c.rope, axis_major(c.whole.data(), 3, 3), c.table); },
                  {errc::extent_mismatch, operand::positions, 1, 4, 3}, "positions: entry 1 is 3, and must be 4");
        c.options.tokens = {token_index{0}, token_index{5}};
        c.refuses([&] { return cpu::fill_table(c.rope, c.at, c.table, c.options); },
                  {errc::range_invalid, operand::table, 0, 0, 5},
                  "cos/sin table: the range [0, 5) is not a range of tokens");
        c.wide[2] = 1LL << 40;
        c.refuses([&] { return cpu::fill_table(c.rope, axis_major(c.wide.data(), 3, 4), c.table); },
                  {errc::position_out_of_range, operand::positions, 2, 2147483647, 1LL << 40},
                  "positions: the position of token 2 is 1099511627776, past the limit 2147483647");
        c.table.row_stride = 4;
        CHECK(equal(cpu::fill_table(c.rope, c.at, c.table), {errc::stride_invalid, operand::table, 0, 8, 4}));
    }
}

TEST_CASE("rerotate names which of its positions are wrong") {
    call c;
    c.refuses([&] { return cpu::rerotate(c.rope, axis_major(c.whole.data(), 3, 3), c.at, c.k); },
              {errc::extent_mismatch, operand::from_positions, 1, 4, 3}, "from_positions: entry 1 is 3, and must be 4");
    c.refuses([&] { return cpu::rerotate(c.rope, c.at, axis_major(c.whole.data(), 1, 4), c.k); },
              {errc::axis_count_mismatch, operand::to_positions, 0, 3, 1},
              "the frequency table turns 3 axes, and to_positions has 1");
    c.fine[1] = -3e9;
    c.refuses([&] { return cpu::rerotate(c.rope, c.at, axis_major(c.fine.data(), 3, 4), c.k); },
              {errc::position_out_of_range, operand::to_positions, 1, 2147483647, -3000000000},
              "to_positions: the position of token 1 is -3000000000, past the limit 2147483647");
    c.refuses([&] { return cpu::shift(c.rope, uniform_shift(1.0, 2), c.k); },
              {errc::axis_count_mismatch, operand::positions, 0, 3, 2},
              "the frequency table turns 3 axes, and positions has 2");
    c.refuses([&] { return cpu::shift(c.rope, uniform_shift(4e9, 3), c.k); },
              {errc::position_out_of_range, operand::positions, 0, 2147483647, 4000000000},
              "positions: the position of token 0 is 4000000000, past the limit 2147483647");
    CHECK(cpu::shift(c.rope, uniform_shift(static_cast<double>(NAN), 3), c.k).code == errc::position_out_of_range);
    c.k.data = nullptr;
    c.refuses([&] { return cpu::rerotate(c.rope, c.at, c.at, c.k); }, {errc::null_data, operand::k, 0, 0, 64},
              "k: the data pointer is null, and 64 elements are asked for");
}

TEST_CASE("what the quick check lets pass, the slow one explains, for any extents and strides") {
    // A call that is refused without a reason would return ok and do nothing.
    random_bits random(41);
    static constexpr index_t odd[] = {
        0, 1, 2, 3, 4, 15, 16, 17, 32, 64, -1, INT64_MIN, INT64_MAX, INT64_MAX / 2, INT64_MAX / 16, 1LL << 32};
    float one = 0.0f;
    int sound = 0, refused = 0;
    for (int i = 0; i < 200000; ++i) {
        const auto draw = [&] { return random.chance(15) ? random.one_of(odd) : random.between(0, 20); };
        const heads_view<float> v{random.chance(5) ? nullptr : &one, draw(), draw(), draw(), draw(), draw()};
        const index_t rotary_dim = 2 * random.between(0, 8);
        cpu::detail::footprint memory;
        const bool passes = cpu::detail::sound_heads(v, rotary_dim, memory);
        const status s = cpu::detail::explain_heads(v, rotary_dim, operand::q);
        // A view of heads without channels holds nothing to turn.
        if (passes != s.ok() && !(v.head_dim == 0 && s.ok())) {
            CAPTURE(v.tokens, v.heads, v.head_dim, v.token_stride, v.head_stride, rotary_dim);
            FAIL("the two checks differ: " << to_string(s).c_str());
        }
        (passes ? sound : refused) += 1;
    }
    CHECK(sound > 5000);
    CHECK(refused > 5000);
}
