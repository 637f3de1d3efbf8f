#pragma once
// The data behind the picture of a prompt: its parts with names, the range of its coordinates, and a line per axis that
// is reduced to what a pixel can show, so that a prompt of a million tokens is still a small file.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "polyrope/draw/detail/svg_writer.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace draw {
namespace detail {

/// Tokens looked at per picture; longer prompts are looked at in even steps.
inline constexpr index_t most_samples = index_t{1} << 20;

[[nodiscard]] constexpr index_t sample_step(index_t tokens) noexcept { return tokens / most_samples + 1; }

struct coordinate_range {
    double lowest = 0.0, highest = 1.0;
};

[[nodiscard]] inline coordinate_range range_of(const position_plan& plan, index_t tokens) {
    coordinate_range range;
    for (index_t n = 0; n < tokens; n += sample_step(tokens)) {
        const coordinate at = plan.coordinates(token_index{n});
        for (int a = 0; a < plan.axes(); ++a) {
            range.lowest = std::fmin(range.lowest, at[a]);
            range.highest = std::fmax(range.highest, at[a]);
        }
    }
    range.highest += (range.highest - range.lowest) * 0.04;
    return range;
}

/// One segment as it lies in the plan; a video by frames has a run per frame.
struct plan_part {
    modality kind = modality::text;
    bool video = false;
    index_t begin = 0, end = 0;
    std::vector<token_range> runs;
    std::string name;
    index_t characters = 0;  ///< of the name, for its width
};

[[nodiscard]] inline std::vector<plan_part> parts_of(const position_plan& plan, const segment* segments,
                                                     index_t count) {
    std::vector<plan_part> parts;
    index_t previous = -1;
    for (const placement& p : plan.placements()) {
        const index_t begin = p.first_token, end = p.count < plan.size() - begin ? begin + p.count : plan.size();
        if (begin >= end) continue;
        const bool known = segments != nullptr && p.segment < count;
        if (parts.empty() || p.segment != previous) {
            parts.emplace_back();
            parts.back().begin = begin;
            parts.back().video = known && segments[p.segment].kind == segment_kind::video;
        }
        previous = p.segment;
        plan_part& part = parts.back();
        part.end = end;
        if (p.kind == modality::visual) {
            const index_t frames = part.video ? segments[p.segment].frames : p.grid.frames;
            const std::string times = "\xc3\x97";
            part.kind = modality::visual;
            part.name = (part.video ? "video "
                         : known    ? "image "
                                    : "") +
                        (frames > 1 ? std::to_string(frames) + times : std::string()) + std::to_string(p.grid.rows) +
                        times + std::to_string(p.grid.columns);
            part.runs.push_back({token_index{begin}, token_index{end}});
        } else if (part.kind == modality::text) {
            part.name = "text";
        }
        part.characters = static_cast<index_t>(part.name.size()) - (part.kind == modality::visual ? 1 : 0);
    }
    return parts;
}

/// Which line of the picture: an axis, where it differs from another, or the one line of all axes, where they agree.
inline constexpr int all_agree = -1;

[[nodiscard]] inline bool agrees(const coordinate& at, int axes) noexcept {
    for (int a = 1; a < axes; ++a)
        if (at[a] < at[0] || at[a] > at[0]) return false;
    return true;
}

/// What one step to the right shows of a line: a token, or the tokens that share a column of pixels.
struct series_step {
    double n;          ///< its middle, in tokens
    double points[4];  ///< first, lowest, highest, last
    bool agree;
};

[[nodiscard]] inline series_step step_at(const position_plan& plan, int a, index_t begin, index_t end, index_t stride) {
    const coordinate first = plan.coordinates(token_index{begin});
    const double start = first[a];
    series_step step{static_cast<double>(begin) + static_cast<double>(end - begin) / 2,
                     {start, start, start, start},
                     agrees(first, plan.axes())};
    for (index_t n = begin + stride; n < end; n += stride) {
        const coordinate at = plan.coordinates(token_index{n});
        step.agree = step.agree && agrees(at, plan.axes());
        step.points[1] = std::fmin(step.points[1], at[a]);
        step.points[2] = std::fmax(step.points[2], at[a]);
        step.points[3] = at[a];
    }
    return step;
}

/// A path that leaves out what shows nothing: points between two others of a straight line, and moves below a pixel's
/// tenth.
class path_writer {
public:
    void lift() {
        flush();
        drawn_ = 0;
    }
    void to(double x, double y) {
        if (drawn_ == 0) {
            data_ += 'M' + decimal(x) + ' ' + decimal(y);
            x0_ = x, y0_ = y, drawn_ = 1;
            return;
        }
        // The waiting point is dropped when it lies on the way from the last drawn point to the new one.
        if (waiting_ && std::fabs((x1_ - x0_) * (y - y1_) - (x - x1_) * (y1_ - y0_)) >
                            0.02 * (std::fabs(x - x0_) + std::fabs(y - y0_)))
            flush();
        if (waiting_ && (y1_ - y0_) * (y - y1_) < 0.0) flush();
        x1_ = x, y1_ = y, waiting_ = true;
    }
    [[nodiscard]] std::string finish() {
        flush();
        return std::move(data_);
    }

private:
    void flush() {
        if (!waiting_) return;
        waiting_ = false;
        if (std::fabs(x1_ - x0_) < 0.1 && std::fabs(y1_ - y0_) < 0.1) return;
        data_ += 'L' + decimal(x1_) + ' ' + decimal(y1_);
        x0_ = x1_, y0_ = y1_;
    }

    std::string data_;
    double x0_ = 0.0, y0_ = 0.0, x1_ = 0.0, y1_ = 0.0;
    int drawn_ = 0;
    bool waiting_ = false;
};

/// The d attribute of a line over tokens [begin, end).
template <class X, class Y>
[[nodiscard]] std::string series_path(const position_plan& plan, int which, index_t begin, index_t end,
                                      double pixels_per_token, X x_of, Y y_of) {
    const index_t column = pixels_per_token >= 0.5 ? 1 : static_cast<index_t>(0.75 / pixels_per_token) + 1;
    const index_t stride = sample_step(end - begin);
    path_writer path;
    series_step previous{};
    bool shown_before = false;
    for (index_t n = begin; n < end; n += column) {
        const series_step step =
            step_at(plan, which == all_agree ? 0 : which, n, n + column < end ? n + column : end, stride);
        // The common line joins two steps that agree, an axis' own line all others.
        if (n > begin) {
            const bool shown = (previous.agree && step.agree) == (which == all_agree);
            if (shown && !shown_before) {
                path.lift();
                path.to(x_of(previous.n), y_of(previous.points[3]));
            }
            if (shown)
                for (const double p : step.points) path.to(x_of(step.n), y_of(p));
            shown_before = shown;
        }
        previous = step;
    }
    return path.finish();
}

}  // namespace detail
}  // namespace draw

POLYROPE_END
