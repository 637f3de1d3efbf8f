// Presets of the models that are layout::mrope with switches: the published numbers and the head drawn in the header.
// Their cases are in tests/golden.

#include <fstream>
#include <sstream>
#include <string>

#include "polyrope/preset/ernie4_5_vl.hpp"
#include "polyrope/preset/glm4v.hpp"
#include "polyrope/preset/glm4v_moe.hpp"
#include "polyrope/preset/glm_image.hpp"
#include "polyrope/preset/glm_ocr.hpp"
#include "polyrope/preset/hunyuan_vl.hpp"
#include "polyrope/preset/keye_vl.hpp"
#include "polyrope/preset/keye_vl1_5.hpp"
#include "polyrope/preset/openpangu_vl.hpp"
#include "polyrope/preset/paddleocr_vl.hpp"
#include "polyrope/preset/qwen3_5.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace polyrope;

namespace {

template <class Preset>
void check_drawn(const Preset& preset, const std::string& name) {
    INFO(name);
    const auto model = preset.make();
    INFO(to_string(model.error()).c_str());
    REQUIRE(model.ok());
    std::string letters;
    for (index_t l = 0; l < model->frequencies.pairs(); ++l) letters += letter(model->frequencies.at(0, l).which);
    std::ifstream file(POLYROPE_INCLUDE_DIR "/polyrope/preset/" + name + ".hpp");
    std::stringstream header;
    header << file.rdbuf();
    CHECK(header.str().find("//     " + letters + " ") != std::string::npos);
}

template <class Preset>
void check_sections(Preset odd) {
    odd.sections.w += 1;
    CHECK(odd.make().error().code == errc::section_mismatch);
}

template <class Preset>
void check_published(const Preset& preset, const std::string& name) {
    INFO(name);
    const auto& published = test::golden("models/" + name + ".json").at("published_configs").at(0);
    const bool hwt = published.contains("mrope_section_hwt");
    const auto& sections = published.at(hwt ? "mrope_section_hwt" : "mrope_section");
    const index_t list[3] = {sections[0], sections[1], sections[2]};
    CHECK(preset.sections.t == list[hwt ? 2 : 0]);
    CHECK(preset.sections.h == list[hwt ? 0 : 1]);
    CHECK(preset.sections.w == list[hwt ? 1 : 2]);
    if (published.contains("rope_theta")) CHECK(preset.theta == published["rope_theta"].template get<double>());
    CHECK(preset.shape.head_dim == published.at("head_dim").template get<index_t>());
    CHECK(static_cast<double>(preset.rotary_dim) ==
          published.value("partial_rotary_factor", 1.0) * static_cast<double>(preset.shape.head_dim));
    CHECK((preset.paired == pairing::half_split) == (published.at("pairing") == "neox"));
    CHECK(preset.spatial_merge == published.value("spatial_merge_size", index_t{2}));
    CHECK(preset.temporal_merge == published.value("temporal_merge_size", index_t{1}));
    check_drawn(preset, name);
    check_sections(preset);
}

}  // namespace

TEST_CASE("the defaults of the grid presets are the published configurations") {
    check_published(preset::glm4v{}, "glm4v");
    check_published(preset::glm4v_moe{}, "glm4v_moe");
    check_published(preset::glm_ocr{}, "glm_ocr");
    check_drawn(preset::glm_image{}, "glm_image");
    check_published(preset::ernie4_5_vl{}, "ernie4_5_vl");
    check_published(preset::paddleocr_vl{}, "paddleocr_vl");
    check_published(preset::keye_vl{}, "keye_vl");
    check_published(preset::keye_vl1_5{}, "keye_vl1_5");
    check_published(preset::qwen3_5{}, "qwen3_5");
}

TEST_CASE("the defaults of Hunyuan-VL are HunyuanOCR's, and three axes leave the position out") {
    preset::hunyuan_vl preset;
    const auto& published = test::golden("models/hunyuan_vl.json").at("published_configs").at(0);
    CHECK(preset.theta == published.at("rope_theta").get<double>());
    CHECK(preset.alpha == published.at("alpha").get<double>());
    CHECK(preset.shape.head_dim == published.at("head_dim").get<index_t>());
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(published.at("xdrope_section")[i].get<index_t>() == (i == 0   ? preset.position_pairs
                                                                   : i == 1 ? preset.width_pairs
                                                                   : i == 2 ? preset.height_pairs
                                                                            : preset.image_pairs));
    CHECK(published.at("pairing") == "neox");
    check_drawn(preset, "hunyuan_vl");
    const auto model = preset.make();
    CHECK(model->media().slots == image_slots::lines_and_ends);
    CHECK(model->frequencies.at(0, 63).frequency == spectrum::ntk_alpha{1e4, 1000.0}.frequency(63, 128));
    preset.position_pairs = 0;
    CHECK(preset.make().error().code == errc::section_mismatch);
    preset.width_pairs = 32;
    const auto three = preset.make();
    REQUIRE(three.ok());
    CHECK(three->frequencies.axes() == 4);
    for (index_t l = 0; l < 64; ++l) CHECK(three->frequencies.at(0, l).which != axis::t);
}

TEST_CASE("openPangu-VL has no default numbers, and is drawn with those of the header") {
    preset::openpangu_vl model;
    CHECK_FALSE(model.make().ok());
    model.shape = {34, 32, 8, 128};
    CHECK_FALSE(model.make().ok());
    model.theta = 1e6;
    model.sections = {24, 20, 20};
    check_drawn(model, "openpangu_vl");
}

TEST_CASE("what a preset says of its prompts reaches the reader of token ids") {
    const auto ernie = preset::ernie4_5_vl{}.make();
    REQUIRE(ernie.ok());
    prompt_media media = ernie->media();
    CHECK(media.spatial_merge == 2);
    CHECK(media.temporal_merge == 2);
    CHECK(media.runs == video_runs::one_run);
    const patch_grid image{1, 2, 2}, video{5, 2, 4};
    media.images = &image, media.image_count = 1;
    media.videos = &video, media.video_count = 1;
    const vision_ids& id = ernie->ids;
    std::vector<index_t> ids{7, id.start, id.image, id.end, 7, id.video_start};
    ids.insert(ids.end(), 4, id.video);
    ids.push_back(id.video_end);
    const auto segments = segments_of(ids.data(), static_cast<index_t>(ids.size()), id.special(), media);
    INFO(to_string(segments.error()).c_str());
    REQUIRE(segments.ok());
    const auto plan = make_plan(ernie->layout, segments->data(), static_cast<index_t>(segments->size()));
    REQUIRE(plan.ok());
    CHECK(plan->size() == static_cast<index_t>(ids.size()));
    CHECK(plan->coordinates(token_index{8}) == coordinate{{7, 6, 6}});  // the second temporal cell

    // Another start marker than the kind's own opens no run.
    ids[5] = id.start;
    CHECK(segments_of(ids.data(), static_cast<index_t>(ids.size()), id.special(), media).error().code ==
          errc::run_without_marker);
    CHECK(preset::glm4v{}.make()->ids.special().frames_as_images);
    CHECK(preset::qwen3_5{}.make()->media().runs == video_runs::run_of_frame);
}
