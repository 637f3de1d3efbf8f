// What docs/integrate.md shows, compiled and run: the calls of an engine with its own tensors,
// element type and threads.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "polyrope/layout/batch.hpp"
#include "polyrope/polyrope.hpp"

// An engine's own two-byte type joins with one line; views and kernels take it as it is.
struct engine_bf16 {
    std::uint16_t x;
};
template <>
struct polyrope::element_traits<engine_bf16> : polyrope::element_is<polyrope::element::bfloat16> {};

namespace {

using namespace polyrope;

// A tensor as many C engines keep it: sizes, innermost first, and strides in bytes.
struct tensor {
    void* data;
    std::int64_t ne[4];
    std::size_t nb[4];
};

// [tokens, heads, head_dim] of such a tensor. Strides count elements here.
heads_view<engine_bf16> heads_of(const tensor& t) {
    const auto stride = [&t](int i) { return static_cast<index_t>(t.nb[i] / sizeof(engine_bf16)); };
    return {static_cast<engine_bf16*>(t.data), t.ne[2], t.ne[1], t.ne[0], stride(2), stride(1)};
}

// A custom operator: every worker makes the same call with its own ith. Nothing is shared and nothing waits.
struct rope_op {
    const rotary* rope;
    const std::int32_t* positions;  // [3, tokens]
};
void turn(tensor* q, tensor* k, int ith, int nth, void* userdata) {
    const auto* op = static_cast<const rope_op*>(userdata);
    cpu::rotate_options options;
    options.part = {ith, nth};
    const status s =
        cpu::rotate(*op->rope, axis_major(op->positions, 3, q->ne[2]), heads_of(*q), heads_of(*k), options);
    if (!s.ok()) std::fprintf(stderr, "rope: %s\n", to_string(s).c_str());
}

// Packed rows [q heads | k heads | v heads]: two views of one buffer, v is not touched.
status turn_packed(const rotary& rope, positions_view<const std::int32_t> at, bf16* qkv, index_t q_heads,
                   index_t k_heads, index_t dim) {
    const index_t row_heads = q_heads + 2 * k_heads;
    const auto q = packed_heads(qkv, at.tokens, row_heads, 0, q_heads, dim);
    const auto k = packed_heads(qkv, at.tokens, row_heads, q_heads, k_heads, dim);
    return cpu::rotate(rope, at, q, k);
}

// One forward pass: cosines and sines once, for all layers.
status forward(const rotary& rope, const position_plan& plan, token_range chunk, float* table_memory, bf16* const* q,
               bf16* const* k, index_t layers, index_t q_heads, index_t k_heads, index_t dim) {
    const auto table = halves_table(table_memory, chunk.size(), rope.rotary_dim(), table_rows::tokens);
    status s = cpu::fill_table(rope, cpu::planned(plan, chunk.begin), table);
    for (index_t layer = 0; layer < layers && s.ok(); ++layer)
        s = cpu::rotate(rope, table, compact_heads(q[layer], chunk.size(), q_heads, dim),
                        compact_heads(k[layer], chunk.size(), k_heads, dim));
    return s;
}

// From a prompt's ids and the grids of its processor to a plan, with every count checked.
template <class Model>
result<position_plan> plan_of(const Model& model, const std::vector<std::int32_t>& ids,
                              const std::vector<patch_grid>& images) {
    prompt_media media;
    media.images = images.data();
    media.image_count = static_cast<index_t>(images.size());
    media.spatial_merge = model.layout.spatial_merge;
    media.runs = model.runs;
    const auto segments = segments_of(ids.data(), static_cast<index_t>(ids.size()), model.ids.special(), media);
    if (!segments) return segments.error();  // "image 0: its grid needs 391 tokens, the prompt holds 390"
    return make_plan(model.layout, segments->data(), static_cast<index_t>(segments->size()));
}

// The front of a cache was dropped: keys from token `kept` on are turned on to the positions they have now.
status drop(const rotary& rope, const position_plan& before, const position_plan& after, token_index kept,
            heads_view<bf16> keys) {
    return cpu::rerotate(rope, cpu::planned(before, kept), cpu::planned(after, token_index{0}), keys);
}

bool close(const std::vector<bf16>& x, const std::vector<bf16>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float difference = x[i].value() - y[i].value();
        if (difference > 0.01f || difference < -0.01f) return false;
    }
    return true;
}

}  // namespace

