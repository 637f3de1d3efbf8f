#pragma once
// Where every token of a request sits: an immutable value made by make_plan from a layout and the segments of a prompt.
// Any token can be asked for, in any order, also past the prompt, where generated text continues; chunked prefill,
// prefix reuse, decode, draft trees and context-parallel shards are the same call with other indices.
//
//     plan.fill(token_index{0}, token_index{15}, axis_major(positions, 3, 15));   // the prompt
//     plan.fill(token_index{15}, token_index{16}, ...);                           // the first generated token
//
// Calls are const, allocate nothing and are safe from several threads. Indices count real tokens; padding is
// an argument of fill. Tested against position_ids and rope_deltas of huggingface/transformers v4.57.6
// and v5.15.0, and vLLM.

#include "polyrope/core/views.hpp"
#include "polyrope/layout/detail/plan_data.hpp"
#include "polyrope/layout/fill_options.hpp"
#include "polyrope/layout/prefix_key.hpp"

POLYROPE_BEGIN

/// Where the tokens of a next turn continue. The two differ for layouts whose walk can fall behind the largest
/// coordinate.
enum class continue_at : std::uint8_t {
    generation_start,  ///< behind the generated tokens as they were decoded
    next_position,     ///< where a prefill of the whole conversation anew would put them, generated tokens included
};

class position_plan {
public:
    /// A plan without axes and tokens. make_plan makes the others.
    position_plan() = default;

    /// Tokens that segments place: of the prompt, and planned behind it (targets that are still to be generated).
    [[nodiscard]] index_t size() const noexcept { return data_.placed_tokens; }
    [[nodiscard]] index_t prompt_tokens() const noexcept { return data_.prompt_tokens; }
    [[nodiscard]] index_t planned_tokens() const noexcept { return data_.placed_tokens - data_.prompt_tokens; }
    [[nodiscard]] int axes() const noexcept { return data_.axes; }

    /// Segments of the prompt and planned ones.
    [[nodiscard]] index_t segments() const noexcept { return data_.segments; }
    /// Largest coordinate of the prompt on any axis; -1 for an empty prompt.
    [[nodiscard]] double max_position() const noexcept { return data_.prompt_max; }
    /// Where more prompt would continue: the text position behind the last segment of the prompt.
    [[nodiscard]] double next_position() const noexcept { return data_.next_position; }
    /// Where generated text continues: one past the largest coordinate of the prompt and never before next_position(),
    /// or at next_position() where the layout says so.
    [[nodiscard]] double generation_start() const noexcept { return data_.generation_start; }
    /// The text position behind all segments, planned ones too: where a layout resumes its walk.
    [[nodiscard]] double end_position() const noexcept { return data_.end_position; }
    /// generation_start minus the real tokens of the prompt: what vLLM and transformers 5 call the rope delta.
    [[nodiscard]] double position_delta() const noexcept { return position_delta_padded(data_.prompt_tokens); }
    /// The same against the length of a padded row, as transformers 4 stores it.
    [[nodiscard]] double position_delta_padded(index_t padded_length) const noexcept {
        return data_.generation_start - static_cast<double>(padded_length);
    }
    /// True when every coordinate, past the prompt too, is a whole number.
    [[nodiscard]] bool is_integral() const noexcept { return data_.integral; }
    /// False when the layout states no neutral point for some visual token.
    [[nodiscard]] bool has_neutral() const noexcept { return data_.without_neutral == no_segment; }
    /// True when a text token was given a time that an earlier token already has or exceeds.
    [[nodiscard]] bool reuses_positions() const noexcept { return data_.reuses_positions; }

