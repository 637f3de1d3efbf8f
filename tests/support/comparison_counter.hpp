#pragma once
// Counts what a test compared, so that a case which drops out without a word is a failure:
//
//     comparison_counter count;
//     for (case : cases) count.expect(name);
//     ... count.compared(name, 3 * tokens); or count.skipped(name, "4.57.6 answers no call without an image");
//     CHECK(count.unaccounted().empty());
//     CHECK(count.total() == 12345);
//     CHECK(count.skips().size() == 1);

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace polyrope::test {

class comparison_counter {
public:
    /// Announces a case. A name that was announced before throws: two cases under one name would hide each other.
    void expect(const std::string& name) {
        if (!cases_.emplace(name, record{}).second) throw std::logic_error("two cases are called " + name);
    }

    /// Adds `count` single numbers compared for an announced case.
    void compared(const std::string& name, std::int64_t count = 1) {
        record& r = find(name);
        if (!r.reason.empty()) throw std::logic_error("case " + name + " is both skipped and compared");
        r.count += count;
        total_ += count;
    }

    /// Leaves an announced case out, for a reason that is part of the test.
    void skipped(const std::string& name, std::string reason) {
        record& r = find(name);
        if (reason.empty()) throw std::logic_error("case " + name + " is skipped without a reason");
        if (r.count != 0) throw std::logic_error("case " + name + " is both skipped and compared");
        r.reason = std::move(reason);
    }

    /// Single numbers compared, over all cases.
    [[nodiscard]] std::int64_t total() const { return total_; }

    /// Skipped cases and their reasons.
    [[nodiscard]] std::map<std::string, std::string> skips() const {
        std::map<std::string, std::string> all;
        for (const auto& [name, r] : cases_)
            if (!r.reason.empty()) all.emplace(name, r.reason);
        return all;
    }

    /// Cases that were announced and then neither compared nor skipped.
    [[nodiscard]] std::vector<std::string> unaccounted() const {
        std::vector<std::string> all;
        for (const auto& [name, r] : cases_)
            if (r.reason.empty() && r.count == 0) all.push_back(name);
        return all;
    }

private:
    struct record {
        std::int64_t count = 0;
        std::string reason;
    };

    record& find(const std::string& name) {
        const auto found = cases_.find(name);
        if (found == cases_.end()) throw std::logic_error("case " + name + " was not announced");
        return found->second;
    }

    std::map<std::string, record> cases_;
    std::int64_t total_ = 0;
};

}  // namespace polyrope::test
