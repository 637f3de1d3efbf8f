// Writes the cases that the PTX of every shipped kernel is run on, with what the same body gives on the host:
//
//     ptx_cases FILE [ordinary]
//
// With `ordinary` q, k and v hold no subnormals and no zeros: what is flushed to zero or not makes no difference then.
// A case is a launch (grid, block), the bytes of its rotate_task with the places where addresses go, and the buffers
// before and after.

#include <cstddef>
#include <fstream>
#include <map>
#include <string>

#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "cuda/ptx_case.hpp"
#include "cuda/ptx_fill_cases.hpp"
#include "cuda/ptx_merge_cases.hpp"
#include "polyrope/layout/mrope.hpp"

using namespace polyrope;
using namespace polyrope::cuda::detail;
using polyrope::test::random_bits;

namespace {

using rotate_case = test::launch_case<rotate_task>;

test::values content = test::values::finite;  // of q, k and v

struct drawn_shape {
    const char* name;
    index_t rotary_dim, head_dim, tokens, q_heads, k_heads;
    int groups;
    std::int32_t heads_each;
    bool in_place;
};

template <class Source>
struct kind_of_source {};

template <class P>
void set_positions(rotate_case& c, const cuda::device_rotary& there, random_bits& random, direction way) {
    P* const positions = c.add<P>("positions", there.axes * c.task.tokens);
    for (index_t i = 0; i < there.axes * c.task.tokens; ++i) {
        // Small, past 2^24, and fractions.
        positions[i] =
            static_cast<P>(random.chance(70) ? random.between(-3000, 90000) : random.between(-2147483647, 2147483647));
        if constexpr (std::is_floating_point_v<P>)
            if (random.chance(40)) positions[i] = static_cast<P>(static_cast<float>(random.between(0, 99999)) * 0.37f);
    }
    static_cast<void>(bind_source(c.task, there, axis_major<const P>(positions, there.axes, c.task.tokens), way));
}
void set_source(rotate_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<position_rows>) {
    const auto kind = c.number % 3;
    if (kind == 0) set_positions<std::int32_t>(c, there, random, way);
    if (kind == 1) set_positions<std::int64_t>(c, there, random, way);
    if (kind == 2) set_positions<float>(c, there, random, way);
}
/// A row per token; or one per position.
void set_source(rotate_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<token_rows>) {
    const bool looked_up_rows = c.variant == 1;
    const index_t rows = looked_up_rows ? 11 : c.task.tokens;
    float* const values = c.add<float>("table", there.rotary_dim() * rows);
    for (index_t i = 0; i < there.rotary_dim() * rows; ++i)
        values[i] = static_cast<float>(random.between(-1000, 1000)) / 1000.0f;
    const auto rows_are = looked_up_rows ? table_rows::positions : table_rows::tokens;
    const cos_sin_view<const float> table = halves_table(values, rows, there.rotary_dim(), rows_are);
    status s;
    if (looked_up_rows) {
        auto* const positions = c.add<index_t>("positions", there.axes * c.task.tokens);
        for (index_t i = 0; i < there.axes * c.task.tokens; ++i) positions[i] = random.between(0, rows - 1);
        s = bind_source(c.task, there,
                        looked_up(table, axis_major<const index_t>(positions, there.axes, c.task.tokens)), way);
    } else {
        s = bind_source(c.task, there, table, way);
    }
    if (!s.ok()) polyrope::detail::stop(s);
}

/// A range of one plan; a list of its indices, one of them none; or a batch of two requests, whose first token is of
/// none.
void set_source(rotate_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<planned_rows>) {
    const auto which = random.chance(50) ? position_source::neutral : position_source::coordinates;
    status s;
    if (c.variant == 2) {
        const test::drawn_batch batch(c, random, c.task.tokens, random.chance(50));
        s = bind_source(c.task, there, batch.tokens(which), way);
    } else {
        const position_plan plan = test::prompt_plan(random);
        const cuda::device_plan at = test::add_plan(c, plan, "plan");
        if (c.variant == 1) {
            auto* const indices = c.add<index_t>("indices", c.task.tokens);
            for (index_t n = 0; n < c.task.tokens; ++n) indices[n] = n == 1 ? -1 : random.between(0, 3 * plan.size());
            s = bind_source(c.task, there, cuda::planned(at, indices, c.task.tokens, which), way);
        } else {
            s = bind_source(c.task, there, cuda::planned(at, token_index{random.between(0, plan.size())}, which), way);
        }
    }
    if (!s.ok()) polyrope::detail::stop(s);
}
void set_source(rotate_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<tail_rows>) {
    auto* const tails = c.add<cuda::device_tail>("tails", c.task.tokens);
    auto* const live = c.add<index_t>("live", c.task.tokens);
    for (index_t n = 0; n < c.task.tokens; ++n) {
        tails[n] = cuda::tail_on_device(test::prompt_plan(random));
        live[n] = tails[n].first + random.between(0, 5000);
    }
    const status s = bind_source(c.task, there, cuda::decode_tails{tails, live, c.task.tokens, there.axes}, way);
    if (!s.ok()) polyrope::detail::stop(s);
}

/// q, k and v of a case, and where they go.
template <class T>
struct drawn_heads {
    heads_view<T> q, k, v, q_out, k_out;
};

template <class T>
heads_view<T> add_heads(rotate_case& c, random_bits& random, const char* name, index_t tokens, index_t count,
                        index_t head_dim, bool filled) {
    const index_t gap = c.gap * (1 + static_cast<index_t>(c.buffers.size() % 2));
    const index_t head_stride = head_dim + gap, token_stride = count * head_stride + gap, size = tokens * token_stride;
    T* const data = c.add<T>(name, size);
    if constexpr (!std::is_same_v<T, e4m3>)
        for (index_t i = 0; filled && i < size; ++i) test::put_random(data[i], random, content);
    return {data, tokens, count, head_dim, token_stride, head_stride};
}
template <class T>
const T* add_weight(rotate_case& c, random_bits& random, const char* name, index_t head_dim) {
    T* const data = c.add<T>(name, head_dim);
    for (index_t i = 0; i < head_dim; ++i) test::put_random(data[i], random, test::values::ordinary);
    return data;
}

template <class T>
cuda::head_norm<T> draw_norm(rotate_case& c, random_bits& random, index_t head_dim) {
    cuda::head_norm<T> norm;
    norm.q = add_weight<T>(c, random, "q_weight", head_dim);
    if (c.number == 1) norm.k = add_weight<T>(c, random, "k_weight", head_dim);
    norm.weight = c.number == 0 ? cuda::norm_weight::plain : cuda::norm_weight::plus_one;
    return norm;
}

/// Pages of two tokens: one of them outside of the cache, which is not written.
template <class T, class Q, class C, parts Parts>
status bind_drawn(rotate_case& c, const cuda::device_rotary& there, random_bits& random, const drawn_heads<T>& heads,
                  const cuda::rotate_options& options) {
    cuda::fused_heads<T, Q, C> step;
    step.q = heads.q.as_const(), step.k = heads.k.as_const();
    if constexpr (std::is_same_v<Q, T>) {
        step.q_out = heads.q_out, step.k_out = heads.k_out;
    } else {
        step.q_out = add_heads<Q>(c, random, "q8_out", heads.q.tokens, heads.q.heads, heads.q.head_dim, false);
        step.k_out = add_heads<Q>(c, random, "k8_out", heads.k.tokens, heads.k.heads, heads.k.head_dim, false);
    }
    if (has_norm(Parts)) step.norm = draw_norm<T>(c, random, heads.q.head_dim);
    parts what{};
    if constexpr (has_write(Parts)) {
        const index_t tokens = heads.q.tokens, kept = heads.k.heads * heads.k.head_dim, pages = 3, size = 2;
        C* const k_pages = c.add<C>("k_cache_out", pages * size * kept);
        C* const v_pages = c.add<C>("v_cache_out", pages * size * kept);
        step.v = heads.v.as_const();
        step.k_scale.multiplier = 0.5f;
        float* const per_head = c.add<float>("scales", heads.v.heads);
        for (index_t m = 0; m < heads.v.heads; ++m) per_head[m] = 0.25f * static_cast<float>(m + 3);
        step.v_scale.per_head = per_head;
        if (c.number == 0) {
            step.cache = cuda::nhd_cache(k_pages, v_pages, pages, size, heads.k.heads, heads.k.head_dim);
            auto* const slots = c.add<index_t>("places", tokens);
            for (index_t n = 0; n < tokens; ++n) slots[n] = n == 1 ? pages * size : 5 - n;
            step.places.slots = {slots, tokens};
            // Kept by the cache alone.
            step.k_out = {};
        } else {
            step.cache = cuda::hnd_cache(k_pages, v_pages, pages, size, heads.k.heads, heads.k.head_dim);
            auto* const table = c.add<std::int32_t>("block_table", 2 * 3);
            const std::int32_t listed[] = {2, -1, 1, 1, 7, 0};
            std::copy(std::begin(listed), std::end(listed), table);
            auto* const index = c.add<index_t>("indices", tokens);
            auto* const request = c.add<std::int32_t>("requests", tokens);
            for (index_t n = 0; n < tokens; ++n) index[n] = n == 0 ? 5 : 0, request[n] = n == 0 ? 1 : 0;
            step.places.table = {table, 2, 3, 3, index, request, 6};
        }
    }
    if (const status s = bind_fused(c.task, what, there, step, options); !s.ok()) return s;
    return what == Parts ? status{} : status{errc::unsupported, operand::none, 0, 0, 0};
}

template <class T, parts Parts>
status bind_banks_drawn(rotate_case& c, const cuda::device_rotary& there, random_bits& random,
                        const drawn_heads<T>& heads, const cuda::rotate_options& options) {
    const position_plan plan = prompt_plan(random);
    auto* const memory = c.add<unsigned char>("plan", cuda::device_bytes(plan));
    if (const status s = cuda::pack(plan, memory, cuda::device_bytes(plan)); !s.ok()) return s;
    const token_index first{c.number == 0 ? 0 : 2};
    const index_t visual = visual_tokens(plan, {first, token_index{first.value + heads.q.tokens}});
    const auto second = [&](const char* name, const heads_view<T>& of) {
        return add_heads<T>(c, random, name, visual, of.heads, of.head_dim, false);
    };
    parts what{};
    const coordinate_selection which = c.number == 0 ? selection::without_tv_spatial : selection::without_vv_spatial;
    const heads_view<T> visual_q = second("visual_q_out", heads.q), visual_k = second("visual_k_out", heads.k);
    const cuda::head_norm<T> norm = has_norm(Parts) ? draw_norm<T>(c, random, heads.q.head_dim) : cuda::head_norm<T>{};
    if (const status s = bind_banks(c.task, what, there, plan, cuda::on_device(plan, memory), first, which, heads.q,
                                    heads.k, visual_q, visual_k, norm, options);
        !s.ok())
        return s;
    return what == Parts ? status{} : status{errc::unsupported, operand::none, 0, 0, 0};
}

// Several blocks both ways, and the last of them not full.
void cut_blocks(launch_shape& shape, const rotate_task& task) {
    shape.tokens = 2;
    shape.token_blocks = (task.tokens + 1) / 2;
    shape.chunks = task.chunks / 2 + 1;
    shape.chunk_blocks = 2;
}

template <class T, channel_order Order, class Source, int Pairs, parts Parts>
void write_kernel(nlohmann::json& all, const std::string& kernel) {
    constexpr bool wide = Pairs == 8;
    const drawn_shape shapes[] = {
        {"in place", wide ? 32 : 12, wide ? 40 : 14, 3, 3, 2, 1, 1, true},
        {"out of place, heads of one thread", wide ? 16 : 6, wide ? 24 : 9, 2, 3, 2, Source::has_rows ? 1 : 2, 4,
         false},
        {"one head, in place", wide ? 16 : 4, wide ? 16 : 4, 1, 1, 0, 1, 1, true},
        {"heads of several units a lane", 70, 81, 1, 2, 1, 1, 1, true},
    };
    random_bits random(static_cast<std::uint64_t>(all.size()) + 7);
    for (int number = 0; number < 4; ++number) {
        const drawn_shape& drawn = shapes[number];
        if (number == 2 && !(std::is_same_v<Source, position_rows> && Parts == parts::plain)) continue;
        if (number == 3 && !(Pairs == 1 && Parts == parts::norm && std::is_same_v<Source, position_rows>)) continue;
        test::rope_shape shape;
        shape.rotary_dim = drawn.rotary_dim;
        shape.groups = drawn.groups;
        shape.paired = Order == channel_order::half_split ? pairing::half_split : pairing::adjacent;
        shape.attention_scaling = number == 0 ? 1.0 : 1.125;
        shape.leaves_pairs_out = true;
        const auto round = static_cast<rounding>((all.size() + static_cast<std::size_t>(number) * 2) % 4);
        const rotary rope = test::make_rope(shape, {number == 0 ? phase::exact : phase::float32, round});
        rotate_case c;
        c.buffers.reserve(32);
        c.name = drawn.name;
        c.number = number;
        c.gap = number == 2 ? 0 : wide ? 8 : 3;
        c.variant = static_cast<int>(all.size() / 2 % 3);
        auto* const lanes = c.add<unsigned char>("pairs", cuda::device_bytes(rope));
        std::memcpy(lanes, cuda::device_data(rope), static_cast<std::size_t>(cuda::device_bytes(rope)));
        const cuda::device_rotary there = cuda::on_device(rope, lanes);
        const auto heads = [&](const char* name, index_t count, bool filled) {
            return add_heads<T>(c, random, name, drawn.tokens, count, drawn.head_dim, filled);
        };
        cuda::rotate_options options;
        options.way = number == 0 ? direction::forward : direction::undo;
        if (number == 1 && !has_banks(Parts)) {
            auto* const slots = c.add<index_t>("slots", drawn.tokens);
            slots[0] = 1;
            slots[1] = -1;
            options.slots = {slots, drawn.tokens};
        }
        drawn_heads<T> of;
        of.q = heads("q", drawn.q_heads, true), of.k = heads("k", drawn.k_heads, true);
        if (has_write(Parts)) of.v = heads("v", drawn.k_heads, true);
        const bool in_place = drawn.in_place || has_banks(Parts);
        of.q_out = in_place ? of.q : heads("q_out", drawn.q_heads, false);
        of.k_out = in_place ? of.k : heads("k_out", drawn.k_heads, false);
        status bound;
        if constexpr (has_banks(Parts)) {
            bound = bind_banks_drawn<T, Parts>(c, there, random, of, options);
        } else if (Parts != parts::plain) {
            if (!has_write(Parts)) bound = bind_drawn<T, T, T, Parts>(c, there, random, of, options);
            else if (number == 0) bound = bind_drawn<T, T, e4m3, Parts>(c, there, random, of, options);
            else bound = bind_drawn<T, e4m3, T, Parts>(c, there, random, of, options);
        } else {
            const auto q_in = of.q.as_const(), k_in = of.k.as_const();
            polyrope::detail::call_footprints at;
            bound = bind_task<T, T, T>(
                c.task, at, there, {in_place ? nullptr : &q_in, of.q_out, options.q_shard, operand::q, operand::q_out},
                {in_place ? nullptr : &k_in, of.k_out, options.k_shard, operand::k, operand::k_out}, options);
        }
        if (!bound.ok()) polyrope::detail::stop(bound);
        if (!has_banks(Parts)) set_source(c, rope, there, random, options.way, kind_of_source<Source>{});
        set_heads_each(c.task, drawn.heads_each);
        if (const status laid = shape_launch(c.shape, c.task, Parts, Pairs); !laid.ok()) polyrope::detail::stop(laid);
        if (number == 0) cut_blocks(c.shape, c.task);
        c.begin();
        test::run_launch<T, Order, Source, Pairs, Parts>(c.task, c.shape);
        all.push_back(c.written(kernel, c.task.tokens));
    }
}

/// What a token of a real model moves: 32 query and 8 key heads of 128 channels, bfloat16, q in place, eight heads a
/// thread as in a long prompt. Every tensor is touched once. Five chunks of heads of eight lanes each read what their
/// angles come from, `source_bytes` a lane of each buffer.
template <class Source, parts Parts>
void write_traffic(nlohmann::json& all, const std::string& kernel, const char* name,
                   const std::map<std::string, index_t>& source_bytes) {
    constexpr index_t tokens = 2, dim = 128, row = dim * static_cast<index_t>(sizeof(bf16));
    constexpr index_t lanes_that_turn = 8 * 5, lanes_that_keep = 8 * 2;
    const rotary rope = test::make_rope({dim});
    rotate_case c;
    c.buffers.reserve(32);
    c.name = name;
    random_bits random(5);
    auto* const lanes = c.add<unsigned char>("pairs", cuda::device_bytes(rope));
    std::memcpy(lanes, cuda::device_data(rope), static_cast<std::size_t>(cuda::device_bytes(rope)));
    const cuda::device_rotary there = cuda::on_device(rope, lanes);
    drawn_heads<bf16> of;
    of.q = of.q_out = add_heads<bf16>(c, random, "q", tokens, 32, dim, true);
    of.k = of.k_out = add_heads<bf16>(c, random, "k", tokens, 8, dim, true);
    if (has_write(Parts)) of.v = add_heads<bf16>(c, random, "v", tokens, 8, dim, true);
    const cuda::rotate_options options;
    status s;
    if constexpr (Parts == parts::plain) {
        polyrope::detail::call_footprints at;
        s = bind_task<bf16, bf16, bf16>(c.task, at, there, {nullptr, of.q, options.q_shard, operand::q, operand::q},
                                        {nullptr, of.k, options.k_shard, operand::k, operand::k}, options);
    } else {
        s = bind_drawn<bf16, bf16, bf16, Parts>(c, there, random, of, options);
    }
    if (!s.ok()) polyrope::detail::stop(s);
    set_source(c, rope, there, random, direction::forward, kind_of_source<Source>{});
    if constexpr (std::is_same_v<Source, position_rows>) {
        auto* const positions = static_cast<std::int32_t*>(const_cast<void*>(c.task.positions));
        for (index_t i = 0; i < 3 * tokens; ++i) positions[i] = static_cast<std::int32_t>(1000 + 77 * i);
    }
    set_heads_each(c.task, 8);
    if (const status laid = shape_launch(c.shape, c.task, Parts, 8); !laid.ok()) polyrope::detail::stop(laid);
    c.begin();
    test::run_launch<bf16, channel_order::half_split, Source, 8, Parts>(c.task, c.shape);
    c.bytes["q"] = tokens * 32 * row * 2;
    c.bytes["k"] = tokens * 8 * row * (has_write(Parts) ? 1 : 2);
    if (has_write(Parts)) {
        // One of two tokens lies outside of the cache.
        c.bytes["v"] = tokens * 8 * row;
        c.bytes["k_cache_out"] = c.bytes["v_cache_out"] = 8 * row;
        c.bytes["places"] = tokens * lanes_that_keep * 8;
    }
    if (has_norm(Parts)) c.bytes["q_weight"] = tokens * 32 * row;
    for (const auto& [buffer, bytes] : source_bytes) c.bytes[buffer] = tokens * lanes_that_turn * bytes;
    all.push_back(c.written(kernel, c.task.tokens));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[2]) == "ordinary") content = test::values::ordinary;
    else if (argc != 2) return 2;
    nlohmann::json all = nlohmann::json::array();
