// Queries and keys of the models whose allocation, pairing or rounding is not Qwen2-VL's: Qwen3.5, the GLM family,
// PaddleOCR-VL, ERNIE-4.5-VL and HunyuanOCR.

#include <vector>

#include "golden/rotation_cases.hpp"
#include "polyrope/frequency/chunked.hpp"
#include "polyrope/frequency/interleaved.hpp"
#include "polyrope/frequency/spatial_first.hpp"

using namespace polyrope;
using namespace polyrope::test;

namespace {

const json& list_of(const json& one, const char* key = "mrope_section") { return one.at("rope_parameters").at(key); }

table_maker chunked(pairing paired) {
    return [paired](const json& one, const auto& stored) {
        return make_frequency_table(allocation::chunked{sections_of(list_of(one))}, stored, 2 * stored.pairs, paired);
    };
}

}  // namespace

TEST_CASE("rotations of Qwen3.5, the GLM family and PaddleOCR-VL are the references': bfloat16 to the bit",
          "[golden]") {
    check_model_rotations(
        "models/qwen3_5.json",
        [](const json& one, const auto& stored) {
            return make_frequency_table(allocation::interleaved{sections_of(list_of(one))}, stored, 2 * stored.pairs,
                                        pairing::half_split);
        },
        rounding::table_cast_each);
    check_model_rotations("models/glm4v.json", chunked(pairing::adjacent), rounding::table_cast_each);
    check_model_rotations("models/glm4v_moe.json", chunked(pairing::half_split), rounding::table_cast_each);
    check_model_rotations("models/glm_ocr.json", chunked(pairing::adjacent), rounding::table_cast_each);
    check_model_rotations("models/paddleocr_vl.json", chunked(pairing::half_split), rounding::table_cast_each);
}

TEST_CASE("rotations of ERNIE-4.5-VL are the reference's: bfloat16 to the bit", "[golden]") {
    check_model_rotations(
        "models/ernie4_5_vl.json",
        [](const json& one, const auto& stored) {
            const thw hwt = sections_of(list_of(one));  // its list reads h, w, t
            return make_frequency_table(allocation::spatial_first{thw{hwt.w, hwt.t, hwt.h}}, stored, 2 * stored.pairs,
                                        pairing::adjacent);
        },
        rounding::float32_unfused,
        // Stored with the frequencies of rows first, then those of columns, then those of time.
        [](const json& one) {
            const auto stored = one.at("inv_freq").get<std::vector<float>>();
            const std::size_t rows = list_of(one)[0].get<std::size_t>(), columns = list_of(one)[1].get<std::size_t>();
            std::vector<float> by_pair = stored;
            for (std::size_t l = 0; l < rows + columns; ++l) by_pair[l] = stored[l % 2 == 0 ? l / 2 : rows + l / 2];
            return by_pair;
        });
}

TEST_CASE("rotations of HunyuanOCR by its checkpoint's rule are vLLM's: bfloat16 to the bit", "[golden]") {
    check_model_rotations(
        "models/hunyuan_vl.json",
        [](const json& one, const auto& stored) {
            const json& pairs = list_of(one, "xdrope_section");
            // The file's rows are position, width, height, image, whatever the library's layout calls them.
            const section rows[] = {{axis::t, pairs[0].get<index_t>()},
                                    {axis::h, pairs[1].get<index_t>()},
                                    {axis::w, pairs[2].get<index_t>()},
                                    {axis::u, pairs[3].get<index_t>()}};
            return make_frequency_table(allocation::chunked{rows}, stored, 2 * stored.pairs, pairing::half_split);
        },
        rounding::table_cast_each);
}
