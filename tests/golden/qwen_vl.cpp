// Positions, deltas and decode positions of Qwen2-VL, Qwen2.5-VL and Qwen3-VL under every reference.

#include "golden/position_cases.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("positions of Qwen2-VL, Qwen2.5-VL and Qwen3-VL equal every reference", "[golden]") {
    const auto by_index_of = [](const json& all, const reference& ref) {
        layout::mrope layout{all["config"]["spatial_merge_size"]};
        layout.behind = ref.behind;
        return layout;
    };
    const auto in_seconds = [&](const json& all, const reference& ref) {
        layout::mrope layout = by_index_of(all, ref);
        layout.time = ref.time(all["config"]["tokens_per_second"]);
        return layout;
    };
    check_model_positions("models/qwen2_vl.json", video_runs::one_run, false, by_index_of);
    check_model_positions("models/qwen2_5_vl.json", video_runs::one_run, true, in_seconds);
    check_model_positions("models/qwen3_vl.json", video_runs::run_of_frame, false, by_index_of);
}
