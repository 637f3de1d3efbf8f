#include "polyrope/interop/json.hpp"
#include "support/catch.hpp"
#include "without_exceptions.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace polyrope;
using nlohmann::json;

namespace {

json published(const std::string& name) {
    std::ifstream stream(std::string(POLYROPE_DATA_DIR "/") + name);
    return json::parse(stream);
}
json qwen3() { return published("qwen3_vl_8b.config.json"); }
json qwen2_5() { return published("qwen2_5_vl_7b.config.json"); }

std::string sentence_of(const json& config, interop::config_report* report = nullptr) {
    return to_string(interop::read_model(config, report).error()).c_str();
}

std::string letters(const frequency_table& table) {
    std::string all;
    for (index_t l = 0; l < table.pairs(); ++l) all += letter(table.at(0, l).which);
    return all;
}

// The same model as a preset makes.
void check_same(const multimodal<layout::mrope>& found, const multimodal<layout::mrope>& right) {
    CHECK(found.shape.layers == right.shape.layers);
    CHECK(found.shape.query_heads == right.shape.query_heads);
    CHECK(found.shape.key_value_heads == right.shape.key_value_heads);
    CHECK(found.shape.head_dim == right.shape.head_dim);
    CHECK(found.layout.spatial_merge == right.layout.spatial_merge);
    CHECK(found.layout.time.rule == right.layout.time.rule);
    CHECK(found.layout.time.tokens_per_second == right.layout.time.tokens_per_second);
    CHECK(found.layout.behind == right.layout.behind);
    CHECK(found.layout.video == right.layout.video);
    CHECK(found.layout.spatial_reset == right.layout.spatial_reset);
    CHECK(found.runs == right.runs);
    CHECK(found.ids.start == right.ids.start);
    CHECK(found.ids.end == right.ids.end);
    CHECK(found.ids.image == right.ids.image);
    CHECK(found.ids.video == right.ids.video);
    CHECK(letters(found.frequencies) == letters(right.frequencies));
    CHECK(found.frequencies.rotary_dim() == right.frequencies.rotary_dim());
    CHECK(found.frequencies.paired() == right.frequencies.paired());
    for (index_t l = 0; l < right.frequencies.pairs(); ++l)
        CHECK(found.frequencies.at(0, l).frequency == right.frequencies.at(0, l).frequency);
}

}  // namespace

TEST_CASE("published configurations are the presets") {
    interop::config_report report;
    const auto model3 = interop::read_model(qwen3(), &report);
    REQUIRE(model3.ok());
    check_same(*model3, preset::qwen3_vl{}.make().value());
    CHECK(report.refused.empty());
    for (const char* const key :
         {"text_config.rope_scaling.mrope_section", "text_config.rope_scaling.mrope_interleaved",
          "text_config.rope_theta", "text_config.head_dim", "vision_config.spatial_merge_size", "video_token_id"})
        CHECK(std::count(report.used.begin(), report.used.end(), key) == 1);
    CHECK(std::count(report.used.begin(), report.used.end(), "text_config.max_position_embeddings") == 0);

    const auto model2_5 = interop::read_model(qwen2_5());
    REQUIRE(model2_5.ok());
    check_same(*model2_5, preset::qwen2_5_vl{}.make().value());

    json older = qwen2_5();
    older["model_type"] = "qwen2_vl";
    older["vision_config"].erase("tokens_per_second");
    const auto model2 = interop::read_model(older);
    REQUIRE(model2.ok());
    check_same(*model2, preset::qwen2_vl{}.make().value());
}

