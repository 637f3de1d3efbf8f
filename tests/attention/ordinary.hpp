#pragma once
// The attention kernel of an engine, plainly.

#include "attention/prompt.hpp"

namespace polyrope::test {

struct answer {
    std::vector<double> out, log_sum_exp;
};

/// Attention that knows nothing of images: rows of q over rows of k and v, causal ones aligned at the end.
inline answer ordinary(const heads& q, const heads& k, const heads& v, bool causal) {
    const index_t queries = q.view().tokens, keys = k.view().tokens;
    answer a{std::vector<double>(static_cast<std::size_t>(queries * q.count * v.channels)),
             std::vector<double>(static_cast<std::size_t>(queries * q.count))};
    for (index_t n = 0; n < queries; ++n)
        for (index_t m = 0; m < q.count; ++m) {
            const index_t seen = causal ? keys - (queries - 1 - n) : keys, group = m * k.count / q.count;
            std::vector<double> scores;
            double highest = -1e300, sum = 0.0;
            for (index_t j = 0; j < seen; ++j) {
                double s = 0.0;
                for (index_t c = 0; c < q.channels; ++c) s += q.view().at(n, m)[c] * k.view().at(j, group)[c];
                scores.push_back(s / std::sqrt(static_cast<double>(q.channels)));
                highest = std::max(highest, scores.back());
            }
            double* const out = a.out.data() + (n * q.count + m) * v.channels;
            for (index_t j = 0; j < seen; ++j) {
                const double w = std::exp(scores[static_cast<std::size_t>(j)] - highest);
                sum += w;
                for (index_t c = 0; c < v.channels; ++c) out[c] += w * v.view().at(j, group)[c];
            }
            for (index_t c = 0; c < v.channels; ++c) out[c] /= sum;
            a.log_sum_exp[static_cast<std::size_t>(n * q.count + m)] = highest + std::log(sum);
        }
    return a;
}

}  // namespace polyrope::test
