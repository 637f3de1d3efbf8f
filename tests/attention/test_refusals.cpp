// What does not fit is refused with a sentence, by the definition and by the streaming kernel, and nothing is written.

#include "attention/streaming_case.hpp"
#include "polyrope/layout/sequential.hpp"

#include <algorithm>

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// A call that is right, in parts that can be made wrong: 15 tokens, 4 to 9 visual, heads 4/2, 12 channels and 5.
template <class T>
struct call {
    position_plan plan = plan_a();
    coordinate_selection which = selection::without_tv_spatial;
    attention_region region{tokens_from(0, 15), tokens_from(0, 15)};
    attention_operands<T> in;
    attention_options options;
    std::vector<T> numbers = filled();

    [[nodiscard]] static std::vector<T> filled() {
        if constexpr (std::is_same_v<T, double>) return std::vector<T>(20 * 4 * 300, 0.5);
        else return std::vector<T>(20 * 4 * 300, narrowed<T>(0.5));
    }
    call() { in = {rows(15, 4, 12), rows(15, 2, 12), rows(15, 2, 5), rows(6, 4, 12), rows(6, 2, 12)}; }
    [[nodiscard]] heads_view<const T> rows(index_t tokens, index_t heads, index_t width) const {
        return compact_heads(numbers.data(), tokens, heads, width);
    }
};

status of_definition(const call<double>& c) {
    return attention::reference<double>::make(c.plan, c.which, c.region, c.in, c.options).error();
}

struct destination {
    index_t tokens = 15, heads = 4, channels = 5;
    std::vector<float> out = std::vector<float>(20 * 4 * 300, 7.0f), log_sum_exp = std::vector<float>(80, 7.0f);
    attention::streaming_options how;

    template <class T>
    status attend(const call<T>& c) {
        how.attend = c.options;
        return attention::streaming(c.plan, c.which, c.region, c.in,
                                    {compact_heads(out.data(), tokens, heads, channels), log_sum_exp.data()}, how);
    }
    [[nodiscard]] bool untouched() const {
        return std::all_of(out.begin(), out.end(), [](float x) { return x == 7.0f; }) &&
               std::all_of(log_sum_exp.begin(), log_sum_exp.end(), [](float x) { return x == 7.0f; });
    }
};

/// Breaks a call in both kernels; `change` takes a call of any element type.
template <class Change>
void check_refused(const std::string& sentence, const Change& change) {
    call<double> wide;
    call<float> single;
    call<bf16> half;
    change(wide);
    change(single);
    change(half);
    destination to;
    CHECK(sentence_of(of_definition(wide)) == sentence);
    CHECK(sentence_of(to.attend(single)) == sentence);
    CHECK(sentence_of(to.attend(half)) == sentence);
    CHECK(to.untouched());
}

}  // namespace

TEST_CASE("the call that the others are broken from is right") {
    destination to;
    CHECK(of_definition(call<double>{}).ok());
    CHECK(to.attend(call<float>{}).ok());
    CHECK(!to.untouched());
}

TEST_CASE("regions that are none are refused") {
    const auto region = [](index_t q0, index_t q1, index_t k0, index_t k1) {
        return [=](auto& c) { c.region = {tokens_from(q0, q1), tokens_from(k0, k1)}; };
    };
    check_refused("q: the range [5, 4) is not a range of tokens", region(5, 4, 0, 15));
    check_refused("q: the range [-1, 4) is not a range of tokens", region(-1, 4, 0, 15));
    check_refused("q: the range [-9223372036854775808, 9223372036854775807) is not a range of tokens",
                  region(INT64_MIN, INT64_MAX, 0, 15));
    check_refused("k: the range [8, 6) is not a range of tokens", region(9, 10, 8, 6));
    check_refused("k: the range [-3, 15) is not a range of tokens", region(0, 15, -3, 15));
    check_refused("k: the range [3, 15) is not a range of tokens", region(2, 4, 3, 15));
    check_refused("k: keys end at token 14, before the last query sees itself at 15", region(0, 15, 0, 14));
    check_refused("k: keys end at token 3, before the last query sees itself at 9223372036854775807",
                  region(0, INT64_MAX, 0, 3));
    // Ranges that run past the plan are text, and ask for rows that are not there.
    check_refused("q: entry 0 is 15, and must be 16", region(0, 16, 0, 16));
    check_refused("q: entry 0 is 15, and must be 9223372036854775807", region(0, INT64_MAX, 0, INT64_MAX));
    check_refused("k: entry 0 is 15, and must be 9223372036854775807", region(0, 15, 0, INT64_MAX));
}

