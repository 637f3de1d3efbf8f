// The merge of two partial answers on the device, its bodies run on the host beside merge_states.

#include <limits>

#include "cuda/host_merge.hpp"
#include "cuda/side.hpp"
#include "polyrope/attention/merge_states.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

constexpr float no_keys = -std::numeric_limits<float>::infinity();

/// An answer with the memory that it lies in, `shift` elements into it.
template <class T>
struct answer {
    std::vector<T> out;
    std::vector<float> log_sum_exp;
    index_t tokens, heads, head_dim, gap, shift;

    answer(index_t rows, index_t of, index_t channels, index_t between, index_t from, random_bits& random)
        : out(random_buffer<T>(rows * of * (channels + between) + from, random, values::ordinary)),
          log_sum_exp(static_cast<std::size_t>(rows * of)),
          tokens(rows),
          heads(of),
          head_dim(channels),
          gap(between),
          shift(from) {
        for (float& x : log_sum_exp) {
            x = static_cast<float>(random.between(-4000, 4000)) / static_cast<float>(random.chance(20) ? 10 : 500);
            if (random.chance(15)) x = no_keys;
        }
    }
    [[nodiscard]] cuda::partial_attention<T> view() {
        const index_t row = head_dim + gap;
        return {{out.data() + shift, tokens, heads, head_dim, heads * row, row}, log_sum_exp.data()};
    }
    /// Whatever an answer over no keys holds is not read.
    void spoil() {
        for (index_t n = 0; n < tokens; ++n)
            for (index_t m = 0; m < heads; ++m)
                for (index_t c = 0;
                     c < head_dim && detail::is_no_state(log_sum_exp[static_cast<std::size_t>(n * heads + m)]); ++c)
                    view().out.at(n, m)[c] = make<T>(std::numeric_limits<float>::quiet_NaN());
    }
    template <class To>
    static To make(float x) {
        if constexpr (std::is_same_v<To, float>) return x;
        else return To::from(x);
    }
};

template <class T>
float value_of(T x) {
    if constexpr (std::is_same_v<T, float>) return x;
    else return x.value();
}

/// merge_states on float32 values of `into` and `from`, row by row, its result rounded once.
template <class T>
answer<T> merged_on_host(answer<T> into, answer<T>& from, const index_t* rows) {
    const index_t size = into.heads * into.head_dim;
    std::vector<float> own(static_cast<std::size_t>(size)), other(own.size());
    for (index_t i = 0; i < from.tokens; ++i) {
        const index_t n = rows == nullptr ? i : rows[i];
        if (n < 0 || n >= into.tokens) continue;
        const auto each = [&](auto body) {
            for (index_t e = 0; e < size; ++e)
                body(static_cast<std::size_t>(e), into.view().out.at(n, e / into.head_dim)[e % into.head_dim],
                     from.view().out.at(i, e / into.head_dim)[e % into.head_dim]);
        };
        each([&](std::size_t e, T x, T y) { own[e] = value_of(x), other[e] = value_of(y); });
        REQUIRE(merge_states<float>(
                    {compact_heads(own.data(), 1, into.heads, into.head_dim), into.log_sum_exp.data() + n * into.heads},
                    {compact_heads<const float>(other.data(), 1, into.heads, into.head_dim),
                     from.log_sum_exp.data() + i * into.heads})
                    .ok());
        each([&](std::size_t e, T& x, T) { x = answer<T>::template make<T>(own[e]); });
    }
    return into;
}

}  // namespace

TEMPLATE_TEST_CASE("the device's merge has the bits of merge_states", "", float, bf16, f16) {
    random_bits random(811);
    int wide = 0, narrow = 0;
    for (int round = 0; round < 150; ++round) {
        const index_t dims[] = {1, 2, 8, 33, 72, 80, 128, 256, 264, 520};
        const index_t heads = random.between(1, 9), head_dim = dims[random.between(0, 9)], rows = random.between(1, 40);
        const index_t gap = random.chance(50) ? 0 : 8 * random.between(0, 1) + random.between(0, 1);
        const bool listed = random.chance(50);
        answer<TestType> into(listed ? random.between(1, 60) : rows, heads, head_dim, gap, random.between(0, 1),
                              random);
        if (into.tokens < rows && !listed) continue;
        answer<TestType> from(rows, heads, head_dim, 0, 0, random);
        into.spoil();
        from.spoil();
        // Every row of `into` at most once, in any order, some that are not there.
        std::vector<index_t> list(static_cast<std::size_t>(rows), -1);
        for (index_t i = 0, next = 0; i < rows; ++i) {
            next += random.between(1, 3);
            list[static_cast<std::size_t>(i)] = random.chance(10) ? -random.between(1, 9) : next - 1;
        }
        for (std::size_t i = list.size(); i > 1; --i)
            std::swap(list[i - 1], list[static_cast<std::size_t>(random.between(0, static_cast<index_t>(i) - 1))]);
        const index_t* const where = listed ? list.data() : nullptr;
        const answer<TestType> right = merged_on_host(into, from, where);
        cuda::detail::merge_task task;
        REQUIRE(cuda::detail::bind_merge(task, into.view(), from.view().as_const(), where).ok());
        (task.wide != 0 ? wide : narrow) += 1;
        REQUIRE(host_merge(into.view(), from.view().as_const(), where).ok());
        REQUIRE(same_bits(into.out, right.out));
        REQUIRE(same_bits(into.log_sum_exp, right.log_sum_exp));
    }
    CHECK(wide > 20);
    CHECK(narrow > 20);
}

