#pragma once
// What one thread does: eight rotary pairs (or one, where data is not aligned) of one token, over several heads, with
// their cosines and sines in registers. A function of explicit indices, so that the host runs it too: every bit is that
// of the CPU backend.
//
// A head is cut into units: one for each `Pairs` pairs, then one for each `Pairs` channels past rotary_dim.

#include "polyrope/cuda/detail/angles.hpp"
#include "polyrope/cuda/detail/norm.hpp"
#include "polyrope/cuda/detail/write.hpp"

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

// The heads of one thread: heads [first, end) of one operand.
struct head_share {
    const task_operand* of;
    std::int32_t first, end;
    bool turns;  // v does not
};
template <parts Parts>
POLYROPE_DEVICE_FUNCTION head_share share_of(const rotate_task& task, std::int32_t chunk) {
    std::int32_t which = 0;
    for (const std::int32_t last = has_write(Parts) ? 2 : 1; which < last; ++which) {
        if (chunk < task.operands[which].chunks) break;
        chunk -= task.operands[which].chunks;
    }
    const task_operand& of = task.operands[which];
    const std::int32_t first = chunk * task.heads_each, rest = of.heads - first;
    return {&of, first, first + (rest < task.heads_each ? rest : task.heads_each), which < 2};
}

// The head group of head m: which row of pairs turns it.
POLYROPE_DEVICE_FUNCTION std::int32_t group_of(const rotate_task& task, const task_operand& o, std::int32_t m) {
    if (task.groups == 1) return 0;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(o.first_head + m) *
                                     static_cast<std::uint32_t>(task.groups) / static_cast<std::uint32_t>(o.all_heads));
}

// The channels of a unit.
template <channel_order Order, int Pairs>
struct unit_channels {
    std::int32_t a, b;  // the first of each run of Pairs channels
    bool here;          // false: the head ends before it
    bool pairs;         // false: channels a only, past rotary_dim
    POLYROPE_DEVICE_FUNCTION unit_channels(const rotate_task& task, const task_operand& o, std::int32_t unit) {
        const std::int32_t l = unit * Pairs;
        pairs = l < task.pairs;
        a = pairs ? places<Order, Pairs>::first(l, task.block_pairs) : l + task.pairs;
        b = pairs ? places<Order, Pairs>::second(l, task.block_pairs) : a;
        here = a < o.head_dim;
    }
};

// Before the first read of q, k or v: what was launched before may still be writing them (programmatic dependent
// launch).
POLYROPE_DEVICE_FUNCTION void wait_for_predecessor() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
POLYROPE_DEVICE_FUNCTION void let_successor_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// One bank is written before the other turns: both at once need more registers than a thread has.
template <int Pairs>
POLYROPE_DEVICE_FUNCTION void finish_first(float (&x)[Pairs], float (&y)[Pairs]) {
#if defined(__CUDA_ARCH__)
    POLYROPE_DEVICE_UNROLL
    for (int i = 0; i < Pairs; ++i) asm volatile("" : "+f"(x[i]), "+f"(y[i])::"memory");
#else
    static_cast<void>(x), static_cast<void>(y);
#endif
}

// Heads whose loads are issued before the first is used: as many as the registers hold.
template <class T, channel_order Order, int Pairs, parts Parts>
POLYROPE_DEVICE_FUNCTION constexpr int heads_in_flight() {
    if (Pairs == 1) return 4;
    if (sizeof(T) > 2 || has_banks(Parts)) return 1;
    return Order == channel_order::adjacent && Parts == parts::norm_write ? 1 : 2;
}

// Everything of one token that does not depend on the head.
template <class T, channel_order Order, class Source, int Pairs, parts Parts, class Lanes>
struct token_turn {
    static constexpr int batch = heads_in_flight<T, Order, Pairs, Parts>();
    static constexpr bool one_unit = Pairs == 8 || !has_norm(Parts);  // a lane has one unit of a head
    static constexpr auto size = static_cast<index_t>(sizeof(T));
    using unit_of = unit_channels<Order, Pairs>;
    using moved = channels<T, Pairs>;

    const rotate_task& task;
    const Lanes& lanes;
    const task_operand& o;
    const Source& source;
    bool turns;
    const char* from;               // the token's heads
    char *target, *cache, *second;  // and where they go; null: not written