TEST_CASE("banks and operands of other shapes are refused") {
    check_refused("k: entry 0 is 14, and must be 15", [](auto& c) { c.in.k = c.rows(14, 2, 12); });
    check_refused("v: entry 0 is 16, and must be 15", [](auto& c) { c.in.v = c.rows(16, 2, 5); });
    check_refused("visual_q: entry 0 is 5, and must be 6", [](auto& c) { c.in.visual_q = c.rows(5, 4, 12); });
    check_refused("visual_q: entry 0 is 0, and must be 6", [](auto& c) { c.in.visual_q = {}; });
    check_refused("visual_q: entry 1 is 2, and must be 4", [](auto& c) { c.in.visual_q = c.rows(6, 2, 12); });
    check_refused("visual_q: entry 2 is 8, and must be 12", [](auto& c) { c.in.visual_q = c.rows(6, 4, 8); });
    check_refused("visual_k: entry 0 is 15, and must be 6", [](auto& c) { c.in.visual_k = c.rows(15, 2, 12); });
    check_refused("visual_k: entry 1 is 4, and must be 2", [](auto& c) { c.in.visual_k = c.rows(6, 4, 12); });
    check_refused("visual_k: entry 2 is 13, and must be 12", [](auto& c) { c.in.visual_k = c.rows(6, 2, 13); });
    check_refused("visual_k: the data pointer is null, and 144 elements are asked for",
                  [](auto& c) { c.in.visual_k.data = nullptr; });
    check_refused("q: the data pointer is null, and 720 elements are asked for",
                  [](auto& c) { c.in.q.data = nullptr; });
    check_refused("v: a stride of 3 elements is too small for 5", [](auto& c) { c.in.v.token_stride = 3; });
    check_refused("k: entry 0 is 15, and must be 18", [](auto& c) {
        c.region = {tokens_from(15, 15 + 3), tokens_from(0, 15 + 3)};
        c.in.q = c.rows(3, 4, 12);
    });
    // One selection has no second bank, and is not handed one.
    check_refused("visual_q: entry 0 is 6, and must be 0", [](auto& c) { c.which = selection::original; });
    check_refused("segment 1: this layout has no neutral point; ask for the segment's start by name", [](auto& c) {
        c.plan = plan_of(layout::sequential{2, 3}, {text(4), image(patch_grid{1, 4, 6}), text(5)});
    });
}

TEST_CASE("heads that do not divide, and none, are refused") {
    check_refused("k: 3 heads do not divide 4 query heads", [](auto& c) { c.in.k = c.rows(15, 3, 12); });
    check_refused("k: 8 heads do not divide 4 query heads", [](auto& c) { c.in.k = c.rows(15, 8, 12); });
    check_refused("k: 0 heads do not divide 4 query heads", [](auto& c) { c.in.k = c.rows(15, 0, 12); });
    check_refused("v: entry 1 is 4, and must be 2", [](auto& c) { c.in.v = c.rows(15, 4, 5); });
    check_refused("k: entry 2 is 16, and must be 12", [](auto& c) { c.in.k = c.rows(15, 2, 16); });
    check_refused("q: entry 1 is 0, and at least one is needed", [](auto& c) { c.in.q = c.rows(15, 0, 12); });
    check_refused("q: entry 2 is 0, and at least one is needed", [](auto& c) { c.in.q = c.rows(15, 4, 0); });
    check_refused("q: entry 1 is -4, below zero", [](auto& c) { c.in.q.heads = -4; });
}

TEST_CASE("factors outside their range are refused") {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const double factor : {-1.0, -infinity, nan, infinity, 1e19, 1e-19, 1e300, 1e-300}) {
        check_refused("the scale of attention scores must be 0 or lie between 2^-60 and 2^60",
                      [=](auto& c) { c.options.scale = factor; });
        check_refused("the soft cap of attention scores must be 0 or lie between 2^-60 and 2^60",
                      [=](auto& c) { c.options.soft_cap = factor; });
    }
    // At the ends of the range answers are numbers still: values are all the same here.
    for (const double scale : {0x1p-60, 0x1p60})
        for (const double cap : {0x1p-60, 0x1p60}) {
            call<float> c;
            c.options.scale = scale;
            c.options.soft_cap = cap;
            destination to;
            REQUIRE(to.attend(c).ok());
            for (std::size_t i = 0; i < 15 * 4 * 5; ++i) CHECK(std::abs(to.out[i] - 0.5f) <= 1e-6f);
        }
}

