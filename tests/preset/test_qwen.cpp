// Each preset against its reference: the published numbers, the positions of every stored case from token ids on, the
// frequencies and the turned queries and keys.

#include "polyrope/cpu/rotate.hpp"
#include "polyrope/frequency/explicit_frequencies.hpp"
#include "polyrope/layout/seconds.hpp"
#include "polyrope/preset/qwen2_5_vl.hpp"
#include "polyrope/preset/qwen2_vl.hpp"
#include "polyrope/preset/qwen3_vl.hpp"
#include "support/catch.hpp"
#include "support/comparison_counter.hpp"
#include "support/golden.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace polyrope;
using nlohmann::json;

namespace {

template <class Preset>
void check_published(const Preset& preset, const std::string& file) {
    INFO(file);
    const auto& published = test::golden(file).at("published_configs").at(0);
    CHECK(preset.theta == published.at("rope_theta").get<double>());
    CHECK(preset.sections.t == published.at("mrope_section")[0].get<index_t>());
    CHECK(preset.sections.h == published.at("mrope_section")[1].get<index_t>());
    CHECK(preset.sections.w == published.at("mrope_section")[2].get<index_t>());
    CHECK(preset.shape.head_dim == published.at("head_dim").get<index_t>());
    CHECK(preset.rotary_dim == published.at("head_dim").get<index_t>());
    CHECK(preset.spatial_merge == published.at("spatial_merge_size").get<index_t>());
    CHECK(published.at("pairing").get<std::string>() == "neox");
    CHECK(preset.make()->frequencies.paired() == pairing::half_split);
}

std::vector<patch_grid> grids_of(const json& list) {
    std::vector<patch_grid> grids;
    if (list.is_array())
        for (const json& g : list) grids.push_back({g[0], g[1], g[2]});
    return grids;
}

// Positions of every case that vLLM was run on: it has no padding, and the advance that is the presets' default.
template <class Preset>
void check_positions(Preset preset, const std::string& file, test::comparison_counter& count) {
    const auto& golden = test::golden(file);
    const auto& ids = golden.at("special_tokens");
    preset.ids = {ids.at("vision_start"), ids.at("vision_end"), ids.at("image"), ids.at("video")};
    const auto model = preset.make();
    REQUIRE(model.ok());
    for (const auto& one : golden.at("position_cases")) {
        for (const auto& expected : one.at("expected").at("position_ids")) {
            const auto& refs = expected.at("refs");
            if (std::find(refs.begin(), refs.end(), "vllm-2026-05") == refs.end()) continue;
            const std::string name = file + " " + one.at("name").get<std::string>();
            INFO(name);
            count.expect(name);
            const auto images = grids_of(one.at("image_grid_thw")), videos = grids_of(one.at("video_grid_thw"));
            std::vector<seconds_per_grid> seconds(videos.size(), {1, 1});
            if (one.contains("second_per_grid_ts") && one["second_per_grid_ts"].is_array())
                for (std::size_t i = 0; i < videos.size(); ++i)
                    seconds[i] = simplest_seconds(one["second_per_grid_ts"][i].get<double>());
            prompt_media media;
            media.images = images.data();
            media.image_count = static_cast<index_t>(images.size());
            media.videos = videos.data();
            media.video_count = static_cast<index_t>(videos.size());
            media.seconds = seconds.data();
            media.spatial_merge = model->layout.spatial_merge;
            media.runs = model->runs;
            media_taken taken;
            for (std::size_t row = 0; row < one.at("input_ids").size(); ++row) {
                const auto tokens = one["input_ids"][row].get<std::vector<std::int64_t>>();
                const auto size = static_cast<index_t>(tokens.size());
                const auto segments = take_segments(tokens.data(), size, model->ids.special(), media, taken);
                REQUIRE(segments.ok());
                const auto plan = make_plan(model->layout, segments->data(), static_cast<index_t>(segments->size()));
                REQUIRE(plan.ok());
                std::vector<std::int32_t> found(3 * tokens.size());
                REQUIRE(plan->fill(token_index{0}, token_index{size}, axis_major(found.data(), 3, size)).ok());
                std::vector<std::int32_t> right;
                for (const auto& axis_rows : expected.at("value"))
                    for (const auto& position : axis_rows[row]) right.push_back(position.get<std::int32_t>());
                CHECK(found == right);
                count.compared(name, static_cast<std::int64_t>(right.size()));
            }
        }
    }
}

// Queries and keys of the published shape, turned with the reference's own frequencies; those of the preset next to
// them.
template <class Preset>
void check_rotation(const Preset& preset, const std::string& file) {
    INFO(file);
    const auto& one = test::golden(file).at("rotary_cases").at(0);
    REQUIRE(one.at("name").get<std::string>().rfind("published_", 0) == 0);
    const auto inv_freq = one.at("inv_freq").get<std::vector<float>>();
    const auto model =
        preset.make(spectrum::explicit_frequencies{inv_freq.data(), static_cast<index_t>(inv_freq.size())});
    const auto own = preset.make();
    REQUIRE(model.ok());
    REQUIRE(own.ok());
    for (index_t l = 0; l < own->frequencies.pairs(); ++l) {
        const float stored = inv_freq[static_cast<std::size_t>(l)];
        CHECK(model->frequencies.at(0, l).inv_freq == stored);
        CHECK(std::fabs(own->frequencies.at(0, l).inv_freq - stored) <= 4 * 0x1p-23f * stored);
        CHECK(own->frequencies.at(0, l).which == model->frequencies.at(0, l).which);
    }
    rotary_options as_reference;
    as_reference.angle = phase::float32;
    const auto rope = make_rotary(model->frequencies, as_reference);
    REQUIRE(rope.ok());

    const auto tokens = static_cast<index_t>(one.at("positions")[0].size());
    std::vector<std::int32_t> positions;
    for (const auto& axis_row : one.at("positions"))
        for (const auto& p : axis_row) positions.push_back(p.get<std::int32_t>());
    std::int64_t compared = 0;
    for (const char* const name : {"q", "k"}) {
        const auto heads = static_cast<index_t>(one.at(name).size());
        std::vector<float> data;  // [head][token][channel], as stored
        for (const auto& head : one.at(name))
            for (const auto& token : head)
                for (const auto& channel : token) data.push_back(channel.get<float>());
        heads_view<float> view{data.data(), tokens, heads, 128, 128, tokens * 128};
        const status s =
            cpu::rotate(*rope, axis_major<const std::int32_t>(positions.data(), 3, tokens), view, no_heads<float>());
        INFO(to_string(s).c_str());
        REQUIRE(s.ok());
        std::size_t i = 0;
        float worst = 0.0f;
        for (const auto& head : one.at("expected").at("float32").at(name))
            for (const auto& token : head)
                for (const auto& channel : token)
                    worst = std::max(worst, std::fabs(data.at(i++) - channel.get<float>()));
        CHECK(i == data.size());
        CHECK(worst <= 1e-6f);
        compared += static_cast<std::int64_t>(i);
    }
    CHECK(compared >= 2 * tokens * 128);
}

std::string header(const char* name) {
    std::ifstream stream(std::string(POLYROPE_INCLUDE_DIR "/polyrope/preset/") + name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("the defaults are the published configurations") {
    check_published(preset::qwen2_vl{}, "models/qwen2_vl.json");
    check_published(preset::qwen2_5_vl{}, "models/qwen2_5_vl.json");
    check_published(preset::qwen3_vl{}, "models/qwen3_vl.json");
    CHECK(preset::qwen2_5_vl{}.time.tokens_per_second ==
          test::golden("models/qwen2_5_vl.json").at("published_configs").at(0).at("tokens_per_second").get<index_t>());
}

TEST_CASE("a preset places the prompts of its reference from token ids on", "[golden]") {
    test::comparison_counter count;
    check_positions(preset::qwen2_vl{}, "models/qwen2_vl.json", count);
    preset::qwen2_5_vl as_vllm;
    as_vllm.time = floored_product_float32(2);
    check_positions(as_vllm, "models/qwen2_5_vl.json", count);
    check_positions(preset::qwen3_vl{}, "models/qwen3_vl.json", count);
    CHECK(count.unaccounted().empty());
    CHECK(count.skips().empty());
    CHECK(count.total() == 15540);
}

TEST_CASE("Qwen2.5-VL times frames by the exact product unless told otherwise") {
    // 0.7 s a frame at 2 positions a second: frame 5 is at 7, which float32 seconds miss.
    const segment clip[] = {video(patch_grid{6, 2, 2}, seconds_per_grid{7, 10})};
    const auto times = [&](const preset::qwen2_5_vl& p) {
        const auto plan = make_plan(p.layout(), clip, 1);
        std::vector<int> all;
        for (index_t n = 0; n < 6; ++n) all.push_back(static_cast<int>(plan->coordinates(token_index{n})[axis::t]));
        return all;
    };
    preset::qwen2_5_vl other;
    CHECK(times(other) == std::vector<int>{0, 1, 2, 4, 5, 7});
    other.time = floored_product_float32(2);
    CHECK(times(other) == std::vector<int>{0, 1, 2, 4, 5, 6});
    other.time = truncated_interval(2);
    CHECK(times(other) == std::vector<int>{0, 0, 0, 0, 0, 0});
}

TEST_CASE("a preset turns queries and keys as its reference does", "[golden]") {
    check_rotation(preset::qwen2_vl{}, "models/qwen2_vl.json");
    check_rotation(preset::qwen2_5_vl{}, "models/qwen2_5_vl.json");
    check_rotation(preset::qwen3_vl{}, "models/qwen3_vl.json");
}

TEST_CASE("the head drawn in a preset's header is its own") {
    const auto drawn = [](const char* name, const frequency_table& table) {
        std::string letters;
        for (index_t l = 0; l < table.pairs(); ++l) letters += letter(table.at(0, l).which);
        return header(name).find("//     " + letters + " ") != std::string::npos;
    };
    CHECK(drawn("qwen2_vl.hpp", preset::qwen2_vl{}.make()->frequencies));
    CHECK(drawn("qwen2_5_vl.hpp", preset::qwen2_5_vl{}.make()->frequencies));
    CHECK(drawn("qwen3_vl.hpp", preset::qwen3_vl{}.make()->frequencies));
}

TEST_CASE("a shape that is no model is refused") {
    const auto with = [](index_t layers, index_t query, index_t key_value, index_t head_dim) {
        preset::qwen3_vl p;
        p.shape = {layers, query, key_value, head_dim};
        return p.make().error();
    };
    CHECK(with(1, 4, 2, 128).ok());
    CHECK(with(0, 4, 2, 128) == status{errc::value_invalid, operand::layers, 0, 1, 0});
    CHECK(with(1, -4, 2, 128).what == operand::query_heads);
    CHECK(with(1, 4, 0, 128).what == operand::key_value_heads);
    CHECK(with(1, 4, 3, 128).what == operand::key_value_heads);
    CHECK(std::string(to_string(with(1, 4, 2, 64)).c_str()) == "rotary_dim 128 exceeds head_dim 64");
    preset::qwen2_vl odd;
    odd.sections = {16, 24, 25};
    CHECK(odd.make().error().code == errc::section_mismatch);
    odd.sections = {16, 24, 24};
    odd.theta = 0.0;
    CHECK(odd.make().error().code == errc::theta_invalid);
}