TEST_CASE("other spellings of the same model read the same") {
    const auto right = preset::qwen3_vl{}.make().value();
    json newer = qwen3();  // transformers 5
    newer["text_config"].erase("rope_scaling");
    newer["text_config"].erase("rope_theta");
    newer["text_config"]["rope_parameters"] = {{"rope_type", "default"},
                                               {"rope_theta", 5000000},
                                               {"mrope_section", {24, 20, 20}},
                                               {"mrope_interleaved", true}};
    check_same(interop::read_model(newer).value(), right);

    json flat = qwen3();  // everything at the top
    const json inner = flat["text_config"];
    for (const auto& item : inner.items())
        if (item.key() != "model_type") flat[item.key()] = item.value();
    check_same(interop::read_model(flat).value(), right);  // said twice, alike
    flat.erase("text_config");
    check_same(interop::read_model(flat).value(), right);

    json experts = qwen3();
    experts["model_type"] = "qwen3_vl_moe";
    experts["text_config"]["model_type"] = "qwen3_vl_moe_text";
    check_same(interop::read_model(experts).value(), right);

    json derived = qwen3();  // head_dim from the width
    derived["text_config"].erase("head_dim");
    check_same(interop::read_model(derived).value(), right);
    derived["text_config"]["hidden_size"] = 4095;
    CHECK(interop::read_model(derived).error().what == operand::hidden_size);
}

TEST_CASE("a partial rotation keeps its own width") {
    json config = qwen3();
    config["text_config"]["head_dim"] = 256;
    config["text_config"]["rope_scaling"]["mrope_section"] = {11, 11, 10};
    config["text_config"]["rope_scaling"]["partial_rotary_factor"] = 0.25;
    const auto model = interop::read_model(config);
    REQUIRE(model.ok());
    CHECK(model->frequencies.rotary_dim() == 64);
    CHECK(model->frequencies.at(0, 31).frequency == spectrum::geometric{5e6}.frequency(31, 64));
}

TEST_CASE("fault 30: sections of a configuration that do not sum to the pairs", "[fault]") {
    json config = qwen3();
    config["text_config"]["rope_scaling"]["mrope_section"] = {32, 48, 48};
    CHECK(sentence_of(config) == "the sections hold 128 pairs, and rotary_dim has 64");
    config = qwen2_5();
    config["head_dim"] = 80;
    CHECK(sentence_of(config) == "the sections hold 64 pairs, and rotary_dim has 40");
}

TEST_CASE("fault 27: an order of axes that the model does not have is refused", "[fault]") {
    interop::config_report report;
    json config = qwen3();
    config["text_config"]["rope_scaling"]["mrope_interleaved"] = false;
    CHECK(sentence_of(config, &report) ==
          "configuration: mrope_interleaved has the invalid value 0 (entry 0, expected 1)");
    CHECK(report.refused == "mrope_interleaved");
    config = qwen2_5();
    config["rope_scaling"]["mrope_interleaved"] = true;
    CHECK(sentence_of(config) == "configuration: mrope_interleaved has the invalid value 1 (entry 0, expected 0)");
    // Left out, the model's class decides.
    config = qwen3();
    config["text_config"]["rope_scaling"].erase("mrope_interleaved");
    CHECK(letters(interop::read_model(config)->frequencies).substr(0, 6) == "thwthw");
}

TEST_CASE("values that say twice different things are refused") {
    json config = qwen3();
    config["num_hidden_layers"] = 28;
    interop::config_report report;
    CHECK(sentence_of(config, &report) ==
          "configuration: num_hidden_layers is given twice with different values (36 and 28)");
    CHECK(report.refused == "num_hidden_layers");
    config = qwen3();
    config["text_config"]["model_type"] = "qwen2_5_vl_text";
    CHECK(sentence_of(config, &report) == "configuration: model_type has a value that is not known");
    config = qwen3();
    config["model_type"] = "llava";
    CHECK(sentence_of(config) == "configuration: model_type has a value that is not known");
}