TEST_CASE("outputs, partitions and widths that do not fit streaming attention are refused") {
    const auto sentence = [](const auto& change) {
        call<float> c;
        destination to;
        change(c, to);
        const status s = to.attend(c);
        CHECK(to.untouched());
        return sentence_of(s);
    };
    using in = call<float>;
    using to = destination;
    CHECK(sentence([](in&, to& d) { d.tokens = 14; }) == "output: entry 0 is 14, and must be 15");
    CHECK(sentence([](in&, to& d) { d.heads = 2; }) == "output: entry 1 is 2, and must be 4");
    CHECK(sentence([](in&, to& d) { d.channels = 12; }) == "output: entry 2 is 12, and must be 5");
    CHECK(sentence([](in&, to& d) { d.how.part = {2, 2}; }) == "worker 2 of 2 is no partition");
    CHECK(sentence([](in&, to& d) { d.how.part = {-1, 2}; }) == "worker -1 of 2 is no partition");
    CHECK(sentence([](in&, to& d) { d.how.part = {0, 0}; }) == "worker 0 of 0 is no partition");
    CHECK(sentence([](in& c, to&) {
              c.in.q = c.rows(15, 4, 257);
              c.in.k = c.rows(15, 2, 257);
              c.in.visual_q = c.rows(6, 4, 257);
              c.in.visual_k = c.rows(6, 2, 257);
          }) == "head_dim: 257 exceeds the capacity of 256");
    CHECK(sentence([](in& c, to& d) {
              c.in.v = c.rows(15, 2, 257);
              d.channels = 257;
          }) == "v: 257 exceeds the capacity of 256");
    for (const cpu::level use : {cpu::level::avx2, cpu::level::avx512, cpu::level::neon})
        if (!cpu::supports(use))
            CHECK(sentence([use](in&, to& d) { d.how.use = use; }).find("instruction-set level") == 0);
}

TEST_CASE("an answer that shares memory with what is read, or with its own sums, is refused") {
    const std::string overlaps = "output: its memory overlaps another operand that is written";
    const auto sentence = [](float* out, float* sums, call<float>& c) {
        const std::vector<float> before = c.numbers;
        const status s = attention::streaming<float>(
            c.plan, c.which, c.region, c.in, {compact_heads(out, 15, 4, 5), sums}, attention::streaming_options{});
        if (!s.ok()) CHECK(c.numbers == before);
        return s.ok() ? std::string("ok") : sentence_of(s);
    };
    for (const int which : {0, 1, 2, 3, 4}) {
        call<float> c;
        std::vector<float> apart(4096, 7.0f), other(4096, 0.5f);
        const attention_operands<float> shared = c.in;
        const auto moved = [&](const heads_view<const float>& v) {
            return compact_heads<const float>(other.data(), v.tokens, v.heads, v.head_dim);
        };
        // All operands but one move away from the memory that the answer lies in.
        c.in = {moved(shared.q), moved(shared.k), moved(shared.v), moved(shared.visual_q), moved(shared.visual_k)};
        CHECK(sentence(c.numbers.data(), apart.data(), c) == "ok");
        std::fill(c.numbers.begin(), c.numbers.end(), 0.5f);
        if (which == 0) c.in.q = shared.q;
        if (which == 1) c.in.k = shared.k;
        if (which == 2) c.in.v = shared.v;
        if (which == 3) c.in.visual_q = shared.visual_q;
        if (which == 4) c.in.visual_k = shared.visual_k;
        CHECK(sentence(c.numbers.data(), nullptr, c) == overlaps);
        CHECK(sentence(apart.data(), c.numbers.data(), c) == overlaps);
        CHECK(sentence(apart.data(), apart.data() + 299, c) == overlaps);
        CHECK(sentence(apart.data(), apart.data() + 300, c) == "ok");
        CHECK(sentence(apart.data(), nullptr, c) == "ok");
    }
}

TEST_CASE("no queries is a call that does nothing, and no visual tokens one that needs no second bank") {
    for (const coordinate_selection which : selections) {
        call<float> c;
        c.which = which;
        c.region = {tokens_from(7, 7), tokens_from(0, 15)};
        c.in.q = c.rows(0, 4, 12);
        c.in.visual_q = {};
        if (!which.is_mixed()) c.in.visual_k = {};
        destination to;
        to.tokens = 0;
        CHECK(to.attend(c).ok());
        CHECK(to.untouched());

        random_bits random(131);
        const position_plan plan = plan_of(layout::mrope{1}, {text(40)});
        const attention_region all{tokens_from(0, 40), tokens_from(0, 40)};
        const auto in = random_banks<float>(plan, which, all, {4, 2, 12, 5}, random);
        CHECK(in.operands().visual_q.empty());
        const streamed found = stream(plan, which, all, in.operands());
        CHECK(found == stream(plan, selection::original, all, in.operands()));
        check_streamed(found, *attention::reference<double>::make(plan, which, all, in.wide.operands()), in.wide.v);
    }
}
