#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/frequency_table.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/interop/rope_config.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace polyrope;
using nlohmann::json;

namespace {

struct reading {
    status error;
    std::string sentence;
    std::string refused;
    interop::rope_config config;
    std::vector<std::string> used;
};

reading read(const char* text) {
    interop::config_report report;
    const auto made = interop::read_rope(json::parse(text), &report);
    reading r{made.error(), to_string(made.error()).c_str(), report.refused, {}, report.used};
    if (made.ok()) r.config = *made;
    return r;
}

bool is(thw found, index_t t, index_t h, index_t w) { return found.t == t && found.h == h && found.w == w; }

}  // namespace

TEST_CASE("fault 32: a model ran one-dimensional because its type reads default or its key has the other spelling",
          "[fault]") {
    const auto old_spelling = read(R"({"rope_scaling": {"type": "default", "mrope_section": [16, 24, 24]}})");
    REQUIRE(old_spelling.error.ok());
    CHECK(is(old_spelling.config.sections, 16, 24, 24));
    CHECK_FALSE(old_spelling.config.interleaved);
    CHECK(old_spelling.used ==
          std::vector<std::string>{"rope_scaling", "rope_scaling.type", "rope_scaling.mrope_section"});

    const auto new_spelling = read(
        R"({"rope_parameters": {"rope_type": "default", "mrope_section": [24, 20, 20], "mrope_interleaved": true}})");
    REQUIRE(new_spelling.error.ok());
    CHECK(is(new_spelling.config.sections, 24, 20, 20));
    CHECK(new_spelling.config.interleaved);

    // Both give more than one axis.
    CHECK(make_frequency_table(allocation::chunked{old_spelling.config.sections}, spectrum::geometric{1e6}, 128,
                               pairing::half_split)
              ->axes() == 3);
    CHECK(make_frequency_table(allocation::interleaved{new_spelling.config.sections}, spectrum::geometric{5e6}, 128,
                               pairing::half_split)
              ->axes() == 3);

    // An unknown key is an error, and so is a multi-axis model without sections.
    const auto unknown =
        read(R"({"rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24], "mrope_sections": 3}})");
    CHECK(unknown.sentence == "configuration: rope_scaling has a value that is not known");
    CHECK(unknown.refused == "rope_scaling.mrope_sections");
    CHECK(
        read(R"({"rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24], "factor": 2}})").sentence ==
        "configuration: rope_parameters has a value that is not known");
    for (const char* const text :
         {R"({"rope_scaling": {"type": "mrope"}})", R"({"rope_scaling": null, "rope_theta": 1e6})", R"({})"})
        CHECK(read(text).sentence == "configuration: mrope_section is missing");
}

TEST_CASE("fault 33: bad sections in a configuration are refused as such", "[fault]") {
    const auto with = [](const std::string& sections) {
        return read(("{\"rope_scaling\": {\"mrope_section\": " + sections + "}}").c_str());
    };
    CHECK(with("[]").sentence == "mrope_section: entry 0 is 0, and must be 3");
    CHECK(with("[11, 11]").sentence == "mrope_section: entry 0 is 2, and must be 3");
    CHECK(with("[-1, 17, 16]").sentence == "section 0 holds -1 pairs");
    CHECK(with("[11, 11, 10, 0]").sentence == "mrope_section: entry 0 is 4, and must be 3");
    CHECK(with("[11, 11, 10.0]").error == status{errc::value_type, operand::mrope_section, 2, 0, 0});
    CHECK(with("[\"11\", 11, 10]").error == status{errc::value_type, operand::mrope_section, 0, 0, 0});
    CHECK(with("[null, 11, 10]").error.code == errc::value_type);
    CHECK(with("24").error.code == errc::value_type);
    CHECK(with("{\"t\": 11}").error.code == errc::value_type);
    // Past 64 bits: the sum does not fit, so no table comes of it.
    const auto huge = with("[18446744073709551615, 11, 10]");
    REQUIRE(huge.error.ok());
    CHECK(make_frequency_table(allocation::chunked{huge.config.sections}, spectrum::geometric{1e6}, 64,
                               pairing::half_split)
              .error()
              .code == errc::size_overflow);
}

