#pragma once
// What a layout policy writes into: runs of text, grids, tables. The builder numbers the tokens, checks that
// every coordinate is a number within the plan's limit, and keeps the first refusal; a policy need not look at
// it between two calls.
//
//     builder.text(origin, step, count);                              // origin and step of each axis
//     builder.grid({1, 14, 16}, [&](placement& p) { p.map[0].origin = 2; ... });
//     builder.refuse(errc::seconds_missing);                          // names the current segment; no plan comes of it

#include "polyrope/layout/detail/bounds.hpp"
#include "polyrope/layout/detail/plan_data.hpp"

POLYROPE_BEGIN

/// What a plan may grow to, whatever grids it is given.
struct plan_limits {
    index_t max_position = INT32_MAX;      ///< largest coordinate
    index_t max_bytes = index_t{1} << 30;  ///< memory of placements and tables
};

/// What the builder needs to know of a placement's numbers. It works it out itself, unless a layout knows that all of
/// them are whole, and states the rest.
struct placement_facts {
    bool whole = false;
    double high = 0.0;                         ///< largest coordinate
    double first_time = 0.0, last_time = 0.0;  ///< least and largest on the first axis
    double reach = 0.0;                        ///< largest magnitude of a coordinate or neutral point
    double largest_step = 0.0;                 ///< largest magnitude of a step
};

class plan_builder {
public:
    plan_builder(int axes, plan_limits limits) noexcept : limits_(limits) {
        constexpr auto most = static_cast<index_t>(detail::largest_whole);
        if (axes < 1 || axes > max_axes) refuse(status{errc::axis_invalid, operand::plan, 0, max_axes, axes});
        else if (limits.max_position < 0 || limits.max_position > most)
            refuse(status{errc::position_overflow, operand::plan, 0, most, limits.max_position});
        else data_.axes = axes;
        data_.max_position = limits.max_position;
    }

    [[nodiscard]] bool ok() const noexcept { return error_.ok(); }
    [[nodiscard]] status error() const noexcept { return error_; }
    [[nodiscard]] int axes() const noexcept { return data_.axes; }
    [[nodiscard]] index_t max_position() const noexcept { return limits_.max_position; }
    /// Tokens placed so far.
    [[nodiscard]] index_t tokens() const noexcept { return data_.placed_tokens; }
    /// Largest coordinate placed so far; -1 before the first.
    [[nodiscard]] double highest() const noexcept { return data_.highest; }

    /// Refuses the current segment. The first refusal stays.
    void refuse(errc code, index_t expected = 0, index_t found = 0) noexcept {
        refuse(status{code, operand::segment, data_.segments - 1, expected, found});
    }
    POLYROPE_COLD void refuse(const status& why) noexcept {
        if (ok()) error_ = why;
    }

    /// `count` text tokens at origin, origin + step, ...
    void text(const coordinate& origin, const coordinate& step, index_t count) {
        if (count < 0) return refuse(errc::negative_count, 0, count);
        if (count == 0 || !has_room()) return;
        placement& p = push(count, modality::text, {1, 1, count});
        for (int a = 0; a < data_.axes; ++a) p.map[a] = {origin.value[a], 0.0, 0.0, step.value[a]};
        close(p);
    }
    /// The same where all axes move alike.
    void text(double origin, double step, index_t count) {
        if (count < 0) return refuse(errc::negative_count, 0, count);
        if (count == 0 || !has_room()) return;
        placement& p = push(count, modality::text, {1, 1, count});
        for (int a = 0; a < data_.axes; ++a) p.map[a] = {origin, 0.0, 0.0, step};
        close_diagonal(p, origin, step);
    }

    /// A visual placement of a whole grid: `set` is given it with all maps zero and sets map, neutral, frame_times and
    /// cell_offsets as it needs. Facts that are stated must be right: the plan relies on them.
    template <class Set>
    POLYROPE_ALWAYS_INLINE void grid(const token_grid& tokens, Set set, const placement_facts& facts = {}) {
        index_t cells = 0;
        if (!has_room() || !fits(tokens, cells)) return;
        placement& p = push_grid(cells, tokens);
        set(p);
        if (facts.whole && !at_neutral_) take(p, modality::visual, facts);
        else if (check_tables(p) && may_stand(p)) close(p);
    }