    /// Coordinates of token n >= 0.
    [[nodiscard]] coordinate coordinates(token_index n) const noexcept {
        if (data_.placements.empty()) return {};
        const placement& p = data_.placement_of(n.value);
        return coordinates_at(p, data_.arena.data(), (n.value < 0 ? 0 : n.value) - p.first_token);
    }
    /// The point of the text trajectory that token n >= 0 stands at.
    [[nodiscard]] result<coordinate> neutral(token_index n) const noexcept {
        if (data_.placements.empty()) return coordinate{};
        const placement& p = data_.placement_of(n.value);
        if (!p.has_neutral) return status{errc::no_neutral_point, operand::segment, p.segment, 0, 0};
        return neutral_at(p, data_.arena.data(), (n.value < 0 ? 0 : n.value) - p.first_token);
    }
    /// Text or visual.
    [[nodiscard]] modality kind_of(token_index n) const noexcept {
        return data_.placements.empty() ? modality::text : data_.placement_of(n.value).kind;
    }
    /// The segment that holds token n; segments() for a generated token.
    [[nodiscard]] index_t segment_of(token_index n) const noexcept {
        return data_.placements.empty() ? 0 : data_.placement_of(n.value).segment;
    }
    /// Tokens of a segment; an empty range for a segment without tokens.
    [[nodiscard]] token_range tokens_of(index_t segment) const noexcept { return data_.tokens_of(segment); }

    /// How far the text trajectory moves, on the first axis, from the start of a segment to the start of the next: by
    /// how much the text behind it moves when the segment is taken out. Not its number of tokens.
    [[nodiscard]] double span(index_t segment) const noexcept {
        const token_range tokens = tokens_of(segment);
        if (tokens.size() <= 0) return 0.0;
        const auto start = [this](token_index n) {
            const placement& p = data_.placement_of(n.value);
            const index_t k = n.value - p.first_token;
            return (p.has_neutral ? neutral_at(p, data_.arena.data(), k) : coordinates_at(p, data_.arena.data(), k))[0];
        };
        return (tokens.end.value < size() ? start(tokens.end) : data_.end_position) - start(tokens.begin);
    }

    /// Writes tokens [begin, end) into `out` [axes, end - begin and padding]. P is int32, int64, float or double; float
    /// is rounded once. Nothing is written unless the status is ok.
    template <class P>
    status fill(token_index begin, token_index end, positions_view<P> out, fill_options options = {}) const noexcept;

    /// Writes token indices[i] into column i of `out` [axes, count], in any order, with repetitions.
    template <class P>
    status fill(const token_index* indices, index_t count, positions_view<P> out,
                fill_options options = {}) const noexcept;

    /// 128 bits that are equal when the first n tokens have equal coordinates and kinds, whatever segments they came
    /// in; two plans that differ there get equal keys with probability about 2^-128.
    [[nodiscard]] prefix_key_t prefix_key(index_t n) const noexcept { return prefix_keys(data_).advance_to(n); }

    /// This plan and a next turn. `generated` tokens since the prompt stand between them as text. The value form
    /// copies; the form for a plan that is moved from costs O(segments), amortised.
    template <class Layout>
    [[nodiscard]] result<position_plan> append(const Layout& layout, const segment* segments, index_t count,
                                               continue_at where, index_t generated = 0) const&;
    template <class Layout>
    [[nodiscard]] result<position_plan> append(const Layout& layout, const segment* segments, index_t count,
                                               continue_at where, index_t generated = 0) &&;

    /// The placements in token order, the open one last, and the tables they refer to: what a device copies.
    [[nodiscard]] const std::vector<placement>& placements() const noexcept { return data_.placements; }
    [[nodiscard]] const std::vector<double>& arena() const noexcept { return data_.arena; }

    /// Equal placements, tables and counts. Plans that place all tokens alike but in other segments are not equal;
    /// compare prefix_key for that.
    friend bool operator==(const position_plan& x, const position_plan& y) noexcept { return x.data_ == y.data_; }
    friend bool operator!=(const position_plan& x, const position_plan& y) noexcept { return !(x == y); }

private:
    friend struct detail::plan_access;
    detail::plan_data data_;
};

POLYROPE_END

#include "polyrope/layout/detail/plan_fill.hpp"
