// Scaled spectra: every case of models/rope_scaling.json under every reference that answered it.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "golden/frequency_cases.hpp"
#include "polyrope/frequency/dynamic_ntk.hpp"
#include "polyrope/frequency/linear.hpp"
#include "polyrope/frequency/llama3.hpp"
#include "polyrope/frequency/longrope.hpp"
#include "polyrope/frequency/ntk_alpha.hpp"
#include "polyrope/frequency/proportional.hpp"
#include "polyrope/frequency/single_axis.hpp"
#include "polyrope/frequency/yarn.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

/// One case under one label: the table that the switches of the library make of it.
struct scaling_case {
    const json& data;
    std::string label;
    const json& parameters = data.at("rope_parameters");

    double number(const char* key, double otherwise = 0.0) const { return parameters.value(key, otherwise); }
    index_t length(const char* key, index_t otherwise = 0) const { return parameters.value(key, otherwise); }
    double theta() const { return number("rope_theta"); }
    index_t max_length() const { return data.at("max_position_embeddings").get<index_t>(); }
    index_t seq_len() const { return data.at("seq_len").is_null() ? 0 : data.at("seq_len").get<index_t>(); }

    /// Channels that rotate.
    index_t rotary_dim(bool whole_head) const {
        const auto head_dim = data.at("head_dim").get<index_t>();
        if (whole_head) return head_dim;
        return static_cast<index_t>(static_cast<double>(head_dim) * number("partial_rotary_factor", 1.0));
    }

    template <class Spectrum>
    result<frequency_table> table(const Spectrum& s, bool whole_head = false) const {
        return make_frequency_table(allocation::single_axis{}, s, rotary_dim(whole_head), pairing::half_split);
    }

    result<frequency_table> table() const {
        const auto type = parameters.at("rope_type").get<std::string>();
        if (type == "default") return table(spectrum::geometric{theta()});
        if (type == "linear") return table(spectrum::linear{theta(), number("factor")});
        if (type == "dynamic")
            return table(spectrum::dynamic_ntk{theta(), number("factor"), max_length()}.at_length(seq_len()));
        if (type == "llama3")
            return table(spectrum::llama3{theta(), number("factor"), number("low_freq_factor"),
                                          number("high_freq_factor"), length("original_max_position_embeddings")});
        if (type == "proportional")
            return table(spectrum::proportional{theta(), number("partial_rotary_factor", 1.0), number("factor", 1.0)},
                         true);
        // The Hugging Face class rotates whole heads whatever the configuration says.
        if (type == "ntk_alpha") return table(spectrum::ntk_alpha{theta(), number("alpha")}, label != "vllm-2026-05");
        if (type == "longrope") {
            const auto short_list = parameters.at("short_factor").get<std::vector<double>>(),
                       long_list = parameters.at("long_factor").get<std::vector<double>>();
            spectrum::longrope<double> rule{theta(),
                                            short_list.data(),
                                            long_list.data(),
                                            static_cast<index_t>(short_list.size()),
                                            length("original_max_position_embeddings"),
                                            max_length(),
                                            number("factor"),
                                            number("attention_factor")};
            if (label == "hf-4.57.6") rule.from = spectrum::longrope_factor::ratio;
            return table(rule.at_length(seq_len()));
        }
        REQUIRE(type == "yarn");
        spectrum::yarn rule{theta(), number("factor"), length("original_max_position_embeddings")};
        rule.beta_fast = number("beta_fast", 32.0);
        rule.beta_slow = number("beta_slow", 1.0);
        rule.attention_factor = number("attention_factor");
        rule.mscale = number("mscale");
        rule.mscale_all_dim = number("mscale_all_dim");
        rule.truncate = parameters.value("truncate", true);
        rule.correction_length = length("correction_range_original_max_position_embeddings");
        return table(rule);
    }
};

}  // namespace

TEST_CASE("scaled spectra are within 4 units of the references'", "[golden]") {
    const char* const file = "models/rope_scaling.json";
    int farthest = 0;
    for (std::size_t i = 0; i < golden(file).at("scaling_cases").size(); ++i) {
        golden_case one(file, "scaling_cases", i);
        for (const json& expected : one.data().at("expected")) {
            for (const json& label : expected.at("refs")) {
                INFO(one.name() << " " << label);
                const auto table = scaling_case{one.data(), label.get<std::string>()}.table();
                INFO(to_string(table.error()).c_str());
                REQUIRE(table.ok());
                const auto right = expected["value"].at("inv_freq").get<std::vector<float>>();
                REQUIRE(right.size() == static_cast<std::size_t>(table->pairs()));
                for (index_t l = 0; l < table->pairs(); ++l) {
                    const float stored = right[static_cast<std::size_t>(l)];
                    const int apart = units_between(table->at(0, l).inv_freq, stored);
                    farthest = std::max(farthest, apart);
                    CAPTURE(l, table->at(0, l).inv_freq, stored);
                    CHECK(one.compared(1, apart <= 4 ? 0 : 1));
                }
                CHECK(one.within(table->attention_scaling(), expected["value"].at("attention_factor").get<double>(),
                                 1e-15));
            }
        }
    }
    CHECK(farthest > 0);
}