    /// A placement of part of a grid, or with everything set by the caller. The builder writes first_token, segment,
    /// axes and the flags of whole numbers.
    void add(const placement& p);

    /// Calls place(), and puts what it places of a medium at its neutral points in place of its coordinates; a
    /// placement without such points is refused. layout::neutral is made of this.
    template <class Place>
    auto at_neutral_points(Place place) {
        const bool before = at_neutral_;
        at_neutral_ = true;
        const auto out = place();
        at_neutral_ = before;
        return out;
    }

    /// Room for `count` numbers in the arena, to be filled before the next call; nullptr, and a
    /// refusal, past the limit.
    [[nodiscard]] POLYROPE_COLD double* table(index_t count, index_t& offset) {
        offset = static_cast<index_t>(data_.arena.size());
        if (!ok()) return nullptr;
        if (count < 0 || count > (limits_.max_bytes - bytes()) / static_cast<index_t>(sizeof(double))) {
            too_large();
            return nullptr;
        }
        data_.arena.resize(data_.arena.size() + static_cast<std::size_t>(count));
        return data_.arena.data() + offset;
    }

    /// The arena: the numbers of all tables so far, valid until the next one is made.
    [[nodiscard]] const double* numbers() const noexcept { return data_.arena.data(); }

private:
    friend struct detail::plan_assembly;

    [[nodiscard]] index_t bytes() const noexcept {
        return static_cast<index_t>(data_.placements.size() * sizeof(placement) + data_.arena.size() * sizeof(double));
    }
    void too_large() noexcept {
        refuse(status{errc::capacity_exceeded, operand::plan, 0, limits_.max_bytes, limits_.max_bytes + 1});
    }
    /// Memory is looked at where the array of placements has to grow: what was reserved is as long
    /// as the caller's list.
    [[nodiscard]] bool has_room() { return ok() && (data_.placements.size() != data_.placements.capacity() || grow()); }
    [[nodiscard]] POLYROPE_COLD bool grow() {
        if (bytes() > limits_.max_bytes / 2) return too_large(), false;
        data_.placements.reserve(2 * data_.placements.size() + 1);
        return true;
    }

    [[nodiscard]] placement& push(index_t count, modality kind, const token_grid& grid) {
        detail::assume(data_.placements.size() != data_.placements.capacity());  // has_room()
        return data_.placements.emplace_back(maps_unset{}, data_.placed_tokens, count, data_.segments - 1, data_.axes,
                                             kind, grid);
    }
    [[nodiscard]] placement& push_grid(index_t cells, const token_grid& grid) {
        placement& p = push(cells, modality::visual, grid);
        const double zero = detail::opaque(0.0);  // hidden: compilers would call memset for a few axes
        for (int a = 0; a < data_.axes; ++a) {
            p.map[a] = {zero, zero, zero, zero};
            p.neutral[a] = {zero, zero};
        }
        return p;
    }

    /// Refuse and drop the last placement, or see that its grid and its tables are there.
    POLYROPE_COLD void drop(const status& why) noexcept {
        data_.placements.pop_back();
        refuse(why);
    }
    [[nodiscard]] bool fits(const token_grid& grid, index_t& cells) noexcept;
    [[nodiscard]] bool check_tables(const placement& p);
    /// Moves a visual placement to its neutral points where that is asked for; false where it states none.
    [[nodiscard]] bool may_stand(placement& p) noexcept { return !at_neutral_ || to_neutral_points(p); }
    [[nodiscard]] bool to_neutral_points(placement& p) noexcept;

    /// Checks the numbers of the last placement and takes it in, or drops and refuses it.
    void close(placement& p);
    POLYROPE_ALWAYS_INLINE void close_diagonal(placement& p, double origin, double step);
    POLYROPE_ALWAYS_INLINE void take(const placement& p, modality kind, const placement_facts& facts);
    void refuse_far(const placement& p, const placement_facts& facts) noexcept;

    detail::plan_data data_;
    plan_limits limits_;
    status error_;
    bool at_neutral_ = false;
};

POLYROPE_END

#include "polyrope/layout/detail/plan_builder.hpp"
