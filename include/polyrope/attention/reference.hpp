#pragma once
// Attention under a coordinate selection, pair by pair: the definition, and the oracle of everything faster. O(queries
// x keys), any Eigen scalar, sums in that scalar.
//
//     score(n, j) = scale <A(q_n), A(k_j)>     A is the vision-vision bank where both tokens are visual, else the other
//     out_n = sum_j softmax_j(score(n, j)) v_j over the keys that n sees
//
// "Disentangling Multimodal Rotary Positional Embedding in Vision-Language Models", arXiv:2611.13334, section 4; no
// public code is known. Scores are tested within 1e-9 of ones that were evaluated from the definition.

#include <Eigen/Core>

#include <cmath>
#include <limits>
#include <vector>

#include "polyrope/attention/operands.hpp"

POLYROPE_BEGIN
namespace attention {

/// Scores and outputs of a region, by the definition. Holds views: the operands and the plan outlive it.
template <class Real>
class reference {
public:
    [[nodiscard]] static result<reference> make(const position_plan& plan, coordinate_selection which,
                                                attention_region region, const attention_operands<Real>& in,
                                                const attention_options& options = {}) {
        if (const status s = detail::check_attention(plan, which, region, in, options); !s.ok()) return s;
        reference made;
        made.which_ = which;
        made.region_ = region;
        made.in_ = in;
        made.options_ = options;
        made.read_kinds(plan);
        return made;
    }

    /// Score of query row n of head m and key row j, whether or not n sees j: scaled and capped.
    [[nodiscard]] Real score(index_t n, index_t m, index_t j) const {
        const index_t group = m * in_.k.heads / in_.q.heads;
        const token &query = tokens_[static_cast<std::size_t>(query_at(n))],
                    &key = tokens_[static_cast<std::size_t>(j)];
        const bool second = which_.is_mixed() && query.visual && key.visual;
        const Real product =
            second
                ? row(in_.visual_q, query.ordinal - first_visual_query_, m).dot(row(in_.visual_k, key.ordinal, group))
                : row(in_.q, n, m).dot(row(in_.k, j, group));
        const Real scale = options_.scale > 0.0 ? static_cast<Real>(options_.scale)
                                                : Real(1) / std::sqrt(static_cast<Real>(in_.q.head_dim));
        const auto cap = static_cast<Real>(options_.soft_cap);
        return cap > Real(0) ? cap * std::tanh(product * scale / cap) : product * scale;
    }

    /// Whether query row n sees key row j.
    [[nodiscard]] bool sees(index_t n, index_t j) const {
        const index_t at = query_at(n);
        if (j <= at) return true;
        const token &query = tokens_[static_cast<std::size_t>(at)], &key = tokens_[static_cast<std::size_t>(j)];
        return options_.sees == visibility::whole_image && query.visual && key.visual && query.image == key.image;
    }

    /// Output [channels] of query row n of head m, and its log-sum-exp.
    Real attend(index_t n, index_t m, Real* out) const {
        const index_t keys = in_.k.tokens, group = m * in_.v.heads / in_.q.heads;
        std::vector<Real> scores(static_cast<std::size_t>(keys));
        Real highest = -std::numeric_limits<Real>::infinity();
        for (index_t j = 0; j < keys; ++j)
            if (sees(n, j)) highest = std::max(highest, scores[static_cast<std::size_t>(j)] = score(n, m, j));
        Real sum(0);
        channels all = channels::Zero(in_.v.head_dim);
        for (index_t j = 0; j < keys; ++j) {
            if (!sees(n, j)) continue;
            const Real weight = std::exp(scores[static_cast<std::size_t>(j)] - highest);
            sum += weight;
            all += weight * row(in_.v, j, group);
        }
        Eigen::Map<channels>(out, in_.v.head_dim) = all / sum;
        return highest + std::log(sum);
    }

private:
    using channels = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
    struct token {
        bool visual = false;
        index_t ordinal = 0;  ///< among the visual keys
        index_t image = 0;    ///< which run of visual tokens of one segment
    };

    [[nodiscard]] static Eigen::Map<const channels> row(const heads_view<const Real>& view, index_t n, index_t m) {
        return Eigen::Map<const channels>(view.at(n, m), view.head_dim);
    }
    [[nodiscard]] index_t query_at(index_t n) const {
        return n + region_.queries.begin.value - region_.keys.begin.value;
    }
    void read_kinds(const position_plan& plan) {
        index_t visual = 0, image = 0;
        kind_runs runs(plan, region_.keys, run_border::segment);
        for (kind_run run; runs.next(run); ++image)
            for (index_t i = 0; i < run.tokens.size(); ++i) {
                const bool is_visual = run.kind == modality::visual;
                if (static_cast<index_t>(tokens_.size()) == query_at(0)) first_visual_query_ = visual;
                tokens_.push_back({is_visual, visual, image});
                visual += is_visual ? 1 : 0;
            }
    }

    coordinate_selection which_{};
    attention_region region_{};
    attention_operands<Real> in_{};
    attention_options options_{};
    std::vector<token> tokens_;
    index_t first_visual_query_ = 0;
};

}  // namespace attention
POLYROPE_END