    POLYROPE_DEVICE_FUNCTION token_turn(const rotate_task& of, const Lanes& with, const head_share& share,
                                        const Source& angles_of, index_t n, index_t place)
        : task(of), lanes(with), o(*share.of), source(angles_of), turns(share.turns) {
        from = static_cast<const char*>(o.source) + place * o.token_stride * size;
        target = row_of<T, has_write(Parts)>(o.target, place * o.target.token_stride);
        cache = second = nullptr;
        if constexpr (has_write(Parts)) {
            if (o.cache.data != nullptr) {
                const cache_row row = cache_row_of(of.pages, n);
                if (row.page >= 0)
                    cache = row_of<T, true>(o.cache, row.page * o.cache.page_stride + row.place * o.cache.token_stride);
            }
        }
        if constexpr (has_banks(Parts))
            if (source.visual) second = row_of<T, false>(o.second, source.visual_row * o.second.token_stride);
    }

    POLYROPE_DEVICE_FUNCTION void load(const unit_of& u, std::int32_t m, moved& a, moved& b) const {
        const char* const head = from + m * o.head_stride * size;
        a.load(head + u.a * size);
        b = a;
        if (u.pairs) b.load(head + u.b * size);
    }
    POLYROPE_DEVICE_FUNCTION float add_unit(const unit_of& u, const moved& a, const moved& b, float sum) const {
        float x[Pairs];
        a.widen(x);
        sum = add_squares(x, sum);
        if (!u.pairs) return sum;
        b.widen(x);
        return add_squares(x, sum);
    }
    // The squares of whole heads, where a lane has several units: they are read once more when they turn.
    POLYROPE_DEVICE_FUNCTION void sum_heads(std::int32_t lane, std::int32_t units, std::int32_t m, std::int32_t last,
                                            float (&total)[batch]) const {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < batch; ++i) {
            total[i] = 0.0f;
            if (m + i >= last) continue;
            for (std::int32_t unit = lane; unit < units; unit += lanes.width) {
                const unit_of u(task, o, unit);
                moved a, b;
                if (!u.here) continue;
                load(u, m + i, a, b);
                total[i] = add_unit(u, a, b, total[i]);
            }
            total[i] = lanes.sum(total[i]);
        }
    }

    POLYROPE_DEVICE_FUNCTION void normalise_run(std::int32_t channel, float factor, float (&x)[Pairs]) const {
        moved w;
        w.load(static_cast<const char*>(o.weight) + channel * size);
        float weight[Pairs];
        w.widen(weight);
        normalise<T>(task.round, task.weight_plus_one != 0, factor, weight, x);
    }
    POLYROPE_DEVICE_FUNCTION void write(const unit_of& u, std::int32_t m, const task_target& to, char* row,
                                        const float (&x)[Pairs], const float (&y)[Pairs], const moved& raw_x,
                                        const moved& raw_y, bool changed) const {
        write_channels<T, has_write(Parts)>(task.round, to, row, m, u.a, x, raw_x, changed);
        if (u.pairs) write_channels<T, has_write(Parts)>(task.round, to, row, m, u.b, y, raw_y, changed);
    }

    // One unit of one head, from its raw channels to all places where it is written.
    POLYROPE_DEVICE_FUNCTION void finish(const unit_of& u, std::int32_t m, const moved& a, const moved& b, float total,
                                         const float (&c)[Pairs], const float (&s)[Pairs], const float (&c2)[Pairs],
                                         const float (&s2)[Pairs]) const {
        float x[Pairs], y[Pairs];
        a.widen(x);
        b.widen(y);
        const bool turned = turns && u.pairs, normed = has_norm(Parts) && o.weight != nullptr;
        const bool changed = turned || normed;
        if constexpr (has_norm(Parts)) {
            if (normed) {
                const float factor = norm_factor(total, o.share, task.epsilon);
                normalise_run(u.a, factor, x);
                if (u.pairs) normalise_run(u.b, factor, y);
            }
        }
        if constexpr (has_banks(Parts)) {
            if (second != nullptr) {
                float x2[Pairs], y2[Pairs];
                POLYROPE_DEVICE_UNROLL
                for (int i = 0; i < Pairs; ++i) x2[i] = x[i], y2[i] = y[i];
                if (turned) turn_channels<T, Order, Pairs>(task.round, x2, y2, c2, s2);
                write(u, m, o.second, second, x2, y2, a, b, changed);
                finish_first(x, y);
            }
        }
        if (turned) turn_channels<T, Order, Pairs>(task.round, x, y, c, s);
        if (target != nullptr) write(u, m, o.target, target, x, y, a, b, changed);
        if constexpr (has_write(Parts))
            if (cache != nullptr) write(u, m, o.cache, cache, x, y, a, b, changed);
    }

    // Heads [first, last), all of one group.
    POLYROPE_DEVICE_FUNCTION void run(std::int32_t lane, std::int32_t units, std::int32_t group, std::int32_t first,
                                      std::int32_t last) const {
        if constexpr (one_unit) {
            float total[batch] = {};
            run_unit(unit_of(task, o, lane), lane, group, first, last, total);
        } else {
            wait_for_predecessor();
            for (std::int32_t m = first; m < last; m += batch) {
                const std::int32_t end = last - m < batch ? last : m + batch;
                float total[batch];
                sum_heads(lane, units, m, end, total);
                if (Lanes::collects) continue;
                for (std::int32_t unit = lane; unit < units; unit += lanes.width)
                    run_unit(unit_of(task, o, unit), unit, group, m, end, total);
            }
        }
    }

    // One unit of heads [first, last).
    POLYROPE_DEVICE_FUNCTION void run_unit(const unit_of& u, std::int32_t unit, std::int32_t group, std::int32_t first,
                                           std::int32_t last, float (&total)[batch]) const {
        float c[Pairs] = {}, s[Pairs] = {}, c2[Pairs] = {}, s2[Pairs] = {};
        if (turns && u.pairs) {
            angles<T>(task, source, unit * Pairs, group, c, s);
            if constexpr (has_banks(Parts))
                if (second != nullptr) angles<T>(task, source.other(), unit * Pairs, group, c2, s2);
        }
        if constexpr (one_unit) wait_for_predecessor();
        for (std::int32_t m = first; m < last; m += batch) {
            moved a[batch], b[batch];
            POLYROPE_DEVICE_UNROLL
            for (int i = 0; i < batch; ++i)
                if (m + i < last && u.here) load(u, m + i, a[i], b[i]);
            if constexpr (has_norm(Parts) && one_unit) {
                POLYROPE_DEVICE_UNROLL
                for (int i = 0; i < batch; ++i)
                    if (m + i < last) total[i] = lanes.sum(u.here ? add_unit(u, a[i], b[i], 0.0f) : 0.0f);
                if (Lanes::collects) continue;
            }
            POLYROPE_DEVICE_UNROLL
            for (int i = 0; i < batch; ++i)
                if (m + i < last && u.here) finish(u, m + i, a[i], b[i], total[i], c, s, c2, s2);
        }
    }
};

