#include "support/golden.hpp"

#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace polyrope::test {

std::string golden_path(std::string_view path) { return std::string(POLYROPE_GOLDEN_DIR "/").append(path); }

const nlohmann::json& golden(std::string_view path) {
    static std::map<std::string, nlohmann::json, std::less<>> files;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto known = files.find(path);
    if (known != files.end()) return known->second;

    const std::string name = golden_path(path);
    std::ifstream stream(name);
    if (!stream) throw std::runtime_error("cannot read the golden file " + name);
    return files.emplace(std::string(path), nlohmann::json::parse(stream)).first->second;
}

}  // namespace polyrope::test
