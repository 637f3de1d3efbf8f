// Frequency scaling of a parsed configuration, beside sections.

#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/interop/json.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace polyrope;
using nlohmann::json;

namespace {

json qwen3(const json& scaling) {
    json config = json::parse(R"({"model_type": "qwen3_vl", "vision_start_token_id": 1, "vision_end_token_id": 2,
        "image_token_id": 3, "video_token_id": 4, "vision_config": {"spatial_merge_size": 2},
        "text_config": {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 128,
                        "rope_theta": 5000000, "max_position_embeddings": 262144}})");
    json rope = {{"mrope_section", {24, 20, 20}}, {"mrope_interleaved", true}};
    rope.update(scaling);
    config["text_config"]["rope_scaling"] = rope;
    return config;
}

/// The sentence of a refusal and the key that it speaks of.
std::string refusal(const json& scaling) {
    interop::config_report report;
    const auto made = interop::read_model(qwen3(scaling), &report);
    return std::string(to_string(made.error()).c_str()) + " | " + report.refused;
}

}  // namespace

TEST_CASE("fault 34: the type field held yarn or mrope, but not both", "[fault]") {
    const auto plain = interop::read_model(qwen3({{"rope_type", "default"}}));
    REQUIRE(plain.ok());
    for (const double factor : {3.0, 4.0}) {
        // One key says mrope, as older files do, and the other yarn.
        const auto scaled = interop::read_model(qwen3({{"type", "mrope"},
                                                       {"rope_type", "yarn"},
                                                       {"factor", factor},
                                                       {"original_max_position_embeddings", 256000}}));
        INFO(to_string(scaled.error()).c_str());
        REQUIRE(scaled.ok());
        CHECK(scaled->frequencies.attention_scaling() == Approx(factor < 3.5 ? 1.109861 : 1.138629).epsilon(1e-6));
        const spectrum::yarn rule{5e6, factor, 256000};
        index_t slower = 0;
        for (index_t l = 0; l < 64; ++l) {
            CHECK(scaled->frequencies.at(0, l).which == plain->frequencies.at(0, l).which);
            CHECK(scaled->frequencies.at(0, l).frequency == rule.frequency(l, 128));
            slower += scaled->frequencies.at(0, l).frequency < plain->frequencies.at(0, l).frequency;
        }
        CHECK(slower > 20);
    }
}

TEST_CASE("a parsed scaling is the spectrum of the stored reference numbers") {
    int read = 0;
    for (const json& one : test::golden("models/rope_scaling.json").at("scaling_cases")) {
        json parameters = one.at("rope_parameters");
        const auto type = parameters.at("rope_type").get<std::string>();
        if (type != "default" && type != "linear" && type != "yarn" && type != "llama3") continue;
        const bool own_correction = parameters.erase("correction_range_original_max_position_embeddings") != 0;
        parameters["mrope_section"] = {1, 1, 1};  // not used here
        const json config = {{"max_position_embeddings", one.at("max_position_embeddings")},
                             {"rope_parameters", parameters}};
        interop::config_report report;
        auto rope = interop::read_rope(config, &report);
        INFO(one.at("name") << ": " << to_string(rope.error()).c_str() << " " << report.refused);
        REQUIRE(rope.ok());
        if (own_correction) {
            auto* const rule = std::get_if<spectrum::yarn>(&rope->spectrum.chosen);
            REQUIRE(rule != nullptr);
            rule->correction_length = 4 * rule->original_length;
        }
        const auto rotary_dim = static_cast<index_t>(one.at("head_dim").get<double>() * rope->partial_rotary_factor);
        const auto table =
            make_frequency_table(allocation::single_axis{}, rope->spectrum, rotary_dim, pairing::half_split);
        REQUIRE(table.ok());
        const json& right = one.at("expected").at(0).at("value");
        const auto inv_freq = right.at("inv_freq").get<std::vector<float>>();
        REQUIRE(inv_freq.size() == static_cast<std::size_t>(table->pairs()));
        index_t apart = 0;
        for (index_t l = 0; l < table->pairs(); ++l)
            apart += std::abs(detail::bit_copy<std::int32_t>(table->at(0, l).inv_freq) -
                              detail::bit_copy<std::int32_t>(inv_freq[static_cast<std::size_t>(l)])) > 4;
        CHECK(apart == 0);
        CHECK(table->attention_scaling() == Approx(right.at("attention_factor").get<double>()).epsilon(1e-15));
        ++read;
    }
    CHECK(read == 26);
}

TEST_CASE("yarn takes what is left out from max_position_embeddings") {
    const auto scaled = interop::read_rope(qwen3({{"type", "yarn"}, {"original_max_position_embeddings", 65536}}));
    REQUIRE(scaled.ok());
    CHECK(std::get<spectrum::yarn>(scaled->spectrum.chosen).factor == 4.0);
    const auto whole = interop::read_rope(qwen3({{"type", "yarn"}, {"factor", 2}}));
    REQUIRE(whole.ok());
    CHECK(std::get<spectrum::yarn>(whole->spectrum.chosen).original_length == 262144);
}

TEST_CASE("scaling keys that do not go with the type, or cannot be, are refused by name") {
    CHECK(refusal({{"rope_type", "default"}}) == "ok | ");
    CHECK(refusal({{"rope_type", "default"}, {"factor", 4}}) ==
          "configuration: rope_scaling has a value that is not known | text_config.rope_scaling.factor");
    CHECK(refusal({{"rope_type", "linear"}, {"factor", 4}, {"beta_fast", 32}}) ==
          "configuration: rope_scaling has a value that is not known | text_config.rope_scaling.beta_fast");
    CHECK(refusal({{"rope_type", "linear"}}) == "configuration: factor is missing | factor");
    CHECK(refusal({{"rope_type", "linear"}, {"factor", 0}}) ==
          "configuration: factor has the invalid value 0 (entry 0, expected 1000000000000000) | "
          "text_config.rope_scaling.factor");
    CHECK(refusal({{"rope_type", "yarn"}, {"factor", "four"}}) ==
          "configuration: factor has a value of the wrong type (entry 0) | text_config.rope_scaling.factor");
    CHECK(refusal({{"rope_type", "yarn"}, {"factor", 4}, {"truncate", 1}}) ==
          "configuration: rope_scaling has a value of the wrong type (entry 0) | text_config.rope_scaling.truncate");
    CHECK(refusal({{"rope_type", "yarn"}, {"type", "default"}, {"factor", 4}}).find("rope_type is given twice") !=
          std::string::npos);
    CHECK(refusal({{"rope_type", "yarn"}, {"factor", 4}, {"beta_fast", 1}, {"beta_slow", 2}}) ==
          "beta_fast must be above its lower counterpart | ");
    CHECK(refusal({{"rope_type", "llama3"}, {"factor", 8}, {"low_freq_factor", 1}}) ==
          "configuration: high_freq_factor is missing | high_freq_factor");
    CHECK(refusal({{"rope_type", "dynamic"}, {"factor", 2}}) ==
          "configuration: rope_type has a value that is not known | text_config.rope_scaling.rope_type");
    // A scale of nought is none.
    CHECK(refusal({{"rope_type", "yarn"}, {"factor", 4}, {"mscale", 0}, {"mscale_all_dim", 0.0}}) == "ok | ");
}
