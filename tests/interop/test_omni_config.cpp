#include "polyrope/interop/omni.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <string>

using namespace polyrope;
using nlohmann::json;

namespace {

json qwen3() {
    return json::parse(R"({
        "model_type": "qwen3_omni_moe", "talker_config": {"position_id_per_seconds": 13},
        "thinker_config": {
            "model_type": "qwen3_omni_moe_thinker", "position_id_per_seconds": 13, "seconds_per_chunk": 2,
            "audio_start_token_id": 151669, "audio_end_token_id": 151670, "audio_token_id": 151675,
            "image_token_id": 151655, "video_token_id": 151656,
            "vision_start_token_id": 151652, "vision_end_token_id": 151653,
            "audio_config": {"n_window": 50, "num_mel_bins": 128},
            "vision_config": {"spatial_merge_size": 2, "temporal_patch_size": 2, "tokens_per_second": 2},
            "text_config": {
                "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 4,
                "head_dim": 128, "rope_theta": 1000000,
                "rope_scaling": {"interleaved": true, "mrope_interleaved": true, "mrope_section": [24, 20, 20],
                                 "rope_type": "default", "type": "default"}}}})");
}

json qwen2_5() {
    return json::parse(R"({
        "model_type": "qwen2_5_omni",
        "thinker_config": {
            "model_type": "qwen2_5_omni_thinker", "position_id_per_seconds": 25, "seconds_per_chunk": 2,
            "audio_start_token_id": 151647, "audio_end_token_id": 151648, "audio_token_index": 151646,
            "image_token_index": 151655, "video_token_index": 151656,
            "vision_start_token_id": 151652, "vision_end_token_id": 151653,
            "vision_config": {"spatial_merge_size": 2},
            "text_config": {
                "model_type": "qwen2_5_omni_text", "num_hidden_layers": 28, "hidden_size": 3584,
                "num_attention_heads": 28, "num_key_value_heads": 4, "rope_theta": 1000000.0,
                "rope_scaling": {"mrope_section": [16, 24, 24], "rope_type": "default", "type": "default"}}}})");
}

template <class Preset>
void check_same(const Preset& found, const Preset& right) {
    CHECK(found.shape.layers == right.shape.layers);
    CHECK(found.shape.query_heads == right.shape.query_heads);
    CHECK(found.shape.key_value_heads == right.shape.key_value_heads);
    CHECK(found.shape.head_dim == right.shape.head_dim);
    CHECK(found.theta == right.theta);
    CHECK(found.sections.t == right.sections.t);
    CHECK(found.sections.h == right.sections.h);
    CHECK(found.sections.w == right.sections.w);
    CHECK(found.rotary_dim == right.rotary_dim);
    CHECK(found.spatial_merge == right.spatial_merge);
    CHECK(found.positions_per_second == right.positions_per_second);
    CHECK(found.ids.vision_start == right.ids.vision_start);
    CHECK(found.ids.vision_end == right.ids.vision_end);
    CHECK(found.ids.image == right.ids.image);
    CHECK(found.ids.video == right.ids.video);
    CHECK(found.ids.audio_start == right.ids.audio_start);
    CHECK(found.ids.audio_end == right.ids.audio_end);
    CHECK(found.ids.audio == right.ids.audio);
    CHECK(found.audio_tokens == right.audio_tokens);
    CHECK(found.make().ok());
}

std::string refused3(const json& config) {
    interop::config_report report;
    const auto made = interop::read_qwen3_omni(config, &report);
    return std::string(to_string(made.error()).c_str()) + " | " + report.refused;
}
std::string refused2_5(const json& config) {
    interop::config_report report;
    const auto made = interop::read_qwen2_5_omni(config, &report);
    return std::string(to_string(made.error()).c_str()) + " | " + report.refused;
}

}  // namespace

