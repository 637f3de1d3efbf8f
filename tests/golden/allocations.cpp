// Frequency tables of the research variants: axis and frequency of every pair, and cosines and sines made with the stored
// frequencies.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "golden/frequency_cases.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/even_interleaved.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/log_scaled.hpp"
#include "polyrope/frequency/per_axis.hpp"
#include "polyrope/frequency/per_channel.hpp"
#include "polyrope/frequency/per_head.hpp"
#include "polyrope/frequency/periodic.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/spatial_first.hpp"
#include "polyrope/frequency/spatial_shifted.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

std::vector<axis> axes_of(const json& list) {
    std::vector<axis> all;
    for (const json& a : list) all.push_back(static_cast<axis>(a.get<int>()));
    return all;
}

/// The library's own frequencies within 4 units of the stored ones.
void compare_units(golden_case& one, const frequency_table& own, const json& inv_freq) {
    REQUIRE(inv_freq.size() == static_cast<std::size_t>(own.pairs()));
    for (index_t l = 0; l < own.pairs(); ++l) {
        const auto stored = inv_freq[static_cast<std::size_t>(l)].get<float>();
        CAPTURE(l, own.at(0, l).inv_freq, stored);
        CHECK(one.compared(1, units_between(own.at(0, l).inv_freq, stored) <= 4 ? 0 : 1));
    }
}

rotary float32_rotary(const result<frequency_table>& table) {
    INFO(to_string(table.error()).c_str());
    REQUIRE(table.ok());
    return make_rotary(*table, {phase::float32, rounding::once}).value();
}

/// Every channel pair (1, 0): a rotation leaves (cos, sin).
json unit_heads(std::size_t heads, std::size_t tokens, std::size_t rotary_dim) {
    std::vector<float> channels(rotary_dim, 0.0f);
    std::fill_n(channels.begin(), rotary_dim / 2, 1.0f);
    return json(std::vector<std::vector<std::vector<float>>>(heads, {tokens, channels}));
}

}  // namespace

TEST_CASE("frequencies of VideoRoPE and HoPE are those of their code and of the port", "[golden]") {
    check_frequency_cases("research/videorope.json", "frequency_cases", [](const json& c, index_t) {
        return allocation::spatial_first{sections_of(c["params"]["mrope_section"])};
    });
    check_frequency_cases("research/videorope.json", "frequency_cases_mmr", [](const json& c, index_t) {
        return allocation::spatial_shifted{sections_of(c["params"]["mrope_section"])};
    });
    check_frequency_cases("research/hope.json", "frequency_cases", [](const json& c, index_t) {
        return allocation::spatial_first{sections_of(c["params"]["mrope_section"]), temporal_pairs::still};
    });
    check_frequency_cases("research/hope.json", "frequency_cases_mmr", [](const json& c, index_t) {
        return allocation::spatial_shifted{sections_of(c["params"]["mrope_section"]), temporal_pairs::still};
    });
}

TEST_CASE("frequencies of V2PE, IL-RoPE, GRAPE and the port of Omni-RoPE are the references'", "[golden]") {
    check_frequency_cases("research/v2pe.json", "frequency_cases",
                          [](const json&, index_t) { return allocation::single_axis{}; });
    check_frequency_cases("research/ilrope.json", "frequency_cases", [](const json& c, index_t) {
        return allocation::interleaved{sections_of(c["params"]["mrope_section"])};
    });
    check_frequency_cases("research/omnirope.json", "frequency_cases_mmr", [](const json& c, index_t) {
        return allocation::chunked{sections_of(c["params"]["mrope_section"])};
    });
}