TEST_CASE("rows of an answer lie past 2^31 elements") {
    random_bits random(812);
    constexpr index_t stride = index_t{1} << 33, row = 3;
    answer<bf16> into(1, 2, 16, 0, 0, random), from(1, 2, 16, 0, 0, random);
    const index_t rows[] = {row};
    const answer<bf16> right = merged_on_host(into, from, nullptr);
    const auto back = [](auto* data, index_t count) {
        return reinterpret_cast<decltype(data)>(reinterpret_cast<std::uintptr_t>(data) -
                                                static_cast<std::uintptr_t>(count) * sizeof(*data));
    };
    cuda::detail::merge_task task;
    cuda::detail::launch_shape shape;
    REQUIRE(cuda::detail::bind_merge(task, into.view(), from.view().as_const(), rows).ok());
    task.into = back(into.out.data(), row * stride);
    task.into_token_stride = stride;
    task.into_log_sum_exp = back(into.log_sum_exp.data(), row * 2);
    task.into_rows = row + 1;
    REQUIRE(cuda::detail::shape_merge(shape, task).ok());
    run_merge<bf16>(task, shape);
    CHECK(same_bits(into.out, right.out));
    CHECK(same_bits(into.log_sum_exp, right.log_sum_exp));
}

TEST_CASE("what merge_states refuses, the device refuses in the same words, and more that only it must") {
    random_bits random(813);
    answer<float> into(2, 1, 8, 0, 0, random), from(3, 2, 16, 0, 0, random);
    const auto both = [&](heads_view<const float> part, const float* numbers, const index_t* rows) {
        const attention_state<float> state{into.view().out, into.log_sum_exp.data()};
        const status s = merge_states<float>(state, {part, numbers}, rows);
        CHECK(host_merge<float>(into.view(), {part, numbers}, rows) == s);
        return s;
    };
    const float* const data = from.out.data();
    const float* const numbers = from.log_sum_exp.data();
    CHECK(both(compact_heads(data, 3, 1, 8), numbers, nullptr).code == errc::extent_mismatch);
    CHECK(both(compact_heads(data, 2, 2, 8), numbers, nullptr).code == errc::extent_mismatch);
    CHECK(both(compact_heads(data, 2, 1, 16), numbers, nullptr).code == errc::extent_mismatch);
    CHECK(both(compact_heads(data, 2, 1, 8), nullptr, nullptr).code == errc::null_data);
    CHECK(both(compact_heads<const float>(nullptr, 2, 1, 8), numbers, nullptr).code == errc::null_data);
    CHECK(both({data, 2, 2, 8, 4, 8}, numbers, nullptr).code == errc::stride_invalid);
    CHECK(both(compact_heads(data, -1, 1, 8), numbers, nullptr).code == errc::extent_negative);
    CHECK(both(compact_heads(data, 0, 1, 8), numbers, nullptr).ok());

    const cuda::partial_attention<float> own = into.view();
    const status meet{errc::overlap, operand::output, 0, 0, 0};
    CHECK(host_merge(own, own.as_const(), nullptr) == meet);
    CHECK(host_merge<float>(own, {compact_heads(data, 2, 1, 8), own.log_sum_exp}, nullptr) == meet);
    CHECK(host_merge<float>(own, {own.out.as_const(), numbers}, nullptr) == meet);
    CHECK(host_merge<float>({own.out, from.log_sum_exp.data()}, {compact_heads(data, 2, 1, 8), own.out.data},
                            nullptr) == meet);

    cuda::detail::merge_task task;
    cuda::detail::launch_shape shape;
    task.heads = 65535 * 256 + 1, task.head_dim = 1, task.from_rows = 1;
    CHECK(cuda::detail::shape_merge(shape, task) ==
          status{errc::capacity_exceeded, operand::attention, 1, 65535 * 256, 65535 * 256 + 1});
    task.heads = 256, task.from_rows = (index_t{1} << 31);
    CHECK(cuda::detail::shape_merge(shape, task) ==
          status{errc::capacity_exceeded, operand::attention, 0, INT32_MAX, index_t{1} << 31});
    task.from_rows -= 1;
    CHECK(cuda::detail::shape_merge(shape, task).ok());
}