TEST_CASE("every key that is needed is missed, and its wrong types and numbers are refused") {
    const std::vector<std::string> needed = {"/model_type",
                                             "/text_config/num_hidden_layers",
                                             "/text_config/num_attention_heads",
                                             "/text_config/num_key_value_heads",
                                             "/text_config/rope_theta",
                                             "/text_config/rope_scaling",
                                             "/text_config/rope_scaling/mrope_section",
                                             "/vision_config",
                                             "/vision_config/spatial_merge_size",
                                             "/vision_start_token_id",
                                             "/vision_end_token_id",
                                             "/image_token_id",
                                             "/video_token_id"};
    for (const std::string& key : needed) {
        INFO(key);
        const json::json_pointer at(key);
        json config = qwen3();
        config.at(at) = nullptr;
        CHECK(interop::read_model(config).error().code == errc::key_missing);
        for (const json& wrong :
             {json(true), json("2"), json::array(), json(-3), json(1e300), json(2.5), json::object({{"x", 1}})}) {
            config.at(at) = wrong;
            if (key == "/text_config/rope_theta" && wrong == json(2.5)) continue;
            INFO(wrong.dump());
            CHECK_FALSE(interop::read_model(config).ok());
        }
    }
    json config = qwen2_5();
    config["vision_config"].erase("tokens_per_second");
    CHECK(sentence_of(config) == "configuration: tokens_per_second is missing");
    config["vision_config"]["tokens_per_second"] = 0;
    CHECK(sentence_of(config) == "configuration: tokens_per_second has the invalid value 0 (entry 0, expected 1)");
    for (const json& wrong : {json(18446744073709551615u), json(INT64_MAX), json(INT64_MIN), json(65537)}) {
        config = qwen3();
        config["text_config"]["num_attention_heads"] = wrong;
        INFO(wrong.dump());
        CHECK(interop::read_model(config).error().what == operand::num_attention_heads);
        CHECK(interop::read_model(config).error().code == errc::value_invalid);
    }
    config = qwen3();
    config["text_config"]["num_key_value_heads"] = 5;
    CHECK(interop::read_model(config).error().what == operand::key_value_heads);
}

TEST_CASE("no document makes the reader throw, hang or read what is not there") {
    std::mt19937 random(11);
    const json pool[] = {json(nullptr),
                         json(true),
                         json("mrope"),
                         json("yarn"),
                         json(-1),
                         json(0),
                         json(3),
                         json(128),
                         json(1e308),
                         json(18446744073709551615u),
                         json(INT64_MIN),
                         json::array({1, 2, 3}),
                         json::array({24, 20, 20}),
                         json::array({json::array(), 1}),
                         json::object(),
                         json::object({{"mrope_section", 3}}),
                         json(2.5),
                         json("qwen2_vl")};
    int read = 0, refused = 0;
    for (int i = 0; i < 4000; ++i) {
        json config = i % 2 == 0 ? qwen3() : qwen2_5();
        const json flat = config.flatten();
        std::vector<std::string> paths;
        for (const auto& item : flat.items()) paths.push_back(item.key());
        for (int change = 0; change <= i % 3; ++change) {
            std::string path = paths[random() % paths.size()];
            if (random() % 4 == 0) path.resize(path.rfind('/'));
            if (path.empty() || !config.contains(json::json_pointer(path))) continue;
            config[json::json_pointer(path)] = pool[random() % std::size(pool)];
        }
        const auto model = interop::read_model(config);
        (model.ok() ? read : refused) += 1;
        if (!model.ok()) CHECK(std::string(to_string(model.error()).c_str()) != "unknown error");
    }
    CHECK(read + refused == 4000);
    CHECK(read > 100);
    CHECK(refused > 1000);
}

TEST_CASE("reading works without exceptions and RTTI") {
    CHECK(reads_without_exceptions(qwen3().dump().c_str()));
    CHECK(reads_without_exceptions(qwen2_5().dump().c_str()));
    CHECK_FALSE(reads_without_exceptions("{\"model_type\": 3}"));
    CHECK_FALSE(reads_without_exceptions("{ not json"));
}
