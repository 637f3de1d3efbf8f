#include "support/golden_ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "support/golden.hpp"

namespace polyrope::test {
namespace {

using key = std::tuple<std::string, std::string, std::size_t>;  // file, group, index

struct record {
    std::int64_t count = 0, failed = 0;
};

std::map<key, record>& records() {
    static std::map<key, record> all;
    return all;
}

std::set<std::size_t>& asked() {
    static std::set<std::size_t> entries;
    return entries;
}

bool covers(const nlohmann::json& entry, const key& which) {
    const auto& [file, group, index] = which;
    return entry.at("file") == file && entry.at("group") == group &&
           (!entry.contains("case") || entry.at("case") == index);
}

std::string text_of(const key& which, const nlohmann::json& one) {
    const auto& [file, group, index] = which;
    std::string text = file + " " + group + " " + std::to_string(index);
    if (one.is_object() && one.contains("name") && one["name"].is_string())
        text += " " + one["name"].get<std::string>();
    return text;
}

bool is_group(const std::string& name) { return name.size() >= 5 && name.find("cases") != std::string::npos; }

std::vector<std::string> golden_files() {
    std::vector<std::string> files;
    for (const char* const room : {"models", "research"})
        for (const auto& file : std::filesystem::directory_iterator(golden_path(room)))
            if (file.path().extension() == ".json")
                files.push_back(std::string(room) + "/" + file.path().filename().string());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

golden_case::golden_case(std::string file, std::string group, std::size_t index)
    : file_(std::move(file)), group_(std::move(group)), index_(index), data_(&golden(file_).at(group_).at(index)) {
    const key which{file_, group_, index_};
    name_ = text_of(which, *data_);
    records()[which];
}

bool golden_case::compared(std::int64_t count, std::int64_t failed) {
    if (count < 0 || failed < 0 || failed > count) throw std::logic_error("a count of comparisons below zero");
    record& r = records()[{file_, group_, index_}];
    r.count += count;
    r.failed += failed;
    return failed == 0;
}

bool golden_case::listed(const std::string& label) {
    const nlohmann::json& list = golden("listed.json").at("listed");
    bool found = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!covers(list[i], {file_, group_, index_}) || list[i].value("label", std::string{}) != label) continue;
        asked().insert(i);
        found = true;
    }
    return found;
}

std::string golden_ledger::line() const {
    return "golden: " + std::to_string(cases) + " cases, " + std::to_string(comparisons) + " comparisons, " +
           std::to_string(failed) + " failed, " + std::to_string(listed) + " listed";
}

golden_ledger read_ledger() {
    golden_ledger ledger;
    const nlohmann::json& list = golden("listed.json").at("listed");
    std::set<std::size_t> used;
    for (const std::string& file : golden_files()) {
        for (const auto& [group, cases] : golden(file).items()) {
            if (!is_group(group) || !cases.is_array()) continue;
            for (std::size_t index = 0; index < cases.size(); ++index) {
                const key which{file, group, index};
                const auto opened = records().find(which);
                const bool compared = opened != records().end() && opened->second.count > 0;
                bool left_out = false;
                for (std::size_t i = 0; i < list.size(); ++i) {
                    if (!covers(list[i], which)) continue;
                    if (list[i].at("reason").get<std::string>().empty())
                        throw std::logic_error("listed.json gives no reason for " + text_of(which, cases[index]));
                    used.insert(i);
                    const bool whole = !list[i].contains("label");
                    left_out = left_out || whole;
                    ++ledger.listed;
                    if (whole && compared)
                        ledger.unaccounted.push_back(text_of(which, cases[index]) + ": listed, and compared too");
                    if (!whole && asked().count(i) == 0)
                        ledger.unaccounted.push_back(text_of(which, cases[index]) +
                                                     ": its listed label is not asked for");
                }
                if (compared) {
                    ++ledger.cases;
                    ledger.comparisons += opened->second.count;
                    ledger.failed += opened->second.failed;
                } else if (!left_out) {
                    ledger.unaccounted.push_back(text_of(which, cases[index]));
                }
            }
        }
    }
    for (std::size_t i = 0; i < list.size(); ++i)
        if (used.count(i) == 0) ledger.unaccounted.push_back("listed.json " + std::to_string(i) + ": no such case");
    return ledger;
}

}  // namespace polyrope::test
