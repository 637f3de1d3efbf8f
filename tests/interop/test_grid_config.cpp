// Configurations of Qwen3.5, the GLM family, ERNIE-4.5-VL, PaddleOCR-VL and Hunyuan-VL: each is its preset, in both
// spellings, and what is not of the model is refused.

#include <string>

#include "polyrope/interop/hunyuan.hpp"
#include "support/catch.hpp"

using namespace polyrope;
using nlohmann::json;

namespace {

/// A document around a text_config; `ids` are keys of the top, `rope` is everything rotary.
json document(const std::string& type, const json& ids, json text, const json& rope, const json& vision = {}) {
    json config = ids;
    config["model_type"] = type;
    config["vision_config"] = vision.is_null() ? json::object() : vision;
    config["vision_config"]["spatial_merge_size"] = 2;
    text["rope_parameters"] = rope;
    config["text_config"] = text;
    return config;
}

json image_ids(index_t image_start, index_t image_end, index_t image, index_t video, index_t video_start,
               index_t video_end) {
    return {{"image_start_token_id", image_start},
            {"image_end_token_id", image_end},
            {"image_token_id", image},
            {"video_token_id", video},
            {"video_start_token_id", video_start},
            {"video_end_token_id", video_end}};
}
json marker_ids(index_t start, index_t end, index_t image, index_t video) {
    return {{"vision_start_token_id", start},
            {"vision_end_token_id", end},
            {"image_token_id", image},
            {"video_token_id", video}};
}
json shape(index_t layers, index_t heads, index_t key_value_heads, index_t head_dim) {
    return {{"num_hidden_layers", layers},
            {"num_attention_heads", heads},
            {"num_key_value_heads", key_value_heads},
            {"head_dim", head_dim}};
}

json glm4v() {
    return document("glm4v", image_ids(151339, 151340, 151343, 151344, 151341, 151342), shape(40, 32, 2, 128),
                    {{"rope_type", "default"},
                     {"rope_theta", 10000.0},
                     {"mrope_section", {8, 12, 12}},
                     {"partial_rotary_factor", 0.5}});
}
json glm4v_moe() {
    return document("glm4v_moe", image_ids(151339, 151340, 151363, 151364, 151341, 151342), shape(46, 96, 8, 128),
                    {{"rope_type", "default"},
                     {"rope_theta", 10000.0},
                     {"mrope_section", {8, 12, 12}},
                     {"partial_rotary_factor", 0.5}});
}
json ernie() {
    return document("ernie4_5_vl_moe", image_ids(101304, 101305, 100295, 103367, 101306, 101307), shape(28, 20, 4, 128),
                    {{"rope_type", "default"}, {"rope_theta", 500000.0}, {"mrope_section", {22, 22, 20}}},
                    {{"temporal_merge_size", 2}});
}
json qwen3_5() {
    return document("qwen3_5", marker_ids(248053, 248054, 248056, 248057), shape(32, 16, 4, 256),
                    {{"rope_type", "default"},
                     {"rope_theta", 1e7},
                     {"mrope_section", {11, 11, 10}},
                     {"mrope_interleaved", true},
                     {"partial_rotary_factor", 0.25}});
}
json hunyuan() {  // as published: flat, one rope_scaling
    return json::parse(R"({
        "model_type": "hunyuan_vl", "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "hidden_size": 1024, "rope_theta": 10000.0,
        "im_start_id": 120118, "im_end_id": 120119, "image_token_id": 120120,
        "rope_scaling": {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
                         "mscale_all_dim": 1.0, "type": "xdrope", "xdrope_section": [16, 16, 16, 16]},
        "vision_config": {"spatial_merge_size": 2}})");
}

template <class Layout>
void check_table(const multimodal<Layout>& found, const multimodal<Layout>& right) {
    CHECK(found.frequencies.rotary_dim() == right.frequencies.rotary_dim());
    CHECK(found.frequencies.paired() == right.frequencies.paired());
    REQUIRE(found.frequencies.pairs() == right.frequencies.pairs());
    for (index_t l = 0; l < right.frequencies.pairs(); ++l) {
        CHECK(found.frequencies.at(0, l).which == right.frequencies.at(0, l).which);
        CHECK(found.frequencies.at(0, l).frequency == right.frequencies.at(0, l).frequency);
    }
    CHECK(found.shape.layers == right.shape.layers);
    CHECK(found.shape.query_heads == right.shape.query_heads);
    CHECK(found.shape.key_value_heads == right.shape.key_value_heads);
    CHECK(found.shape.head_dim == right.shape.head_dim);
    CHECK(found.runs == right.runs);
    CHECK(found.slots == right.slots);
    CHECK(found.temporal_merge == right.temporal_merge);
    const polyrope::vision_ids &x = found.ids, &y = right.ids;
    CHECK((x.start == y.start && x.end == y.end && x.image == y.image && x.video == y.video));
    CHECK((x.video_start == y.video_start && x.video_end == y.video_end && x.frames_as_images == y.frames_as_images));
}

