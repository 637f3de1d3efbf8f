#pragma once
// Every case of the golden files, and what the test suite compared of it. A case that drops out without a word is a
// failure: `unaccounted` names each case of each file that was neither compared nor listed.
//
//     golden_case one("research/v2pe.json", "position_cases", i);
//     const json& c = one.data();
//     one.equal(found, right);            // counts one comparison, and the failure
//     one.compared(3 * tokens, wrong);    // counts many at once
//
// What the library deliberately does not follow stands in tests/golden/listed.json: file, group, case (its index, or
// all), label (or all), reason. A listed label that nothing asks for, and a listed case that is compared all the same,
// are failures too.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace polyrope::test {

/// One case of a golden file, opened. Several tests may open the same case.
class golden_case {
public:
    golden_case(std::string file, std::string group, std::size_t index);

    [[nodiscard]] const nlohmann::json& data() const { return *data_; }
    /// File, group, index and name, for messages.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// Counts `count` single numbers compared, of which `failed` differ. True where none does.
    bool compared(std::int64_t count, std::int64_t failed = 0);
    template <class T, class U>
    bool equal(const T& found, const U& right) {
        return compared(1, found == right ? 0 : 1);
    }
    bool within(double found, double right, double tolerance) {
        const double difference = found - right;
        return compared(1, difference <= tolerance && -difference <= tolerance ? 0 : 1);
    }

    /// Whether listed.json leaves this case, or this label of it, out. Asking is what accounts for the entry.
    [[nodiscard]] bool listed(const std::string& label = {});

private:
    std::string file_, group_, name_;
    std::size_t index_;
    const nlohmann::json* data_;
};

/// What all tests of this program have opened so far.
struct golden_ledger {
    std::int64_t cases = 0;        ///< compared at least once
    std::int64_t comparisons = 0;  ///< single numbers
    std::int64_t failed = 0;       ///< comparisons
    std::int64_t listed = 0;       ///< cases and labels that are left out, with a reason
    std::vector<std::string> unaccounted;

    /// `golden: <cases> cases, <comparisons> comparisons, <failed> failed, <listed> listed`
    [[nodiscard]] std::string line() const;
};

[[nodiscard]] golden_ledger read_ledger();

}  // namespace polyrope::test
