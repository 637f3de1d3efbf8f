// The main job for every element, position and table type, compiled under every compiler, standard and set of flags
// that is promised. What it computes is tested elsewhere.

#include <vector>

namespace uses {

using namespace polyrope;

template <class T, class Source>
status turn(const rotary& rope, const Source& source, T* q, T* k) {
    cpu::rotate_options worker;
    worker.part = {0, 2};
    const auto queries = compact_heads(q, 7, 4, 128), keys = compact_heads(k, 7, 2, 128);
    if (const status s = cpu::rotate(rope, source, queries, keys, worker); !s.ok()) return s;
    return cpu::rotate_to(rope, source, queries.as_const(), keys.as_const(), queries, keys);
}

template <class T>
status everything(const rotary& rope, const position_plan& plan, T* q, T* k) {
    std::int32_t whole[21];
    std::int64_t wide[21];
    float real[21];
    double exact[21];
    std::vector<float> floats(2 * 64 * 7);
    const token_index begin{0}, end{7};
    if (const status s = plan.fill(begin, end, axis_major(whole, 3, 7)); !s.ok()) return s;
    if (const status s = plan.fill(begin, end, token_major(wide, 3, 7)); !s.ok()) return s;
    if (const status s = plan.fill(begin, end, axis_major(real, 3, 7)); !s.ok()) return s;
    if (const status s = plan.fill(begin, end, axis_major(exact, 3, 7)); !s.ok()) return s;
    if (const status s = turn(rope, axis_major(whole, 3, 7), q, k); !s.ok()) return s;
    if (const status s = turn(rope, token_major(wide, 3, 7), q, k); !s.ok()) return s;
    if (const status s = turn(rope, axis_major(real, 3, 7), q, k); !s.ok()) return s;
    if (const status s = turn(rope, axis_major(exact, 3, 7), q, k); !s.ok()) return s;
    if (const status s = turn(rope, cpu::planned(plan, begin), q, k); !s.ok()) return s;
    const auto rows = halves_table(floats.data(), 7, 128, table_rows::tokens);
    if (const status s = cpu::fill_table(rope, cpu::planned(plan, begin), rows); !s.ok()) return s;
    if (const status s = turn(rope, rows, q, k); !s.ok()) return s;
    const auto by_position = pairs_table(floats.data(), 7, 128, table_rows::positions);
    if (const status s = cpu::fill_position_table(rope, by_position); !s.ok()) return s;
    if (const status s = turn(rope, cpu::looked_up(by_position, axis_major(whole, 3, 7)), q, k); !s.ok()) return s;
    return cpu::rerotate(rope, cpu::planned(plan, begin), cpu::planned(plan, token_index{7}),
                         compact_heads(k, 7, 2, 128));
}

template status everything<float>(const rotary&, const position_plan&, float*, float*);
template status everything<bf16>(const rotary&, const position_plan&, bf16*, bf16*);
template status everything<f16>(const rotary&, const position_plan&, f16*, f16*);

result<position_plan> prompt() {
    const segment parts[] = {text(4), image(patch_grid{1, 4, 6}), video(patch_grid{2, 4, 4}, seconds_per_grid{1, 2}),
                             text(5)};
    return make_plan(layout::mrope{2, floored_product(2)}, parts, 4);
}

result<rotary> embedding() {
    auto table =
        make_frequency_table(allocation::chunked{thw{16, 24, 24}}, spectrum::geometric{1e6}, 128, pairing::half_split);
    if (!table) return table.error();
    return make_rotary(*table, {phase::float32, rounding::table_cast_each});
}

status longer(const position_plan& plan, bf16* q) {
    const spectrum::dynamic_ntk rule{1e6, 2.0, 32768};
    rotary ropes[2];
    for (int i = 0; i < 2; ++i) {
        auto table = make_frequency_table(allocation::per_head{thw{1, 1, 1}, 4}, rule.at_length(32768 << i), 128,
                                          pairing::adjacent);
        if (!table) return table.error();
        auto rope = make_rotary(*table);
        if (!rope) return rope.error();
        ropes[i] = *rope;
    }
    const index_t which[] = {0, 0, 0, 1, 1, 0, 1};
    return cpu::rotate(cpu::rotary_choice{ropes, 2, which, 7}, cpu::planned(plan, token_index{0}),
                       compact_heads(q, 7, 4, 128));
}

result<frequency_table> restarted() {
    return make_frequency_table(allocation::chunked{thw{20, 20, 20}},
                                spectrum::per_axis{spectrum::yarn{1e4, 4.0, 4096}}, 120, pairing::adjacent);
}

}  // namespace uses
