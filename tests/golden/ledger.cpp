// The last test of the program: every case of every golden file was compared, or listed.json says why not. Writes the
// line of the ledger to POLYROPE_GOLDEN_REPORT.

#include <cstdio>
#include <fstream>

#include "support/catch.hpp"
#include "support/golden_ledger.hpp"

TEST_CASE("every case of every golden file is compared or listed", "[ledger]") {
    const auto ledger = polyrope::test::read_ledger();
    std::puts(ledger.line().c_str());
    std::ofstream(POLYROPE_GOLDEN_REPORT) << ledger.line() << '\n';
    for (const std::string& one : ledger.unaccounted) {
        INFO(one);
        CHECK(false);
    }
    CHECK(ledger.failed == 0);
    CHECK(ledger.cases + ledger.listed > 0);
}
