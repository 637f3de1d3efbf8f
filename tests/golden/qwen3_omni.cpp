// Positions, deltas, decode positions and rotations of Qwen3-Omni's thinker, whose positions are real numbers.

#include "golden/omni_cases.hpp"
#include "golden/rotation_cases.hpp"
#include "polyrope/preset/qwen3_omni.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("positions of Qwen3-Omni equal the reference, fractions of seconds too", "[golden]") {
    preset::qwen3_omni model;
    const json& config = golden("models/qwen3_omni.json").at("config");
    CHECK(config["position_id_per_seconds"].get<index_t>() == model.positions_per_second);
    const auto filler = [](const json& c) {
        return c["image_grid_thw"].is_null() && c["video_grid_thw"].is_null() ? 1.0 : 0.0;
    };
    check_omni_positions<float>("models/qwen3_omni.json", model.layout(), model.audio_tokens, filler);
}

TEST_CASE("rotations of Qwen3-Omni are the reference's: bfloat16 to the bit", "[golden]") {
    const table_maker tables = [](const json& one, const auto& stored) {
        preset::qwen3_omni model;
        model.sections = sections_of(one["rope_parameters"]["mrope_section"]);
        model.rotary_dim = model.shape.head_dim = 2 * stored.pairs;
        const auto made = model.make(stored);
        return made ? result<frequency_table>(made->frequencies) : result<frequency_table>(made.error());
    };
    check_model_rotations("models/qwen3_omni.json", tables, rounding::table_cast_each);
}
