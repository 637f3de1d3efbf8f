// What a small user compiles: a plan, a rotary and one call. Timed by compile_time.cmake.

#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/layout/mrope.hpp"
#include "polyrope/cpu/rotate.hpp"

using namespace polyrope;

bool turn_prompt(bf16* q, bf16* k, index_t tokens) {
    const segment prompt[] = {text(5), image(patch_grid{1, 4, 6}), text(5)};
    const auto plan = make_plan(layout::mrope{}, prompt, 3);
    const auto table = make_frequency_table(allocation::interleaved{thw{24, 20, 20}}, spectrum::geometric{5e6}, 128,
                                            pairing::half_split);
    if (!plan.ok() || !table.ok()) return false;
    const auto rope = make_rotary(*table);
    return rope.ok() && cpu::rotate(*rope, cpu::planned(*plan, token_index{0}), compact_heads(q, tokens, 32, 128),
                                    compact_heads(k, tokens, 8, 128))
                            .ok();
}
