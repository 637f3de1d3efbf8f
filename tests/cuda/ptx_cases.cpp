// Writes the cases that the PTX of every shipped kernel is run on, with what the same body gives on the host:
//
//     ptx_cases FILE
//
// A case is a launch (grid, block), the bytes of its rotate_task with the places where addresses go, and the buffers
// before and after.

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cpu/make_rope.hpp"
#include "cuda/host_run.hpp"
#include "polyrope/layout/mrope.hpp"

using namespace polyrope;
using namespace polyrope::cuda::detail;
using polyrope::test::random_bits;

namespace {

std::string hex_of(const void* data, std::size_t size) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
        const unsigned char byte = static_cast<const unsigned char*>(data)[i];
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

/// Memory of one launch. 64-byte aligned, as the device's is.
struct buffer {
    std::string name;
    std::vector<unsigned char> room, before;
    std::size_t offset = 0, size = 0;
    buffer(std::string called, std::size_t bytes) : name(std::move(called)), room(bytes + 64), size(bytes) {
        offset = (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
    }
    buffer(const buffer&) = delete;
    buffer(buffer&&) = default;
    [[nodiscard]] unsigned char* data() { return room.data() + offset; }
};

struct launch_case {
    std::string name;
    int number = 0;
    rotate_task task;
    launch_shape shape;
    std::vector<buffer> buffers;

    template <class T>
    T* add(const std::string& called, index_t count) {
        buffers.emplace_back(called, static_cast<std::size_t>(count) * sizeof(T));
        return reinterpret_cast<T*>(buffers.back().data());
    }

