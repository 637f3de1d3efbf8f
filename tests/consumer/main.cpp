// A user's program: an image between words, queries and keys turned by where they sit. Each way of consuming the
// library builds and runs it.
#include <polyrope/polyrope.hpp>
#include <vector>

using namespace polyrope;

int main() {
    const auto model = preset::qwen3_vl{}.make().value();
    const segment prompt[] = {text(4), image(patch_grid{1, 4, 6}), text(5)};
    const auto plan = make_plan(model.layout, prompt, 3).value();
    const auto rope = make_rotary(model.frequencies).value();
    std::vector<float> q(15 * 32 * 128, 1.0f), k(15 * 8 * 128, 1.0f);
    const status s = cpu::rotate(rope, cpu::planned(plan, token_index{0}), compact_heads(q.data(), 15, 32, 128),
                                 compact_heads(k.data(), 15, 8, 128));
    // Token 0 stands at the origin and is not turned; the last one is.
    return s.ok() && q.front() == 1.0f && q.back() != 1.0f && plan.generation_start() == 12.0 ? 0 : 1;
}