TEST_CASE("frequencies of GRAPE's canonical tables are the port's", "[golden]") {
    const char* const file = "research/grape.json";
    for (std::size_t i = 0; i < golden(file).at("frequency_cases").size(); ++i) {
        golden_case one(file, "frequency_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto rotary_dim = c.at("rotary_dim").get<index_t>();
        const double base = c.at("base").get<double>(), scale = c["params"]["log_freq_scale"].get<double>();
        const auto table = [&](const auto& s) {
            return c["params"]["frequency_allocation"] == "chunked"
                       ? make_frequency_table(allocation::chunked{sections_of(c["params"]["mrope_section"])}, s,
                                              rotary_dim, pairing::half_split)
                       : make_frequency_table(allocation::interleaved{allocation::thirds(rotary_dim / 2)}, s,
                                              rotary_dim, pairing::half_split);
        };
        // The stored inv_freq is the unscaled spectrum.
        compare_units(one, table(spectrum::geometric{base}).value(), c.at("inv_freq"));
        std::vector<double> scaled;
        for (const json& stored : c["inv_freq"])
            scaled.push_back(std::pow(static_cast<double>(stored.get<float>()), 1.0 / scale));
        const auto own = table(spectrum::log_scaled{base, scale});
        REQUIRE(own.ok());
        for (index_t l = 0; l < own->pairs(); ++l) {
            const auto at = static_cast<std::size_t>(l);
            CHECK(one.equal(static_cast<int>(own->at(0, l).which), c.at("axis_per_pair")[at].get<int>()));
            CHECK(one.compared(1, units_between(own->at(0, l).inv_freq, static_cast<float>(scaled[at])) <= 4 ? 0 : 1));
        }
        const spectrum::explicit_frequencies<double> stored{scaled.data(), own->pairs()};
        check_cosines_and_sines(one, float32_rotary(table(stored)), c.at("tokens"));
    }
}

TEST_CASE("MHRoPE turns each head by its axis, with the whole spectrum", "[golden]") {
    const char* const file = "research/mhrope.json";
    for (std::size_t i = 0; i < golden(file).at("frequency_cases").size(); ++i) {
        golden_case one(file, "frequency_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto heads = c["params"]["num_key_value_heads"].get<index_t>();
        const auto rotary_dim = c.at("rotary_dim").get<index_t>();
        const allocation::per_head sections{sections_of(c["params"]["mrope_section"]), heads};
        const auto own = make_frequency_table(sections, spectrum::geometric{c.at("base").get<double>()}, rotary_dim,
                                              pairing::half_split);
        REQUIRE(own.ok());
        compare_units(one, *own, c.at("inv_freq"));
        for (index_t group = 0; group < heads; ++group)
            for (index_t l = 0; l < own->pairs(); ++l)
                CHECK(one.equal(static_cast<int>(own->at(group, l).which),
                                c.at("axis_per_kv_head")[static_cast<std::size_t>(group)].get<int>()));

        const auto inv_freq = c["inv_freq"].get<std::vector<float>>();
        const rotary rope = float32_rotary(
            make_frequency_table(sections, spectrum::explicit_frequencies<float>{inv_freq.data(), own->pairs()},
                                 rotary_dim, pairing::half_split));
        json positions = {json::array(), json::array(), json::array()}, k_out = json::array(), q_out = json::array();
        for (const json& token : c.at("tokens"))
            for (std::size_t a = 0; a < 3; ++a) positions[a].push_back(token["pos"][a]);
        for (std::size_t m = 0; m < static_cast<std::size_t>(heads); ++m) {
            json head = json::array();
            for (const json& token : c["tokens"]) {
                json row = token["cos_per_kv_head"][m];
                for (const json& sine : token["sin_per_kv_head"][m]) row.push_back(sine);
                head.push_back(row);
            }
            k_out.push_back(head);
            for (int repeat = 0; repeat < 2; ++repeat) q_out.push_back(head);  // two query heads for each
        }
        const auto tokens = c["tokens"].size(), width = static_cast<std::size_t>(rotary_dim);
        check_rotation(one, rope, positions,
                       {{"q", unit_heads(q_out.size(), tokens, width)}, {"k", unit_heads(k_out.size(), tokens, width)}},
                       {{"q_out", q_out}, {"k_out", k_out}});
    }
    for (std::size_t i = 0; i < golden(file).at("apply_cases").size(); ++i) {
        golden_case one(file, "apply_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const rotary rope = float32_rotary(make_frequency_table(
            allocation::per_head{sections_of(c.at("head_section")), c.at("num_kv_heads").get<index_t>()},
            spectrum::geometric{c.at("base").get<double>()}, c.at("head_dim").get<index_t>(), pairing::half_split));
        check_rotation(one, rope, c.at("position_ids"), c, c);
    }
}

TEST_CASE("frequencies of MM-RoPE are those of Lumos-1 where they are a rotation, and the port's", "[golden]") {
    const char* const file = "research/mmrope.json";
    check_frequency_cases(file, "frequency_cases_mmr",
                          [](const json&, index_t) { return allocation::mm_rope_by_pair; });
    for (std::size_t i = 0; i < golden(file).at("frequency_cases").size(); ++i) {
        golden_case one(file, "frequency_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const auto rotary_dim = c.at("rotary_dim").get<index_t>();
        const std::vector<axis> channels = axes_of(c.at("axis_per_channel"));
        const allocation::per_channel by_channel{channels.data(), rotary_dim};
        const auto made = [&](const auto& a, const auto& s) {
            return make_frequency_table(a, s, rotary_dim, pairing::half_split);
        };
        const spectrum::geometric base{c.at("base").get<double>()};
        if (one.listed()) {
            CHECK(c.at("halves_agree") == false);
            CHECK(made(allocation::mm_rope, base).error() ==
                  status{errc::pattern_cut, operand::pair, 0, 16, rotary_dim / 2});
            CHECK(made(by_channel, base).error().code == errc::channels_disagree);
            continue;
        }
        REQUIRE(c.at("halves_agree") == true);
        const auto own = made(allocation::mm_rope, base), written = made(by_channel, base);
        REQUIRE(own.ok());
        REQUIRE(written.ok());
        compare_units(one, *own, c.at("inv_freq"));
        for (index_t l = 0; l < own->pairs(); ++l) {
            CHECK(one.equal(static_cast<int>(own->at(0, l).which),
                            c.at("axis_per_pair")[static_cast<std::size_t>(l)].get<int>()));
            CHECK(written->at(0, l).which == own->at(0, l).which);
        }
        // Per channel, so each value twice.
        json tokens = json::array();
        const auto half = static_cast<std::ptrdiff_t>(rotary_dim / 2);
        for (const char* const part : {"first", "second"}) {
            const std::ptrdiff_t skip = part == std::string("first") ? 0 : half;
            for (const json& token : c.at("tokens")) {
                const auto cut = [&](const char* key) {
                    const auto all = token.at(key).get<std::vector<float>>();
                    return std::vector<float>(all.begin() + skip, all.begin() + skip + half);
                };
                tokens.push_back(
                    {{"pos", token["pos"]}, {"cos", cut("cos_per_channel")}, {"sin", cut("sin_per_channel")}});
            }
        }
        const auto inv_freq = c["inv_freq"].get<std::vector<float>>();
        const spectrum::explicit_frequencies<float> stored{inv_freq.data(), own->pairs()};
        check_cosines_and_sines(one, float32_rotary(made(allocation::mm_rope, stored)), tokens);
    }
}

TEST_CASE("Omni-RoPE restarts its spectrum on every axis, in double to 1e-12", "[golden]") {
    const char* const file = "research/omnirope.json";
    const auto table_of = [](const json& params) {
        const thw channels = sections_of(params.at("axes_dim"));
        return make_frequency_table(allocation::chunked{thw{channels.t / 2, channels.h / 2, channels.w / 2}},
                                    spectrum::per_axis{spectrum::geometric{params.at("theta").get<double>()}},
                                    channels.t + channels.h + channels.w, pairing::adjacent);
    };
    int with_frequencies = 0;
    for (std::size_t i = 0; i < golden(file).at("official_cases").size(); ++i) {
        if (!golden(file)["official_cases"][i].contains("frequency")) continue;
        golden_case one(file, "official_cases", i);
        const json& c = one.data();
        INFO(one.name());
        ++with_frequencies;
        const auto table = table_of(c.at("params"));
        REQUIRE(table.ok());
        for (index_t l = 0; l < table->pairs(); ++l)
            CHECK(one.equal(static_cast<int>(table->at(0, l).which),
                            c.at("axis_per_pair")[static_cast<std::size_t>(l)].get<int>()));
        for (const json& token : c.at("frequency")) {
            for (index_t l = 0; l < table->pairs(); ++l) {
                const pair_frequency& pair = table->at(0, l);
                const auto at = static_cast<std::size_t>(l);
                const double angle =
                    token.at("pos")[static_cast<std::size_t>(pair.which)].get<double>() * pair.frequency;
                CHECK(one.within(std::cos(angle), token.at("cos")[at].get<double>(), 1e-12));
                CHECK(one.within(std::sin(angle), token.at("sin")[at].get<double>(), 1e-12));
            }
        }
        check_cosines_and_sines(one, make_rotary(*table).value(), c["frequency"]);
    }
    CHECK(with_frequencies > 0);
    for (std::size_t i = 0; i < golden(file).at("apply_cases").size(); ++i) {
        golden_case one(file, "apply_cases", i);
        const json& c = one.data();
        INFO(one.name());
        // [token][head][channel] and [token][axis] here; [head][token][channel] and [axis][token] there.
        const auto turned = [](const json& list) {
            json all = json::array();
            for (std::size_t m = 0; m < list[0].size(); ++m) {
                json row = json::array();
                for (const json& token : list) row.push_back(token[m]);
                all.push_back(row);
            }
            return all;
        };
        const json x = turned(c.at("x")), y = turned(c.at("y"));
        check_rotation(one, make_rotary(table_of(c.at("params")).value()).value(), turned(c.at("position_ids")),
                       {{"q", x}, {"k", x}}, {{"q_out", y}, {"k_out", y}});
    }
}

TEST_CASE("openPangu-VL's axes are spread as in vLLM", "[golden]") {
    const char* const file = "models/openpangu_vl.json";
    for (std::size_t i = 0; i < golden(file).at("axis_of_pair_cases").size(); ++i) {
        golden_case one(file, "axis_of_pair_cases", i);
        const json& c = one.data();
        INFO(one.name());
        const allocation::even_interleaved axes{sections_of(c.at("mrope_section"))};
        const auto right = c.at("axis_of_pair").get<std::vector<int>>();
        REQUIRE(axes.validate(static_cast<index_t>(right.size())).ok());
        for (std::size_t l = 0; l < right.size(); ++l)
            CHECK(one.equal(static_cast<int>(axes(static_cast<index_t>(l), 0)), right[l]));
    }
}