int main() {
    const auto model = preset::qwen3_vl{}.make();
    const auto rope = make_rotary(model->frequencies);

    // A prompt with one placeholder too few is refused, with the numbers.
    std::vector<std::int32_t> ids{151644, 872, 198, 151652};
    ids.insert(ids.end(), 390, 151655);
    ids.insert(ids.end(), {151653, 3838, 374, 419, 30});
    const std::vector<patch_grid> images{{1, 34, 46}};
    const auto refused = plan_of(*model, ids, images);
    std::printf("%s\n", to_string(refused.error()).c_str());
    ids.insert(ids.begin() + 4, 151655);
    const auto plan = plan_of(*model, ids, images);

    // The custom operator in three threads; the same tokens through one packed buffer: the same bits.
    constexpr index_t q_heads = 4, k_heads = 2, dim = 128;
    const index_t tokens = plan->size();
    const auto size = [tokens](index_t heads) { return static_cast<std::size_t>(tokens * heads * dim); };
    std::vector<std::int32_t> positions(static_cast<std::size_t>(3 * tokens));
    const auto at = axis_major(positions.data(), 3, tokens);
    status s = plan->fill(token_index{0}, token_index{tokens}, at);
    std::vector<engine_bf16> q(size(q_heads), engine_bf16{0x3f80}), k(size(k_heads), engine_bf16{0x3f80});
    const auto tensor_of = [tokens](std::vector<engine_bf16>& v, index_t heads) {
        return tensor{v.data(), {dim, heads, tokens, 1}, {2, 2 * dim, static_cast<std::size_t>(2 * dim * heads), 0}};
    };
    tensor q_tensor = tensor_of(q, q_heads), k_tensor = tensor_of(k, k_heads);
    rope_op op{&*rope, positions.data()};
    std::vector<std::thread> workers;
    for (int ith = 0; ith < 3; ++ith) workers.emplace_back([&, ith] { turn(&q_tensor, &k_tensor, ith, 3, &op); });
    for (std::thread& worker : workers) worker.join();
    std::vector<bf16> packed(size(q_heads + 2 * k_heads), bf16::from(1.0f));
    if (s.ok()) s = turn_packed(*rope, at, packed.data(), q_heads, k_heads, dim);
    bool right = !refused.ok();
    for (index_t n = 0; n < tokens; ++n) {
        const bf16* row = packed.data() + n * (q_heads + 2 * k_heads) * dim;
        right = right && std::memcmp(row, q.data() + n * q_heads * dim, q_heads * dim * sizeof(bf16)) == 0;
        right =
            right && std::memcmp(row + q_heads * dim, k.data() + n * k_heads * dim, k_heads * dim * sizeof(bf16)) == 0;
    }

    // The prompt in two chunks, by table: the same bits again.
    std::vector<bf16> q_chunked(size(q_heads), bf16::from(1.0f)), k_chunked(size(k_heads), bf16::from(1.0f));
    std::vector<float> table(static_cast<std::size_t>(tokens * dim));
    for (const token_range chunk :
         {token_range{token_index{0}, token_index{100}}, token_range{token_index{100}, token_index{tokens}}}) {
        bf16* q_at = q_chunked.data() + chunk.begin.value * q_heads * dim;
        bf16* k_at = k_chunked.data() + chunk.begin.value * k_heads * dim;
        if (s.ok()) s = forward(*rope, *plan, chunk, table.data(), &q_at, &k_at, 1, q_heads, k_heads, dim);
    }
    right = right && std::memcmp(q_chunked.data(), q.data(), q.size() * 2) == 0 &&
            std::memcmp(k_chunked.data(), k.data(), k.size() * 2) == 0;

    // The first 395 tokens leave the cache; the five behind the image move to the front.
    const segment rest[] = {text(5)};
    const auto after = make_plan(model->layout, rest, 1);
    std::vector<bf16> moved(k_chunked.end() - 5 * k_heads * dim, k_chunked.end()),
        fresh(moved.size(), bf16::from(1.0f));
    if (s.ok()) s = drop(*rope, *plan, *after, token_index{tokens - 5}, compact_heads(moved.data(), 5, k_heads, dim));
    if (s.ok())
        s = cpu::rotate(*rope, cpu::planned(*after, token_index{0}), compact_heads(fresh.data(), 5, k_heads, dim));
    right = right && close(moved, fresh);
    std::printf("%s, %s\n", to_string(s).c_str(), right ? "everything as it should be" : "SOMETHING DIFFERS");
    return s.ok() && right ? 0 : 1;
}