template <class Preset>
void check_same(const json& config, const Preset& preset) {
    const auto found = interop::read_model(config);
    INFO(to_string(found.error()).c_str());
    REQUIRE(found.ok());
    const auto right = preset.make().value();
    check_table(*found, right);
    CHECK(found->layout.spatial_merge == right.layout.spatial_merge);
    CHECK(found->layout.temporal_merge == right.layout.temporal_merge);
    CHECK(found->layout.video == right.layout.video);
}

/// transformers 4: theta and the partial factor beside rope_scaling.
json older(json config) {
    json& text = config["text_config"];
    json rope = text["rope_parameters"];
    text.erase("rope_parameters");
    for (const char* const key : {"rope_theta", "partial_rotary_factor"}) {
        if (rope.contains(key)) text[key] = rope[key];
        rope.erase(key);
    }
    rope["type"] = rope["rope_type"];
    text["rope_scaling"] = rope;
    return config;
}

status error_of(const json& config, interop::config_report* report = nullptr) {
    return interop::read_model(config, report).error();
}
status error_of_hunyuan(const json& config) { return interop::read_hunyuan_vl(config).error(); }

}  // namespace

TEST_CASE("configurations of the grid models are their presets, in both spellings") {
    for (const bool old : {false, true}) {
        const auto spelled = [old](const json& config) { return old ? older(config) : config; };
        check_same(spelled(glm4v()), preset::glm4v{});
        check_same(spelled(glm4v_moe()), preset::glm4v_moe{});
        check_same(spelled(ernie()), preset::ernie4_5_vl{});
        check_same(spelled(qwen3_5()), preset::qwen3_5{});
        check_same(
            spelled(document("glm_ocr", image_ids(59256, 59257, 59280, 59281, 59258, 59259), shape(16, 16, 8, 128),
                             {{"rope_type", "default"}, {"rope_theta", 10000}, {"mrope_section", {16, 24, 24}}})),
            preset::glm_ocr{});
        check_same(
            spelled(document("paddleocr_vl", marker_ids(101305, 101306, 100295, 101307), shape(18, 16, 2, 128),
                             {{"rope_type", "default"}, {"rope_theta", 500000}, {"mrope_section", {16, 24, 24}}})),
            preset::paddleocr_vl{});
    }
    json named = qwen3_5();
    named["model_type"] = "qwen3_5_moe";
    named["text_config"]["model_type"] = "qwen3_5_moe_text";
    check_same(named, preset::qwen3_5{});
}

TEST_CASE("GLM-Image has images alone, and a merge of one") {
    json config = document("glm_image",
                           {{"image_start_token_id", 16384}, {"image_end_token_id", 16385}, {"image_token_id", 167855}},
                           shape(40, 32, 2, 128),
                           {{"rope_type", "default"},
                            {"rope_theta", 10000.0},
                            {"mrope_section", {8, 12, 12}},
                            {"partial_rotary_factor", 0.5}});
    config["vision_config"]["spatial_merge_size"] = 1;
    check_same(config, preset::glm_image{});
    config.erase("image_token_id");
    CHECK(error_of(config) == status{errc::key_missing, operand::image_token_id, 0, 0, 0});
}

TEST_CASE("GLM-4.6V is the text model that it holds") {
    json config = glm4v();
    config["model_type"] = "glm46v";
    CHECK(error_of(config).what == operand::model_type);  // it does not say which
    config["text_config"]["model_type"] = "glm4v_text";
    check_same(config, preset::glm4v{});
    config = glm4v_moe();
    config["model_type"] = "glm46v";
    config["text_config"]["model_type"] = "glm4v_moe_text";
    check_same(config, preset::glm4v_moe{});
    interop::config_report report;
    config["text_config"]["model_type"] = "glm_ocr_text";
    CHECK(error_of(config, &report) == status{errc::value_unknown, operand::model_type, 0, 0, 0});
    CHECK(report.refused == "text_config.model_type");
}

TEST_CASE("a grid model's configuration that is not its own is refused") {
    json config = glm4v();
    config["text_config"]["rope_parameters"].erase("partial_rotary_factor");
    CHECK(error_of(config).code == errc::section_mismatch);
    config = glm4v();
    config["text_config"]["rope_parameters"]["mrope_interleaved"] = true;
    CHECK(error_of(config).what == operand::mrope_interleaved);
    config = glm4v();
    config.erase("video_start_token_id");
    CHECK(error_of(config) == status{errc::key_missing, operand::video_start_token_id, 0, 0, 0});
    config = glm4v();
    config.erase("image_start_token_id");
    CHECK(error_of(config) == status{errc::key_missing, operand::image_start_token_id, 0, 0, 0});
    config = ernie();
    config["vision_config"].erase("temporal_merge_size");
    CHECK(error_of(config) == status{errc::key_missing, operand::temporal_merge_size, 0, 0, 0});
    config = ernie();
    config["model_type"] = "ernie4_5_moe_vl";
    CHECK(error_of(config) == status{errc::value_unknown, operand::model_type, 0, 0, 0});
    config = qwen3_5();
    config["text_config"]["rope_parameters"]["rope_type"] = "dynamic";
    CHECK(error_of(config) == status{errc::value_unknown, operand::rope_type, 0, 0, 0});
}

