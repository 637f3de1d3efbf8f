#pragma once
// Rotary and frequency cases of the golden files. The kernels are compiled once, in rotation_cases.cpp.

#include <functional>
#include <string>
#include <vector>

#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/frequency/section.hpp"
#include "polyrope/rotary/rotary.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/golden_ledger.hpp"

namespace polyrope::test {

using json = nlohmann::json;

inline thw sections_of(const json& list) {
    return {list.at(0).get<index_t>(), list.at(1).get<index_t>(), list.at(2).get<index_t>()};
}

/// [rows][columns] as one list.
template <class T>
std::vector<T> flat(const json& rows) {
    std::vector<T> all;
    for (const json& row : rows)
        for (const json& value : row) all.push_back(value.get<T>());
    return all;
}

/// The table of a rotary case with the reference's own frequencies.
using table_maker =
    std::function<result<frequency_table>(const json& one, const spectrum::explicit_frequencies<float>& stored)>;

/// Every rotary case of a models file: float32 within 1e-6 under `model` and under rounding::once, bfloat16 to the bit
/// under `model`, the rounding of the reference. `inv_freq_of` gives the stored frequencies pair by pair.
void check_model_rotations(
    const std::string& file, const table_maker& make_table, rounding model,
    const std::function<std::vector<float>(const json&)>& inv_freq_of = [](const json& one) {
        return one.at("inv_freq").get<std::vector<float>>();
    });

/// q and k [head, token, channel] of a case turned at positions [axis, token]: float32 outputs within 1e-6 of the
/// stored ones, whole numbers or fractions.
void check_rotation(golden_case& one, const rotary& rope, const json& positions, const json& in, const json& out);

/// Cosines and sines of `tokens`, each a position and a row of pairs, within 1e-6 of a table made of `rope`.
void check_cosines_and_sines(golden_case& one, const rotary& rope, const json& tokens);

/// q and k of a case of a vision tower turned at positions [3, token]: float32 within 1e-6 under `model` and under
/// rounding::once, bfloat16 to the bit under `model`. Returns how many bfloat16 elements rounding::once would give
/// otherwise.
std::int64_t check_tower(golden_case& one, const frequency_table& table, rounding model,
                         const std::vector<std::int32_t>& positions);

}  // namespace polyrope::test
