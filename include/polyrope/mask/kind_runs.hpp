#pragma once
// The runs of text and of visual tokens in a range of a plan, in token order. O(log segments) to start, O(1) per run.
//
//     text(4), image [1, 2, 3], text(5), range [2, 12)      text [2, 4)   visual [4, 10)   text [10, 12)
//
// Placements of one kind that touch are one run; with run_border::segment a visual run also ends with its segment, so
// that two images side by side are two.

#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

struct kind_run {
    token_range tokens{};
    modality kind = modality::text;
};

/// Where a run of visual tokens ends.
enum class run_border : std::uint8_t {
    kind,     ///< where text begins
    segment,  ///< there, and where the next image or video begins
};

class kind_runs {
public:
    kind_runs() = default;
    /// Runs of tokens [range.begin, range.end), 0 <= begin, also past the prompt. The plan outlives the walk.
    kind_runs(const position_plan& plan, token_range range, run_border border = run_border::kind) noexcept
        : placements_(&plan.placements()), at_(range.begin.value), end_(range.end.value), border_(border) {
        if (!placements_->empty()) index_ = detail::plan_access::data(plan).find(at_);
    }

    /// The next run; false behind the last.
    [[nodiscard]] bool next(kind_run& run) noexcept {
        if (at_ >= end_) return false;
        run = {{token_index{at_}, token_index{end_}}, modality::text};
        if (placements_->empty()) return at_ = end_, true;
        const placement& first = place(index_);
        run.kind = first.kind;
        while (end_of(index_) < end_ && continues(first, place(index_ + 1))) ++index_;
        at_ = end_of(index_) < end_ ? end_of(index_) : end_;
        run.tokens.end = token_index{at_};
        ++index_;
        return true;
    }

private:
    [[nodiscard]] const placement& place(index_t i) const noexcept {
        return (*placements_)[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] index_t end_of(index_t i) const noexcept { return place(i).first_token + place(i).count; }
    [[nodiscard]] bool continues(const placement& run, const placement& next) const noexcept {
        return next.kind == run.kind &&
               (border_ == run_border::kind || run.kind == modality::text || next.segment == run.segment);
    }

    const std::vector<placement>* placements_ = nullptr;
    index_t index_ = 0, at_ = 0, end_ = 0;
    run_border border_ = run_border::kind;
};

/// Visual tokens in a range.
[[nodiscard]] inline index_t visual_tokens(const position_plan& plan, token_range range) noexcept {
    index_t count = 0;
    kind_runs runs(plan, range);
    for (kind_run run; runs.next(run);)
        if (run.kind == modality::visual) count += run.tokens.size();
    return count;
}

POLYROPE_END
