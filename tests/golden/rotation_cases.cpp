#include "golden/rotation_cases.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/cpu/table.hpp"

namespace polyrope::test {
namespace {

/// [head][token][channel] as [token][head][channel] of T.
template <class T>
std::vector<T> token_first(const json& heads) {
    std::vector<T> all;
    for (std::size_t n = 0; n < heads[0].size(); ++n)
        for (const json& head : heads)
            for (const json& value : head[n]) {
                if constexpr (std::is_same_v<T, float>) all.push_back(value.get<float>());
                else all.push_back(T::from(value.get<float>()));
            }
    return all;
}

template <class T>
heads_view<T> heads_of(std::vector<T>& data, const json& heads) {
    return compact_heads(data.data(), static_cast<index_t>(heads[0].size()), static_cast<index_t>(heads.size()),
                         static_cast<index_t>(heads[0][0].size()));
}

bool equals(float a, float b) { return std::fabs(static_cast<double>(a) - static_cast<double>(b)) <= 1e-6; }
bool equals(bf16 a, bf16 b) { return a.bits == b.bits; }

template <class T>
void compare(golden_case& one, const std::vector<T>& got, const std::vector<T>& right) {
    REQUIRE(got.size() == right.size());
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += equals(got[i], right[i]) ? 0 : 1;
    CHECK(one.compared(static_cast<std::int64_t>(got.size()), wrong));
}

template <class T, class P>
void turn_and_compare(golden_case& one, const rotary& rope, const std::vector<P>& positions, int axes, const json& in,
                      const json& out, const char* q_out, const char* k_out) {
    auto q = token_first<T>(in.at("q")), k = token_first<T>(in.at("k"));
    const auto tokens = static_cast<index_t>(in["q"][0].size());
    const status s =
        cpu::rotate(rope, axis_major(positions.data(), axes, tokens), heads_of(q, in["q"]), heads_of(k, in["k"]));
    INFO(to_string(s).c_str());
    REQUIRE(s.ok());
    compare(one, q, token_first<T>(out.at(q_out)));
    compare(one, k, token_first<T>(out.at(k_out)));
}

}  // namespace

void check_model_rotations(const std::string& file, const table_maker& make_table, rounding model,
                           const std::function<std::vector<float>(const json&)>& inv_freq_of) {
    std::int64_t told_apart = 0;
    for (std::size_t i = 0; i < golden(file).at("rotary_cases").size(); ++i) {
        golden_case one(file, "rotary_cases", i);
        const json& c = one.data();
        INFO(one.name());
        if (one.listed()) continue;
        const std::vector<float> inv_freq = inv_freq_of(c);
        const auto table = make_table(
            c, {inv_freq.data(), static_cast<index_t>(inv_freq.size()), c.at("attention_scaling").get<double>()});
        INFO(to_string(table.error()).c_str());
        REQUIRE(table.ok());
        const auto axes = static_cast<int>(c.at("positions").size());
        const json& expected = c.at("expected");
        const auto turn = [&](const auto& positions) {
            for (const rounding round : {rounding::once, model}) {
                const rotary rope = make_rotary(*table, {phase::float32, round}).value();
                turn_and_compare<float>(one, rope, positions, axes, c, expected.at("float32"), "q", "k");
            }
            const rotary rope = make_rotary(*table, {phase::float32, model}).value();
            turn_and_compare<bf16>(one, rope, positions, axes, c, expected.at("bfloat16"), "q", "k");
            // Another rounding must not give the same bits, or the comparison above would show nothing.
            const rotary other = make_rotary(*table, {phase::float32, rounding::once}).value();
            auto q = token_first<bf16>(c["q"]);
            REQUIRE(cpu::rotate(other, axis_major(positions.data(), axes, static_cast<index_t>(c["q"][0].size())),
                                heads_of(q, c["q"]))
                        .ok());
            const auto right = token_first<bf16>(expected["bfloat16"]["q"]);
            for (std::size_t n = 0; n < q.size(); ++n) told_apart += q[n].bits != right[n].bits ? 1 : 0;
        };
        const auto positions = flat<double>(c["positions"]);
        const bool whole = std::all_of(positions.begin(), positions.end(), [](double x) { return x == std::floor(x); });
        if (whole) turn(flat<std::int32_t>(c["positions"]));
        else turn(flat<float>(c["positions"]));
    }
    CHECK(told_apart > 0);
}

void check_rotation(golden_case& one, const rotary& rope, const json& positions, const json& in, const json& out) {
    turn_and_compare<float>(one, rope, flat<float>(positions), static_cast<int>(positions.size()), in, out, "q_out",
                            "k_out");
}

std::int64_t check_tower(golden_case& one, const frequency_table& table, rounding model,
                         const std::vector<std::int32_t>& positions) {
    const json& c = one.data();
    // Some cases store [token][head][channel].
    const auto heads_first = [&](const json& q_and_k) {
        json all;
        for (const char* which : {"q", "k"}) {
            const json& stored = q_and_k.at(which);
            if (c.at("layout") == "[head][token][channel]") {
                all[which] = stored;
                continue;
            }
            for (std::size_t n = 0; n < stored.size(); ++n)
                for (std::size_t m = 0; m < stored[n].size(); ++m) all[which][m][n] = stored[n][m];
        }
        return all;
    };
    const json in = heads_first(c), narrow = heads_first(c["expected"]["bfloat16"]);
    for (const rounding round : {rounding::once, model})
        turn_and_compare<float>(one, make_rotary(table, {phase::float32, round}).value(), positions, 3, in,
                                heads_first(c["expected"]["float32"]), "q", "k");
    turn_and_compare<bf16>(one, make_rotary(table, {phase::float32, model}).value(), positions, 3, in, narrow, "q",
                           "k");
    auto q = token_first<bf16>(in["q"]);
    const auto right = token_first<bf16>(narrow["q"]);
    const auto tokens = static_cast<index_t>(in["q"][0].size());
    REQUIRE(cpu::rotate(make_rotary(table, {phase::float32, rounding::once}).value(),
                        axis_major(positions.data(), 3, tokens), heads_of(q, in["q"]))
                .ok());
    std::int64_t told_apart = 0;
    for (std::size_t i = 0; i < q.size(); ++i) told_apart += q[i].bits != right[i].bits ? 1 : 0;
    return told_apart;
}

void check_cosines_and_sines(golden_case& one, const rotary& rope, const json& tokens) {
    std::vector<float> positions, want;
    for (const json& token : tokens) {
        for (const json& p : token.at("pos")) positions.push_back(p.get<float>());
        for (const json& v : token.at("cos")) want.push_back(v.get<float>());
        for (const json& v : token.at("sin")) want.push_back(v.get<float>());
    }
    const auto count = static_cast<index_t>(tokens.size());
    std::vector<float> got(want.size());
    REQUIRE(cpu::fill_table(rope, token_major(positions.data(), static_cast<int>(tokens[0]["pos"].size()), count),
                            halves_table(got.data(), count, rope.rotary_dim(), table_rows::tokens))
                .ok());
    compare(one, got, want);
}

}  // namespace polyrope::test
