// Presets with audio: the published numbers and the head drawn in the header. Their cases are in tests/golden.

#include <fstream>
#include <sstream>
#include <string>

#include "polyrope/preset/qwen2_5_omni.hpp"
#include "polyrope/preset/qwen3_omni.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace polyrope;

namespace {

template <class Preset>
void check_published(const Preset& preset, const std::string& name) {
    INFO(name);
    const auto& published = test::golden("models/" + name + ".json").at("published_configs").at(0);
    CHECK(preset.theta == published.at("rope_theta").template get<double>());
    CHECK(preset.sections.t == published.at("mrope_section")[0].template get<index_t>());
    CHECK(preset.sections.h == published.at("mrope_section")[1].template get<index_t>());
    CHECK(preset.sections.w == published.at("mrope_section")[2].template get<index_t>());
    CHECK(preset.shape.head_dim == published.at("head_dim").template get<index_t>());
    CHECK(preset.positions_per_second == published.at("position_id_per_seconds").template get<index_t>());
    const auto model = preset.make();
    REQUIRE(model.ok());
    CHECK(model->frequencies.paired() == pairing::half_split);
    std::string letters;
    for (index_t l = 0; l < model->frequencies.pairs(); ++l) letters += letter(model->frequencies.at(0, l).which);
    std::ifstream file(POLYROPE_INCLUDE_DIR "/polyrope/preset/" + name + ".hpp");
    std::stringstream header;
    header << file.rdbuf();
    CHECK(header.str().find("//     " + letters + " ") != std::string::npos);
    auto odd = preset;
    odd.sections.w += 1;
    CHECK(odd.make().error().code == errc::section_mismatch);
}

}  // namespace

TEST_CASE("the defaults of the presets with audio are the published configurations") {
    check_published(preset::qwen2_5_omni{}, "qwen2_5_omni");
    check_published(preset::qwen3_omni{}, "qwen3_omni");
    CHECK(preset::qwen2_5_omni{}.layout().positions_per_chunk == 50);
}
