#pragma once
// What one thread does: eight rotary pairs (or one, where data is not aligned) of one token, over several heads, with
// their cosines and sines in registers. A function of explicit indices, so that the host runs it too: every bit is that of
// the CPU backend.

#include "polyrope/cuda/detail/angles.hpp"
#include "polyrope/cuda/detail/channels.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

/// Which channels turn together, as a template argument: half_split inside blocks of a run-time width, or neighbours.
enum class channel_order : std::uint8_t { half_split, adjacent };

// Channel of the first of `Pairs` pairs, and of the second half of them.
template <channel_order Order, int Pairs>
struct places {
    static POLYROPE_DEVICE_FUNCTION std::int32_t first(std::int32_t l, std::int32_t block_pairs) {
        if (Order == channel_order::adjacent) return 2 * l;
        return l < block_pairs ? l : l + l / block_pairs * block_pairs;
    }
    static POLYROPE_DEVICE_FUNCTION std::int32_t second(std::int32_t l, std::int32_t block_pairs) {
        return first(l, block_pairs) + (Order == channel_order::adjacent ? Pairs : block_pairs);
    }
};

// Turns pairs whose channels are a and b: half_split pairs a[i] with b[i], adjacent pairs neighbours.
template <class T, channel_order Order, int Pairs>
POLYROPE_DEVICE_FUNCTION void turn_channels(rounding how, float (&a)[Pairs], float (&b)[Pairs], const float (&c)[Pairs],
                                            const float (&s)[Pairs]) {
    constexpr element kind = element_traits<T>::kind;
    constexpr bool neighbours = Order == channel_order::adjacent && Pairs > 1;
    float x[Pairs], y[Pairs];
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Pairs; ++i) {
        x[i] = !neighbours ? a[i] : 2 * i < Pairs ? a[2 * i % Pairs] : b[2 * i % Pairs];
        y[i] = !neighbours ? b[i] : 2 * i < Pairs ? a[(2 * i + 1) % Pairs] : b[(2 * i + 1) % Pairs];
    }
    if (how == rounding::once) {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < Pairs; ++i) pd::scalar::turn_once(x[i], y[i], c[i], s[i]);
    } else {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < Pairs; ++i) pd::scalar::turn(how, kind, x[i], y[i], c[i], s[i]);
    }
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Pairs; ++i) {
        a[i] = !neighbours ? x[i] : i % 2 == 0 ? x[i / 2] : y[i / 2];
        b[i] = !neighbours ? y[i] : i % 2 == 0 ? x[(Pairs + i) / 2] : y[(Pairs + i) / 2];
    }
}

// Where head m of both operands lies: q's heads first, then k's.
struct head_place {
    const char* source;
    char* target;
};
template <class T>
POLYROPE_DEVICE_FUNCTION head_place place_of(const rotate_task& task, index_t token, std::int32_t m) {
    const bool is_q = m < task.q.heads;
    const task_operand& o = is_q ? task.q : task.k;
    const index_t head = is_q ? m : m - task.q.heads;
    constexpr auto size = static_cast<index_t>(sizeof(T));
    return {static_cast<const char*>(o.source) + (token * o.source_token_stride + head * o.source_head_stride) * size,
            static_cast<char*>(o.target) + (token * o.target_token_stride + head * o.target_head_stride) * size};
}

// The head group of head m: which row of pairs turns it.
POLYROPE_DEVICE_FUNCTION std::int32_t group_of(const rotate_task& task, std::int32_t m) {
    if (task.groups == 1) return 0;
    const bool is_q = m < task.q.heads;
    const task_operand& o = is_q ? task.q : task.k;
    const auto head = static_cast<std::uint32_t>(o.first_head + (is_q ? m : m - task.q.heads));
    return static_cast<std::int32_t>(head * static_cast<std::uint32_t>(task.groups) /
                                     static_cast<std::uint32_t>(o.all_heads));
}

// Channels past rotary_dim, which nothing turns: lane i behind the rotating ones copies channels
// [rotary_dim + i * Pairs, + Pairs) of its heads.
template <class T, int Pairs>
POLYROPE_DEVICE_FUNCTION void copy_rest(const rotate_task& task, index_t place, std::int32_t lane, std::int32_t m,
                                        std::int32_t end) {
    for (; m < end; ++m) {
        const std::int32_t channel = 2 * task.pairs + lane * Pairs;
        if (channel >= (m < task.q.heads ? task.q.head_dim : task.k.head_dim)) continue;
        const head_place at = place_of<T>(task, place, m);
        channels<T, Pairs> rest;
        rest.load(at.source + channel * static_cast<std::int32_t>(sizeof(T)));
        rest.copy(at.target + channel * static_cast<std::int32_t>(sizeof(T)));
    }
}

// Heads whose loads are issued before the first is used.
template <class T, int Pairs>
inline constexpr int heads_in_flight = Pairs == 1       ? 4
                                       : sizeof(T) == 4 ? 2
                                                        : 4;

/// Lane `lane` (Pairs pairs each, then lanes that copy the rest) and head group `chunk` (task.heads_each heads each) of
/// token n.
template <class T, channel_order Order, class Source, int Pairs>
POLYROPE_DEVICE_FUNCTION void turn_token(const rotate_task& task, index_t n, std::int32_t lane, std::int32_t chunk) {
    const index_t place = task.slots == nullptr ? n : task.slots[n];
    if (place < 0) return;
    const std::int32_t all = task.q.heads + task.k.heads, first = chunk * task.heads_each;
    const std::int32_t end = all - first < task.heads_each ? all : first + task.heads_each;
    const std::int32_t l = lane * Pairs;
    if (l >= task.pairs) {
        if (task.copies_rest != 0) copy_rest<T, Pairs>(task, place, lane - task.pairs / Pairs, first, end);
        return;
    }
    using at = places<Order, Pairs>;
    constexpr auto size = static_cast<std::int32_t>(sizeof(T));
    const std::int32_t a_skip = at::first(l, task.block_pairs) * size, b_skip = at::second(l, task.block_pairs) * size;
    constexpr int batch = heads_in_flight<T, Pairs>;
    const Source source(task, n);
    for (std::int32_t m = first; m < end;) {
        float c[Pairs], s[Pairs];
        const std::int32_t group = group_of(task, m);
        angles<T>(task, source, l, group, c, s);
        std::int32_t last = task.groups == 1 ? end : m + 1;
        while (last < end && group_of(task, last) == group) ++last;
        for (; m < last; m += batch) {
            channels<T, Pairs> a[batch], b[batch];
            POLYROPE_DEVICE_UNROLL
            for (int i = 0; i < batch; ++i) {
                if (m + i >= last) continue;
                const char* const from = place_of<T>(task, place, m + i).source;
                a[i].load(from + a_skip);
                b[i].load(from + b_skip);
            }
            POLYROPE_DEVICE_UNROLL
            for (int i = 0; i < batch; ++i) {
                if (m + i >= last) continue;
                float x[Pairs], y[Pairs];
                a[i].widen(x);
                b[i].widen(y);
                turn_channels<T, Order, Pairs>(task.round, x, y, c, s);
                char* const to = place_of<T>(task, place, m + i).target;
                channels<T, Pairs>::store(to + a_skip, x);
                channels<T, Pairs>::store(to + b_skip, y);
            }
        }
        m = last;
    }
}

}  // namespace cuda::detail
POLYROPE_END
