// Positions, deltas, decode positions and rotations of Qwen2.5-Omni's thinker.

#include "golden/omni_cases.hpp"
#include "golden/rotation_cases.hpp"
#include "polyrope/preset/qwen2_5_omni.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("positions of Qwen2.5-Omni equal the reference, chunks that cut inside a frame too", "[golden]") {
    preset::qwen2_5_omni model;
    const json& config = golden("models/qwen2_5_omni.json").at("config");
    CHECK(config["position_id_per_seconds"].get<index_t>() == model.positions_per_second);
    CHECK(config["seconds_per_chunk"].get<index_t>() == model.seconds_per_chunk);
    check_omni_positions<std::int32_t>("models/qwen2_5_omni.json", model.layout(), model.audio_tokens,
                                       [](const json&) { return 1.0; });
}

TEST_CASE("rotations of Qwen2.5-Omni are the reference's: bfloat16 to the bit", "[golden]") {
    const table_maker tables = [](const json& one, const auto& stored) {
        preset::qwen2_5_omni model;
        model.sections = sections_of(one["rope_parameters"]["mrope_section"]);
        model.rotary_dim = model.shape.head_dim = 2 * stored.pairs;
        const auto made = model.make(stored);
        return made ? result<frequency_table>(made->frequencies) : result<frequency_table>(made.error());
    };
    check_model_rotations("models/qwen2_5_omni.json", tables, rounding::table_cast_each);
}