TEST_CASE("a scaling that is not supported is refused by its name") {
    for (const char* const type : {"dynamic", "longrope", "proportional", "su", "", "MROPE", "YaRN"}) {
        json config;
        config["rope_scaling"] = {{"rope_type", type}, {"mrope_section", {16, 24, 24}}, {"factor", 4.0}};
        interop::config_report report;
        const auto made = interop::read_rope(config, &report);
        CHECK(made.error() == status{errc::value_unknown, operand::rope_type, 0, 0, 0});
        CHECK(report.refused == "rope_scaling.rope_type");
    }
    CHECK(read(R"({"rope_scaling": {"type": "mrope", "rope_type": "default", "mrope_section": [16, 24, 24]}})")
              .error.ok());
    CHECK(read(R"({"rope_scaling": {"type": 3, "mrope_section": [16, 24, 24]}})").error.code == errc::value_type);
}

TEST_CASE("a key in several places must say the same in all of them") {
    const auto agree = read(R"({"rope_theta": 5000000,
                                "rope_scaling": {"mrope_section": [24, 20, 20]},
                                "text_config": {"rope_theta": 5e6, "rope_scaling": null,
                                                "rope_parameters": {"mrope_section": [24, 20, 20],
                                                                     "rope_theta": 5000000.0}}})");
    INFO(agree.sentence);
    REQUIRE(agree.error.ok());
    CHECK(agree.config.theta == 5e6);

    CHECK(read(R"({"rope_theta": 1000000, "rope_parameters": {"mrope_section": [24, 20, 20], "rope_theta": 5000000}})")
              .sentence == "configuration: rope_theta is given twice with different values (5000000 and 1000000)");
    const auto sections = read(
        R"({"rope_scaling": {"mrope_section": [24, 20, 20]}, "rope_parameters": {"mrope_section": [16, 24, 24]}})");
    CHECK(sections.sentence == "configuration: mrope_section is given twice with different values (24 and 16)");
    CHECK(sections.refused == "rope_parameters.mrope_section");
    CHECK(read(
              R"({"rope_scaling": {"mrope_section": [24, 20, 20], "mrope_interleaved": true},
                       "rope_parameters": {"mrope_interleaved": false}})")
              .sentence == "configuration: mrope_interleaved is given twice with different values (1 and 0)");
    CHECK(read(
              R"({"partial_rotary_factor": 0.5,
                       "rope_parameters": {"mrope_section": [24, 20, 20], "partial_rotary_factor": 0.25}})")
              .error.code == errc::key_conflict);
}

TEST_CASE("numbers that no model has are refused") {
    const auto with = [](const std::string& more) {
        return read(("{\"rope_scaling\": {\"mrope_section\": [16, 24, 24]}, " + more + "}").c_str()).error;
    };
    CHECK(with("\"rope_theta\": 0").code == errc::value_invalid);
    CHECK(with("\"rope_theta\": -1e6").code == errc::value_invalid);
    CHECK(with("\"rope_theta\": 1.5e15").code == errc::value_invalid);
    CHECK(with("\"rope_theta\": \"1e6\"").code == errc::value_type);
    CHECK(with("\"rope_theta\": [1e6]").code == errc::value_type);
    CHECK(with("\"rope_theta\": true").code == errc::value_type);
    CHECK(with("\"partial_rotary_factor\": 1.5").code == errc::value_invalid);
    CHECK(with("\"partial_rotary_factor\": 0").code == errc::value_invalid);
    CHECK(with("\"partial_rotary_factor\": 0.25").ok());
    CHECK(with("\"rope_parameters\": {\"mrope_interleaved\": 1}").code == errc::value_type);
    CHECK(with("\"rope_parameters\": []").code == errc::value_type);
    CHECK(with("\"text_config\": 7").code == errc::value_type);
    for (const char* const text : {"[]", "3", "null", "\"rope_scaling\"", "true"})
        CHECK(read(text).error == status{errc::value_type, operand::document, 0, 0, 0});
    CHECK(interop::read_rope(json(json::value_t::discarded)).error().code ==
          errc::value_type);  // a text that does not parse
}