    [[nodiscard]] nlohmann::json written(const std::string& kernel) {
        nlohmann::json out{{"name", name}, {"kernel", kernel}, {"task", hex_of(&task, sizeof(task))}};
        out["grid"] = {shape.token_blocks, shape.chunk_blocks, 1};
        out["block"] = {shape.lanes, shape.chunks, shape.tokens};
        out["tokens"] = task.tokens;
        const auto place = [&](std::size_t at, const void* pointer) {
            for (std::size_t b = 0; b < buffers.size(); ++b) {
                const auto* const p = static_cast<const unsigned char*>(pointer);
                if (p >= buffers[b].data() && p < buffers[b].data() + buffers[b].size)
                    out["addresses"].push_back({at, b, p - buffers[b].data()});
            }
        };
        place(offsetof(rotate_task, q) + offsetof(task_operand, source), task.q.source);
        place(offsetof(rotate_task, q) + offsetof(task_operand, target), task.q.target);
        place(offsetof(rotate_task, k) + offsetof(task_operand, source), task.k.source);
        place(offsetof(rotate_task, k) + offsetof(task_operand, target), task.k.target);
        place(offsetof(rotate_task, lanes), task.lanes);
        place(offsetof(rotate_task, slots), task.slots);
        place(offsetof(rotate_task, positions), task.positions);
        place(offsetof(rotate_task, cos), task.cos);
        place(offsetof(rotate_task, sin), task.sin);
        place(offsetof(rotate_task, first_tokens), task.first_tokens);
        place(offsetof(rotate_task, arena), task.arena);
        for (buffer& b : buffers)
            out["buffers"].push_back(
                {{"name", b.name}, {"before", hex_of(b.before.data(), b.size)}, {"after", hex_of(b.data(), b.size)}});
        return out;
    }
};

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
void set_positions(launch_case& c, const cuda::device_rotary& there, random_bits& random, direction way) {
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
void set_source(launch_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<position_rows>) {
    const auto kind = c.number % 3;
    if (kind == 0) set_positions<std::int32_t>(c, there, random, way);
    if (kind == 1) set_positions<std::int64_t>(c, there, random, way);
    if (kind == 2) set_positions<float>(c, there, random, way);
}
void set_source(launch_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<token_rows>) {
    float* const table = c.add<float>("table", there.rotary_dim() * c.task.tokens);
    for (index_t i = 0; i < there.rotary_dim() * c.task.tokens; ++i)
        table[i] = static_cast<float>(random.between(-1000, 1000)) / 1000.0f;
    static_cast<void>(bind_source(
        c.task, there,
        cos_sin_view<const float>(halves_table(table, c.task.tokens, there.rotary_dim(), table_rows::tokens)), way));
}

position_plan prompt_plan(random_bits& random) {
    const segment prompt[] = {text(1), video(patch_grid{2, 2, 4}, seconds_per_grid{2, 3}), text(random.between(1, 3))};
    layout::mrope where{2, floored_product(2)};
    where.text_step = random.chance(50) ? 1.0 : 0.37;
    return *make_plan(where, prompt, 3);
}
void set_source(launch_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<planned_rows>) {
    const position_plan plan = prompt_plan(random);
    auto* const memory = c.add<unsigned char>("plan", cuda::device_bytes(plan));
    if (const status s = cuda::pack(plan, memory, cuda::device_bytes(plan)); !s.ok()) polyrope::detail::stop(s);
    const auto which = random.chance(50) ? position_source::neutral : position_source::coordinates;
    const status s = bind_source(
        c.task, there, cuda::planned(cuda::on_device(plan, memory), token_index{random.between(0, plan.size())}, which),
        way);
    if (!s.ok()) polyrope::detail::stop(s);
}
void set_source(launch_case& c, const rotary&, const cuda::device_rotary& there, random_bits& random, direction way,
                kind_of_source<tail_rows>) {
    auto* const tails = c.add<cuda::device_tail>("tails", c.task.tokens);
    auto* const live = c.add<index_t>("live", c.task.tokens);
    for (index_t n = 0; n < c.task.tokens; ++n) {
        tails[n] = cuda::tail_on_device(prompt_plan(random));
        live[n] = tails[n].first + random.between(0, 5000);
    }
    const status s = bind_source(c.task, there, cuda::decode_tails{tails, live, c.task.tokens, there.axes}, way);
    if (!s.ok()) polyrope::detail::stop(s);
}

template <class T, channel_order Order, class Source, int Pairs>
void write_kernel(nlohmann::json& all, const std::string& kernel) {
    constexpr bool wide = Pairs == 8;
    const drawn_shape shapes[] = {
        {"in place", wide ? 32 : 12, wide ? 48 : 14, 3, 3, 2, 1, 1, true},
        {"out of place, heads of one thread", wide ? 16 : 6, wide ? 24 : 9, 2, 3, 2, Source::has_rows ? 1 : 2, 4,
         false},
        {"one head, in place", wide ? 16 : 4, wide ? 16 : 4, 1, 1, 0, 1, 1, true},
    };
    random_bits random(static_cast<std::uint64_t>(all.size()) + 7);
    int number = 0;
    for (const drawn_shape& drawn : shapes) {
        if (number == 2 && !std::is_same_v<Source, position_rows>) break;
        test::rope_shape shape;
        shape.rotary_dim = drawn.rotary_dim;
        shape.groups = drawn.groups;
        shape.paired = Order == channel_order::half_split ? pairing::half_split : pairing::adjacent;
        shape.attention_scaling = number == 0 ? 1.0 : 1.125;
        shape.leaves_pairs_out = true;
        const auto round = static_cast<rounding>((all.size() + static_cast<std::size_t>(number) * 2) % 4);
        const rotary rope = test::make_rope(shape, {number == 0 ? phase::exact : phase::float32, round});
        launch_case c;
        c.buffers.reserve(16);
        c.name = drawn.name;
        c.number = number;
        auto* const lanes = c.add<unsigned char>("pairs", cuda::device_bytes(rope));
        std::memcpy(lanes, cuda::device_data(rope), static_cast<std::size_t>(cuda::device_bytes(rope)));
        const cuda::device_rotary there = cuda::on_device(rope, lanes);
        const auto heads = [&](const char* name, index_t count, bool filled) {
            const index_t size = drawn.tokens * count * drawn.head_dim;
            T* const data = c.add<T>(name, size);
            for (index_t i = 0; filled && i < size; ++i) test::put_random(data[i], random, test::values::finite);
            return compact_heads(data, drawn.tokens, count, drawn.head_dim);
        };
        cuda::rotate_options options;
        options.way = number == 0 ? direction::forward : direction::undo;
        if (number == 1) {
            auto* const slots = c.add<index_t>("slots", drawn.tokens);
            slots[0] = 1;
            slots[1] = -1;
            options.slots = {slots, drawn.tokens};
        }
        const auto q = heads("q", drawn.q_heads, true), k = heads("k", drawn.k_heads, true);
        const auto q_out = drawn.in_place ? q : heads("q_out", drawn.q_heads, false),
                   k_out = drawn.in_place ? k : heads("k_out", drawn.k_heads, false);
        const auto q_in = q.as_const(), k_in = k.as_const();
        const status s = bind_task<T>(
            c.task, there, {drawn.in_place ? nullptr : &q_in, q_out, options.q_shard, operand::q, operand::q_out},
            {drawn.in_place ? nullptr : &k_in, k_out, options.k_shard, operand::k, operand::k_out}, options);
        if (!s.ok()) polyrope::detail::stop(s);
        set_source(c, rope, there, random, options.way, kind_of_source<Source>{});
        c.task.heads_each = drawn.heads_each;
        if (const status laid = shape_launch(c.shape, c.task, Pairs); !laid.ok()) polyrope::detail::stop(laid);
        for (buffer& b : c.buffers) b.before.assign(b.data(), b.data() + b.size);
        test::for_each_thread(c.task, c.shape, [&](index_t n, std::int32_t lane, std::int32_t chunk) {
            turn_token<T, Order, Source, Pairs>(c.task, n, lane, chunk);
        });
        all.push_back(c.written(kernel));
        ++number;
    }
}

/// What a token of a real model moves: 32 query and 8 key heads of 128 channels, bfloat16, in place.
void write_traffic(nlohmann::json& all) {
    const rotary rope = test::make_rope({128});
    launch_case c;
    c.buffers.reserve(8);
    c.name = "traffic";
    random_bits random(5);
    auto* const lanes = c.add<unsigned char>("pairs", cuda::device_bytes(rope));
    std::memcpy(lanes, cuda::device_data(rope), static_cast<std::size_t>(cuda::device_bytes(rope)));
    const auto heads = [&](const char* name, index_t count) {
        bf16* const data = c.add<bf16>(name, 2 * count * 128);
        for (index_t i = 0; i < 2 * count * 128; ++i) test::put_random(data[i], random, test::values::ordinary);
        return compact_heads(data, 2, count, 128);
    };
    const auto q = heads("q", 32), k = heads("k", 8);
    const cuda::device_rotary there = cuda::on_device(rope, lanes);
    const cuda::rotate_options options;
    const status s = bind_task<bf16>(c.task, there, {nullptr, q, options.q_shard, operand::q, operand::q},
                                     {nullptr, k, options.k_shard, operand::k, operand::k}, options);
    if (!s.ok()) polyrope::detail::stop(s);
    set_source(c, rope, there, random, direction::forward, kind_of_source<position_rows>{});
    c.task.heads_each = 4;
    static_cast<void>(shape_launch(c.shape, c.task, 8));
    for (buffer& b : c.buffers) b.before.assign(b.data(), b.data() + b.size);
    test::for_each_thread(c.task, c.shape, [&](index_t n, std::int32_t lane, std::int32_t chunk) {
        turn_token<bf16, channel_order::half_split, position_rows, 8>(c.task, n, lane, chunk);
    });
    all.push_back(c.written("bf16, channel_order::half_split, position_rows, 8"));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    nlohmann::json all = nlohmann::json::array();
#define POLYROPE_CUDA_KERNEL(T, order, source, pairs) \
    write_kernel<T, order, source, pairs>(all, #T ", " #order ", " #source ", " #pairs);
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_KERNEL
    write_traffic(all);
    std::ofstream(argv[1]) << all;
    return 0;
}