TEST_CASE("scaling reads beside a partial rotation") {
    json config = qwen3_5();
    json& rope = config["text_config"]["rope_parameters"];
    rope["rope_type"] = "yarn";
    rope["factor"] = 4.0;
    rope["original_max_position_embeddings"] = 262144;
    const auto model = interop::read_model(config);
    REQUIRE(model.ok());
    const auto right = preset::qwen3_5{}.make(spectrum::yarn{1e7, 4.0, 262144}).value();
    check_table(*model, right);
    CHECK(model->frequencies.attention_scaling() == right.frequencies.attention_scaling());
    CHECK(model->frequencies.at(0, 31).frequency < preset::qwen3_5{}.make()->frequencies.at(0, 31).frequency);
}

TEST_CASE("configurations of HunyuanOCR are its preset, as published and as transformers saves them") {
    const auto same = [](const json& config) {
        const auto found = interop::read_hunyuan_vl(config);
        INFO(to_string(found.error()).c_str());
        REQUIRE(found.ok());
        check_table(found->make().value(), preset::hunyuan_vl{}.make().value());
        CHECK(found->layout().spatial_merge == 2);
    };
    same(hunyuan());
    json newer = hunyuan();
    for (const char* const key : {"num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"}) {
        newer["text_config"][key] = newer[key];
        newer.erase(key);
    }
    newer["text_config"]["rope_parameters"] = {{"rope_type", "dynamic"},
                                               {"rope_theta", 10000.0},
                                               {"alpha", 1000.0},
                                               {"factor", 1.0},
                                               {"mrope_section", {16, 16, 16, 16}}};
    newer.erase("rope_scaling");
    newer.erase("rope_theta");
    same(newer);
    newer["text_config"]["rope_parameters"]["mrope_section"] = {20, 22, 22};
    const auto three = interop::read_hunyuan_vl(newer);
    REQUIRE(three.ok());
    CHECK(three->position_pairs == 0);
    CHECK(three->width_pairs == 20);
    REQUIRE(three->make().ok());
    CHECK(three->make()->frequencies.at(0, 0).which == axis::w);
    CHECK(three->make()->frequencies.at(0, 63).which == axis::u);
}

TEST_CASE("what a Hunyuan configuration leaves open is refused") {
    const auto with = [](const char* key, const json& value) {
        json config = hunyuan();
        if (value.is_null()) config["rope_scaling"].erase(key);
        else config["rope_scaling"][key] = value;
        return error_of_hunyuan(config);
    };
    CHECK(with("alpha", nullptr) == status{errc::key_missing, operand::alpha, 0, 0, 0});
    CHECK(with("factor", 2.0) == status{errc::value_invalid, operand::factor, 0, 1, 2});
    CHECK(with("xdrope_section", nullptr) == status{errc::key_missing, operand::xdrope_section, 0, 0, 0});
    CHECK(with("xdrope_section", {32, 32}) == status{errc::extent_mismatch, operand::xdrope_section, 0, 4, 2});
    CHECK(with("xdrope_section", {16, 16, 16, 1.5}) == status{errc::value_type, operand::xdrope_section, 3, 0, 0});
    CHECK(with("mrope_section", {16, 16, 8, 24}) == status{errc::key_conflict, operand::xdrope_section, 2, 16, 8});
    CHECK(with("type", "yarn") == status{errc::value_unknown, operand::rope_type, 0, 0, 0});
    CHECK(with("short_factor", 1) == status{errc::value_unknown, operand::rope_scaling, 0, 0, 0});
    json config = hunyuan();
    config["partial_rotary_factor"] = 0.5;
    CHECK(error_of_hunyuan(config).what == operand::partial_rotary_factor);
    config = hunyuan();
    config.erase("im_start_id");
    CHECK(error_of_hunyuan(config) == status{errc::key_missing, operand::im_start_id, 0, 0, 0});
    config = hunyuan();
    config["model_type"] = "hunyuan";
    CHECK(error_of_hunyuan(config) == status{errc::value_unknown, operand::model_type, 0, 0, 0});
    for (const json& none : {json(), json(3), json::array(), json::object()}) CHECK_FALSE(error_of_hunyuan(none).ok());
    json odd = hunyuan();
    odd["rope_scaling"]["xdrope_section"] = {16, 16, 16, -16};
    CHECK_FALSE(interop::read_hunyuan_vl(odd)->make().ok());
}
