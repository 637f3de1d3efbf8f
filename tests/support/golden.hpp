#pragma once
// Stored reference numbers: the files below tests/golden, each read once per program.

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace polyrope::test {

/// golden("models/qwen2_vl.json") is that file, parsed. A file that cannot be read throws, naming it.
const nlohmann::json& golden(std::string_view path);

/// Where a golden file or folder lies.
std::string golden_path(std::string_view path);

}  // namespace polyrope::test
