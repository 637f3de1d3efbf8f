// Stored reference numbers: tests/golden, read once each.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace polyrope::test {

// golden("models/qwen2_vl.json"): the file below tests/golden. A file that cannot be read throws, naming it.
nlohmann::json const& golden(std::string const& path);

}  // namespace polyrope::test