TEST_CASE("published configurations with audio are the presets") {
    interop::config_report report;
    const auto third = interop::read_qwen3_omni(qwen3(), &report);
    REQUIRE(third.ok());
    check_same(*third, preset::qwen3_omni{});
    for (const char* const key : {"thinker_config.text_config.rope_scaling.interleaved",
                                  "thinker_config.position_id_per_seconds", "thinker_config.audio_token_id"})
        CHECK(std::count(report.used.begin(), report.used.end(), key) == 1);
    const auto second = interop::read_qwen2_5_omni(qwen2_5());
    REQUIRE(second.ok());
    check_same(*second, preset::qwen2_5_omni{});
    CHECK(second->seconds_per_chunk == 2);
    // The thinker alone, and the spelling of transformers 5.
    json alone = qwen3()["thinker_config"];
    check_same(interop::read_qwen3_omni(alone).value(), preset::qwen3_omni{});
    json& text = alone["text_config"];
    text["rope_parameters"] = text["rope_scaling"];
    text["rope_parameters"]["rope_theta"] = 1000000;
    text.erase("rope_scaling");
    text.erase("rope_theta");
    check_same(interop::read_qwen3_omni(alone).value(), preset::qwen3_omni{});
    json other = qwen2_5();
    other["thinker_config"]["position_id_per_seconds"] = 50;
    other["thinker_config"]["seconds_per_chunk"] = 3;
    CHECK(interop::read_qwen2_5_omni(other)->layout().positions_per_chunk == 150);
}

TEST_CASE("configurations with audio that leave something open are refused") {
    const auto third = [](auto change) {
        json config = qwen3();
        change(config["thinker_config"]);
        return refused3(config);
    };
    CHECK(third([](json& c) { c.erase("position_id_per_seconds"); }) ==
          "configuration: position_id_per_seconds is missing | position_id_per_seconds");
    CHECK(third([](json& c) { c.erase("audio_token_id"); }) ==
          "configuration: audio_token_id is missing | thinker_config.audio_token_id");
    CHECK(third([](json& c) { c["audio_token_index"] = 5; }) ==
          "configuration: audio_token_id is given twice with different values (151675 and 5) | "
          "thinker_config.audio_token_index");
    CHECK(third([](json& c) { c["audio_config"]["n_window"] = 100; }) ==
          "configuration: n_window has the invalid value 100 (entry 0, expected 50) | "
          "thinker_config.audio_config.n_window");
    CHECK(third([](json& c) { c["text_config"]["rope_scaling"]["interleaved"] = false; }) ==
          "configuration: mrope_interleaved is given twice with different values (1 and 0) | "
          "thinker_config.text_config.rope_scaling.interleaved");
    CHECK(third([](json& c) {
              c["text_config"]["rope_scaling"].erase("mrope_interleaved");
              c["text_config"]["rope_scaling"]["interleaved"] = false;
          }) == "configuration: mrope_interleaved has the invalid value 0 (entry 0, expected 1) | mrope_interleaved");
    CHECK(third([](json& c) { c["text_config"]["rope_scaling"]["factor"] = 2.0; }) ==
          "configuration: rope_scaling has a value that is not known | thinker_config.text_config.rope_scaling.factor");
    CHECK(third([](json& c) { c.erase("vision_config"); }) ==
          "configuration: vision_config is missing | vision_config");
    CHECK(third([](json& c) { c["model_type"] = "qwen3_vl"; }) ==
          "configuration: model_type has a value that is not known | thinker_config.model_type");
    CHECK(refused3(qwen2_5()) == "configuration: model_type has a value that is not known | model_type");
    CHECK(refused3(json::array()) == "configuration: the document has a value of the wrong type (entry 0) | ");
    CHECK(refused3(json::object()) == "configuration: model_type is missing | model_type");
    json config = qwen3();
    config["thinker_config"] = 7;
    CHECK(refused3(config) == "configuration: thinker_config has a value of the wrong type (entry 0) | thinker_config");
    config = qwen2_5();
    config["thinker_config"].erase("seconds_per_chunk");
    CHECK(refused2_5(config) == "configuration: seconds_per_chunk is missing | seconds_per_chunk");
    config = qwen2_5();
    config["thinker_config"]["seconds_per_chunk"] = 0;
    CHECK(refused2_5(config) ==
          "configuration: seconds_per_chunk has the invalid value 0 (entry 0, expected 1) | "
          "thinker_config.seconds_per_chunk");
    CHECK(refused2_5(qwen3()) == "configuration: model_type has a value that is not known | model_type");
    // The second name of mrope_interleaved is these models' own.
    json plain = {{"rope_scaling", {{"mrope_section", {24, 20, 20}}, {"interleaved", true}}}};
    CHECK(interop::read_rope(plain).error().code == errc::value_unknown);
}
