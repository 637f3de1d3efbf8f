#pragma once
// An operand with the memory that it lies in.

#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/oracle.hpp"
#include "polyrope/core/views.hpp"

namespace polyrope::test {

template <class T>
struct side {
    std::vector<T> data;
    index_t tokens = 0, heads = 0, head_dim = 0, gap = 0;  // gap: elements between heads that nobody touches
    [[nodiscard]] heads_view<T> view() {
        return {data.data(), tokens, heads, head_dim, heads * (head_dim + gap), head_dim + gap};
    }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
        if (!std::isnan(format<T>::value(a[i])) || !std::isnan(format<T>::value(b[i]))) return false;
    }
    return true;
}

}  // namespace polyrope::test