/// Lane `lane` and chunk `chunk` of heads (task.heads_each of one operand) of token n.
template <class T, channel_order Order, class Source, int Pairs, parts Parts, class Lanes>
POLYROPE_DEVICE_FUNCTION void turn_token(const rotate_task& task, index_t n, std::int32_t lane, std::int32_t chunk,
                                         const Lanes& lanes) {
    const index_t place = task.slots == nullptr ? n : task.slots[n];
    if (place < 0) return;
    const head_share share = share_of<Parts>(task, chunk);
    const std::int32_t turning = task.pairs / Pairs;
    const std::int32_t units = turning + (share.of->head_dim - 2 * task.pairs + Pairs - 1) / Pairs;
    const Source source(task, n);
    if (source.skipped()) return;
    const token_turn<T, Order, Source, Pairs, Parts, Lanes> turn(task, lanes, share, source, n, place);
    for (std::int32_t m = share.first; m < share.end;) {
        const std::int32_t group = group_of(task, *share.of, m);
        std::int32_t last = task.groups == 1 ? share.end : m + 1;
        while (last < share.end && group_of(task, *share.of, last) == group) ++last;
        turn.run(lane, units, group, m, last);
        m = last;
    }
    let_successor_start();
}

}  // namespace cuda::detail
POLYROPE_END
