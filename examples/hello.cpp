#include <cstdio>
#include <vector>
#include <polyrope/polyrope.hpp>
using namespace polyrope;
int main() {
    const auto model = preset::qwen3_vl{}.make();  // published values; interop/json.hpp reads a config.json
    const segment prompt[] = {text(15), image(patch_grid{1, 34, 46}), text(12)};
    const auto plan = make_plan(model->layout, prompt, 3);  // where every token sits, generated ones too
    const auto rope = make_rotary(model->frequencies);      // which axis turns a rotary pair, and how fast
    std::vector<bf16> q(418 * 32 * 128), k(418 * 8 * 128);  // [tokens, heads, channels]: your memory and strides
    const auto queries = compact_heads(q.data(), 418, 32, 128), keys = compact_heads(k.data(), 418, 8, 128);
    const status s = cpu::rotate(*rope, cpu::planned(*plan, token_index{0}), queries, keys);
    std::printf("%s: 418 tokens turned, the next sits at %g\n", to_string(s).c_str(), plan->generation_start());
    return s.ok() ? 0 : 1;
}
