// Positions, deltas and decode positions of the models that are layout::mrope with switches, each through its preset.

#include "golden/position_cases.hpp"
#include "polyrope/preset/ernie4_5_vl.hpp"
#include "polyrope/preset/glm4v.hpp"
#include "polyrope/preset/glm4v_moe.hpp"
#include "polyrope/preset/glm_ocr.hpp"
#include "polyrope/preset/keye_vl.hpp"
#include "polyrope/preset/keye_vl1_5.hpp"
#include "polyrope/preset/openpangu_vl.hpp"
#include "polyrope/preset/paddleocr_vl.hpp"
#include "polyrope/preset/qwen3_5.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// The layout of a preset under the advance of a reference.
template <class Preset>
auto layout_of(const Preset& model) {
    return [model](const json& all, const reference& ref) {
        CHECK(model.spatial_merge == all["config"]["spatial_merge_size"].template get<index_t>());
        layout::mrope layout = model.layout();
        layout.behind = ref.behind;
        return layout;
    };
}

special_tokens glm_ids(const json& ids) {
    return {ids.at("begin_of_image"), ids.at("image"),        ids.at("video"),
            ids.at("begin_of_video"), ids.at("end_of_video"), true};
}

}  // namespace

TEST_CASE("positions of the GLM family equal every reference: an image between video markers is a frame", "[golden]") {
    const model_prompts glm{video_runs::run_of_frame, false, glm_ids};
    check_model_positions("models/glm4v.json", glm, layout_of(preset::glm4v{}));
    check_model_positions("models/glm4v_moe.json", glm, layout_of(preset::glm4v_moe{}));
    check_model_positions("models/glm46v.json", glm, layout_of(preset::glm4v{}));
    check_model_positions("models/glm_ocr.json", glm, layout_of(preset::glm_ocr{}));
}

TEST_CASE("positions of ERNIE-4.5-VL and PaddleOCR-VL equal every reference", "[golden]") {
    const preset::ernie4_5_vl ernie;
    const json& config = golden("models/ernie4_5_vl.json")["config"];
    CHECK(ernie.temporal_merge == config["temporal_merge_size"].get<index_t>());
    check_model_positions("models/ernie4_5_vl.json",
                          model_prompts{video_runs::one_run, false, special_of, ernie.temporal_merge},
                          layout_of(ernie));
    check_model_positions("models/paddleocr_vl.json", model_prompts{}, layout_of(preset::paddleocr_vl{}));
}

TEST_CASE("positions of Qwen3.5, Keye-VL, Keye-VL-1.5 and openPangu-VL equal every reference", "[golden]") {
    const model_prompts split{video_runs::run_of_frame};
    check_model_positions("models/qwen3_5.json", split, layout_of(preset::qwen3_5{}));
    check_model_positions("models/keye_vl.json", model_prompts{}, layout_of(preset::keye_vl{}));
    check_model_positions("models/keye_vl1_5.json", split, layout_of(preset::keye_vl1_5{}));
    check_model_positions("models/openpangu_vl.json", split, layout_of(preset::openpangu_vl{}));
}
