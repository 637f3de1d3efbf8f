#pragma once
// Stored reference numbers: the files below tests/golden, each read once per program.

#include <nlohmann/json.hpp>

#include <string>

namespace polyrope::test {

/// golden("models/qwen2_vl.json") is that file, parsed. A file that cannot be read throws, naming it.
nlohmann::json const& golden(std::string const& path);

}  // namespace polyrope::test
