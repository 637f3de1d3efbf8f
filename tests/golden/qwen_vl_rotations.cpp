// Queries and keys of Qwen2-VL, Qwen2.5-VL and Qwen3-VL.

#include "golden/rotation_cases.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/interleaved.hpp"

using namespace polyrope;
using namespace polyrope::test;

TEST_CASE("rotations of Qwen2-VL, Qwen2.5-VL and Qwen3-VL are the references': bfloat16 to the bit", "[golden]") {
    const table_maker chunked = [](const json& one, const auto& stored) {
        return make_frequency_table(allocation::chunked{sections_of(one["rope_parameters"]["mrope_section"])}, stored,
                                    2 * stored.pairs, pairing::half_split);
    };
    const table_maker interleaved = [](const json& one, const auto& stored) {
        return make_frequency_table(allocation::interleaved{sections_of(one["rope_parameters"]["mrope_section"])},
                                    stored, 2 * stored.pairs, pairing::half_split);
    };
    check_model_rotations("models/qwen2_vl.json", chunked, rounding::table_cast_each);
    check_model_rotations("models/qwen2_5_vl.json", chunked, rounding::table_cast_each);
    check_model_rotations("models/qwen3_vl.json", interleaved, rounding::table_cast_each);
}