#define POLYROPE_CUDA_KERNEL(T, order, source, pairs, parts) \
    write_kernel<T, order, source, pairs, parts>(            \
        all, "turn_kernel<" #T ", " #order ", " #source ", " #pairs ", " #parts ">");
#define POLYROPE_CUDA_MERGE_KERNEL(T) test::write_merge_kernel<T>(all, "merge_kernel<" #T ">");
#define POLYROPE_CUDA_FILL_KERNEL(threads) test::write_fill_kernel(all, "fill_kernel<" + std::to_string(threads) + ">");
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_FILL_KERNEL
#undef POLYROPE_CUDA_MERGE_KERNEL
#undef POLYROPE_CUDA_KERNEL
    const std::string kernel = "turn_kernel<bf16, channel_order::half_split, ";
    write_traffic<position_rows, parts::plain>(all, kernel + "position_rows, 8, parts::plain>", "traffic",
                                               {{"positions", 8 * 4}, {"pairs", 8 * 12}});
    write_traffic<token_rows, parts::plain>(all, kernel + "token_rows, 8, parts::plain>", "traffic of a table",
                                            {{"table", 8 * 8}});
    write_traffic<planned_rows, parts::plain>(all, kernel + "planned_rows, 8, parts::plain>", "traffic of a plan", {});
    write_traffic<tail_rows, parts::plain>(all, kernel + "tail_rows, 8, parts::plain>", "traffic of tails", {});
    write_traffic<position_rows, parts::norm_write>(all, kernel + "position_rows, 8, parts::norm_write>",
                                                    "traffic with norm and cache",
                                                    {{"positions", 8 * 4}, {"pairs", 8 * 12}});
    std::ofstream(argv[1]) << all;
    return 0;
}
