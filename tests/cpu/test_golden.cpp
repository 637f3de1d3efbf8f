// The stored outputs of the references: rotary cases of the models, rotations and frequency tables
// of the research code.

#include <cmath>
#include <string>
#include <type_traits>

#include "kernels.hpp"
#include "make_rope.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/geometric.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/per_pair.hpp"
#include "support/catch.hpp"
#include "support/comparison_counter.hpp"
#include "support/golden.hpp"

using namespace polyrope;
using namespace polyrope::test;
using nlohmann::json;

namespace {

/// [head][token][channel] as [token][head][channel] of T.
template <class T>
std::vector<T> token_first(const json& heads) {
    std::vector<T> all;
    for (std::size_t n = 0; n < heads[0].size(); ++n)
        for (const json& head : heads)
            for (const json& value : head[n]) {
                const auto v = value.get<float>();
                if constexpr (std::is_same_v<T, float>) {
                    all.push_back(v);
                } else {
                    all.push_back(T::from(v));
                }
            }
    return all;
}

heads_view<float> heads_of(std::vector<float>& data, const json& heads) {
    return compact_heads(data.data(), static_cast<index_t>(heads[0].size()), static_cast<index_t>(heads.size()),
                         static_cast<index_t>(heads[0][0].size()));
}
heads_view<bf16> heads_of(std::vector<bf16>& data, const json& heads) {
    return compact_heads(data.data(), static_cast<index_t>(heads[0].size()), static_cast<index_t>(heads.size()),
                         static_cast<index_t>(heads[0][0].size()));
}

thw sections_of(const json& list) { return {list[0].get<index_t>(), list[1].get<index_t>(), list[2].get<index_t>()}; }

rotary rope_of(const json& c, bool interleaves, rotary_options options) {
    const auto inv_freq = c["inv_freq"].get<std::vector<float>>();
    const auto pairs = static_cast<index_t>(inv_freq.size());
    const spectrum::explicit_frequencies<float> stored{inv_freq.data(), pairs, c["attention_scaling"].get<double>()};
    const thw sections = sections_of(c["rope_parameters"]["mrope_section"]);
    auto table = interleaves
                     ? make_frequency_table(allocation::interleaved{sections}, stored, 2 * pairs, pairing::half_split)
                     : make_frequency_table(allocation::chunked{sections}, stored, 2 * pairs, pairing::half_split);
    return make_rotary(std::move(table).value(), options).value();
}

/// [axes, tokens] of whole numbers.
std::vector<std::int32_t> positions_of(const json& axes) {
    std::vector<std::int32_t> all;
    for (const json& axis_row : axes)
        for (const json& p : axis_row) all.push_back(p.get<std::int32_t>());
    return all;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

std::int64_t differing_bits(const std::vector<bf16>& a, const std::vector<bf16>& b) {
    REQUIRE(a.size() == b.size());
    std::int64_t off = 0;
    for (std::size_t i = 0; i < a.size(); ++i) off += a[i].bits != b[i].bits ? 1 : 0;
    return off;
}

std::int64_t model_rotations(const std::string& model, bool interleaves, comparison_counter& count) {
    for (const json& c : golden("models/" + model + ".json")["rotary_cases"]) {
        const std::string name = model + " " + c["name"].get<std::string>();
        INFO(name);
        count.expect(name);
        const std::vector<std::int32_t> positions = positions_of(c["positions"]);
        const auto tokens = static_cast<index_t>(c["positions"][0].size());
        const auto at = axis_major(positions.data(), 3, tokens);
        for (const rounding round : {rounding::once, rounding::float32_unfused, rounding::table_cast_each}) {
            const rotary rope = rope_of(c, interleaves, {phase::float32, round});
            auto q = token_first<float>(c["q"]), k = token_first<float>(c["k"]);
            REQUIRE(cpu::rotate(rope, at, heads_of(q, c["q"]), heads_of(k, c["k"])).ok());
            CHECK(largest_difference(q, token_first<float>(c["expected"]["float32"]["q"])) <= 1e-6);
            CHECK(largest_difference(k, token_first<float>(c["expected"]["float32"]["k"])) <= 1e-6);
            count.compared(name, static_cast<std::int64_t>(q.size() + k.size()));
        }
        const rotary rope = rope_of(c, interleaves, {phase::float32, rounding::table_cast_each});
        auto q = token_first<bf16>(c["q"]), k = token_first<bf16>(c["k"]);
        REQUIRE(cpu::rotate(rope, at, heads_of(q, c["q"]), heads_of(k, c["k"])).ok());
        CHECK(differing_bits(q, token_first<bf16>(c["expected"]["bfloat16"]["q"])) == 0);
        CHECK(differing_bits(k, token_first<bf16>(c["expected"]["bfloat16"]["k"])) == 0);
        count.compared(name, static_cast<std::int64_t>(q.size() + k.size()));
    }
    return count.total();
}

}  // namespace

TEST_CASE(
    "rotations of Qwen2-VL, Qwen2.5-VL and Qwen3-VL are the references': float32 within 1e-6, bfloat16 to the bit") {
    comparison_counter count;
    CHECK(model_rotations("qwen2_vl", false, count) == 4 * (2688 + 336 + 336));
    CHECK(model_rotations("qwen2_5_vl", false, count) == 4 * (2688 + 336 + 336 + 1792 + 1792));
    CHECK(model_rotations("qwen3_vl", true, count) == 4 * (2688 + 336 + 336 + 1792 + 1792 + 2688 + 336 + 336 + 336));
    CHECK(count.unaccounted().empty());
    CHECK(count.skips().empty());
}

TEST_CASE("stored bfloat16 outputs tell the roundings apart") {
    // The same cases under another rounding must not all pass, or the bit comparison above would show nothing.
    std::int64_t off = 0;
    for (const json& c : golden("models/qwen3_vl.json")["rotary_cases"]) {
        const std::vector<std::int32_t> positions = positions_of(c["positions"]);
        const rotary rope = rope_of(c, true, {phase::float32, rounding::once});
        auto q = token_first<bf16>(c["q"]);
        REQUIRE(cpu::rotate(rope, axis_major(positions.data(), 3, static_cast<index_t>(c["positions"][0].size())),
                            heads_of(q, c["q"]))
                    .ok());
        off += differing_bits(q, token_first<bf16>(c["expected"]["bfloat16"]["q"]));
    }
    CHECK(off > 100);
}

TEST_CASE("rotations of the research code are the reference's within 1e-6") {
    comparison_counter count;
    for (const json& c : golden("research/apply_rotate_half.json")["cases"]) {
        const std::string name = c["name"];
        INFO(name);
        count.expect(name);
        const thw sections = sections_of(c["params"]["mrope_section"]);
        const auto rotary_dim = c["params"]["head_dim"].get<index_t>();
        const spectrum::geometric base{c["params"]["base"].get<double>()};
        // VideoRoPE: rows and columns take turns over the first pairs, time has the rest.
        std::vector<axis> which;
        for (index_t l = 0; l < rotary_dim / 2; ++l)
            which.push_back(l >= sections.h + sections.w ? axis::t : l % 2 == 0 ? axis::h : axis::w);
        auto table = name == "videorope"
                         ? make_frequency_table(allocation::per_pair{which.data(), rotary_dim / 2}, base, rotary_dim,
                                                pairing::half_split)
                         : make_frequency_table(allocation::chunked{sections}, base, rotary_dim, pairing::half_split);
        const rotary rope = make_rotary(std::move(table).value()).value();
        std::vector<float> positions;
        for (const json& row : c["position_ids"])
            for (const json& p : row) positions.push_back(p.get<float>());
        auto q = token_first<float>(c["q"]), k = token_first<float>(c["k"]);
        const auto tokens = static_cast<index_t>(c["position_ids"][0].size());
        REQUIRE(
            cpu::rotate(rope, axis_major(positions.data(), 3, tokens), heads_of(q, c["q"]), heads_of(k, c["k"])).ok());
        CHECK(largest_difference(q, token_first<float>(c["q_out"])) <= 1e-6);
        CHECK(largest_difference(k, token_first<float>(c["k_out"])) <= 1e-6);
        count.compared(name, static_cast<std::int64_t>(q.size() + k.size()));
    }
    CHECK(count.unaccounted().empty());
    CHECK(count.total() == 192 + 192 + 288);
}

TEST_CASE("tables made from the stored frequencies of the research code are the reference's within 1e-6") {
    std::int64_t compared = 0;
    for (const std::string file : {"vanilla", "mrope", "mrope_i"}) {
        for (const json& c : golden("research/" + file + ".json")["frequency_cases"]) {
            INFO(file << " " << c["params"].dump());
            const auto inv_freq = c["inv_freq"].get<std::vector<float>>();
            const auto pairs = static_cast<index_t>(inv_freq.size());
            const spectrum::explicit_frequencies<float> stored{inv_freq.data(), pairs};
            std::vector<axis> which;
            for (const json& a : c["axis_per_pair"]) which.push_back(static_cast<axis>(a.get<int>()));
            std::vector<result<frequency_table>> tables;
            tables.push_back(make_frequency_table(allocation::per_pair{which.data(), pairs}, stored, 2 * pairs,
                                                  pairing::half_split));
            if (file == "mrope")
                tables.push_back(make_frequency_table(allocation::chunked{sections_of(c["params"]["mrope_section"])},
                                                      stored, 2 * pairs, pairing::half_split));
            if (file == "mrope_i")
                tables.push_back(
                    make_frequency_table(allocation::interleaved{sections_of(c["params"]["mrope_section"])}, stored,
                                         2 * pairs, pairing::half_split));
            for (const auto& table : tables) {
                REQUIRE(table.ok());
                const rotary rope = make_rotary(*table, {phase::float32, rounding::once}).value();
                std::vector<float> positions, want;
                const auto tokens = static_cast<index_t>(c["tokens"].size());
                for (const json& token : c["tokens"]) {
                    for (const json& p : token["pos"]) positions.push_back(p.get<float>());
                    for (const json& v : token["cos"]) want.push_back(v.get<float>());
                    for (const json& v : token["sin"]) want.push_back(v.get<float>());
                }
                std::vector<float> got(want.size());
                REQUIRE(cpu::fill_table(rope, token_major(positions.data(), 3, tokens),
                                        halves_table(got.data(), tokens, 2 * pairs, table_rows::tokens))
                            .ok());
                CHECK(largest_difference(got, want) <= 1e-6);
                compared += static_cast<std::int64_t>(got.size());
            }
        }
    }
    // Rows of 2 x pairs numbers; mrope and mrope_i are compared twice, by axis list and by rule.
    CHECK(compared == 6 * 128 + 4 * 64 + 2 * 6 * (128 + 64 + 32) + 2 * 6 * (128 + 64 + 80 + 32 + 64 + 128));
}
