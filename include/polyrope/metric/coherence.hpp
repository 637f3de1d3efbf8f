#pragma once
// Positional coherence: no two tokens of a prompt share a point. The first of three guidelines of Revisiting Multimodal
// Positional Encoding in Vision-Language Models, arXiv:2510.23095, section 3; here as a list of the points that are
// shared. Coordinates that agree when rounded to 2^-20 count as one point.
//
//     mrope{1}: text(2), image [1, 2, 3], text(2)      no point is shared
//     the same without the image's rows and columns    (2, 2, 2) is shared by tokens 2 to 7
//
// n log n in the tokens.

#include <algorithm>
#include <cmath>

#include "polyrope/metric/detail/tokens.hpp"

POLYROPE_BEGIN

namespace metric {

struct shared_point {
    coordinate at{};
    token_index first{};  ///< the two first tokens there
    token_index second{};
    index_t tokens = 0;  ///< all tokens there
    bool mixed = false;  ///< text and visual ones
};

struct coherence {
    index_t tokens = 0;              ///< looked at
    index_t shared_points = 0;       ///< points with more than one token
    index_t sharing = 0;             ///< tokens at such points
    index_t mixed = 0;               ///< points shared by text and visual tokens
    std::vector<shared_point> list;  ///< the first of them, by their first token
    [[nodiscard]] bool coherent() const noexcept { return shared_points == 0; }
};

struct coherence_options {
    index_t generated = 0;     ///< tokens past the plan's that are looked at too
    index_t most_listed = 64;  ///< points
};

/// The points that tokens of a plan share.
[[nodiscard]] inline result<coherence> positional_coherence(const position_plan& plan, coherence_options options = {}) {
    if (options.generated < 0) return status{errc::negative_count, operand::token, 0, 0, options.generated};
    if (plan.size() > max_tokens || options.generated > max_tokens - plan.size())
        return status{errc::capacity_exceeded, operand::plan, 0, max_tokens, plan.size()};
    const auto axes = static_cast<std::size_t>(plan.axes());
    const auto total = static_cast<std::size_t>(axes == 0 ? 0 : plan.size() + options.generated);

    std::vector<double> points(total * axes);
    std::vector<std::size_t> order(total);
    for (std::size_t n = 0; n < total; ++n) {
        const coordinate at = plan.coordinates(token_index{static_cast<index_t>(n)});
        for (std::size_t a = 0; a < axes; ++a)
            points[n * axes + a] = std::floor(at[static_cast<int>(a)] * 1048576.0 + 0.5);
        order[n] = n;
    }
    const auto compare = [&](std::size_t n, std::size_t m) {
        for (std::size_t a = 0; a < axes; ++a) {
            if (points[n * axes + a] < points[m * axes + a]) return -1;
            if (points[n * axes + a] > points[m * axes + a]) return 1;
        }
        return 0;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t n, std::size_t m) {
        const int less = compare(n, m);
        return less != 0 ? less < 0 : n < m;
    });

    coherence found;
    found.tokens = static_cast<index_t>(total);
    for (std::size_t i = 0, next = 0; i < total; i = next) {
        for (next = i + 1; next < total && compare(order[i], order[next]) == 0;) ++next;
        if (next == i + 1) continue;
        shared_point point;
        point.first = token_index{static_cast<index_t>(order[i])};
        point.second = token_index{static_cast<index_t>(order[i + 1])};
        point.at = plan.coordinates(point.first);
        point.tokens = static_cast<index_t>(next - i);
        const modality kind = plan.kind_of(point.first);
        for (std::size_t j = i; j < next; ++j)
            point.mixed = point.mixed || plan.kind_of(token_index{static_cast<index_t>(order[j])}) != kind;
        ++found.shared_points;
        found.sharing += point.tokens;
        found.mixed += point.mixed ? 1 : 0;
        found.list.push_back(point);
    }
    std::sort(found.list.begin(), found.list.end(),
              [](const shared_point& x, const shared_point& y) { return x.first < y.first; });
    if (static_cast<index_t>(found.list.size()) > options.most_listed)
        found.list.resize(static_cast<std::size_t>(options.most_listed < 0 ? 0 : options.most_listed));
    return found;
}

}  // namespace metric

POLYROPE_END
