// Built without exceptions and without RTTI: the same inputs are refused with the same sentences.

#include <cstdio>

#include "layout/bad_inputs.hpp"

int main() {
    int wrong = 0;
    for (const polyrope::test::refusal& r : polyrope::test::refusals()) {
        const polyrope::sentence got = polyrope::to_string(r.got);
        if (std::strcmp(got.c_str(), r.sentence) == 0) continue;
        std::fprintf(stderr, "%s: \"%s\", not \"%s\"\n", r.name, got.c_str(), r.sentence);
        ++wrong;
    }
    return wrong == 0 ? 0 : 1;
}
