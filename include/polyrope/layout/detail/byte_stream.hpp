#pragma once
// Little-endian bytes of a plan.

#include "polyrope/layout/detail/plan_assembly.hpp"

POLYROPE_BEGIN
namespace detail {

/// The numbers of a placement in the order of the form: each for all axes.
inline constexpr double axis_map::*map_parts[] = {&axis_map::origin, &axis_map::per_frame, &axis_map::per_row,
                                                  &axis_map::per_column};
inline constexpr double neutral_map::*neutral_parts[] = {&neutral_map::origin, &neutral_map::per_frame};

inline constexpr char serialised_magic[8] = {'p', 'o', 'l', 'y', 'r', 'o', 'p', 'e'};
inline constexpr std::uint32_t serialised_version = 1;

struct byte_writer {
    std::vector<unsigned char> bytes;

    void put(std::uint64_t value, int count) {
        for (int i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(value >> (8 * i)));
    }
    void put32(std::int64_t value) { put(static_cast<std::uint64_t>(value), 4); }
    void put64(index_t value) { put(static_cast<std::uint64_t>(value), 8); }
    void put_double(double value) { put(bit_copy<std::uint64_t>(value), 8); }
};

/// Reads a plan back. Sizes are held against the bytes that are there, and every placement goes through a builder.
class plan_reader {
public:
    plan_reader(const unsigned char* bytes, index_t size) noexcept : bytes_(bytes), size_(size) {}

    [[nodiscard]] result<position_plan> read() {
        for (const char c : serialised_magic) expect(c, take(1));
        expect(serialised_version, take(4));
        const index_t axes = within(take(4), 0, max_axes);
        const index_t count = within(take64(), axes == 0 ? 0 : 1, axes == 0 ? 0 : size_);
        const index_t numbers = within(take64(), 0, axes == 0 ? 0 : size_);
        const index_t prompt_tokens = within(take64(), 0, index_max), segments = within(take64(), 0, index_max - 1);
        const index_t max_position = within(take64(), 0, static_cast<index_t>(largest_whole));
        const index_t continues = within(take64(), 0, 1);
        const double next = take_double(), start = take_double(), end = take_double();
        const index_t placement_bytes = 80 + 48 * axes;
        if (error_.ok())
            expect(size_ - at_, count <= (size_ - at_) / placement_bytes && numbers <= (size_ - at_) / 8
                                    ? count * placement_bytes + numbers * 8
                                    : -1);
        if (!error_.ok()) return error_;
        if (axes == 0) return position_plan{};

        plan_builder b(static_cast<int>(axes), {max_position, index_max});
        plan_data& d = plan_assembly::data(b);
        d.continues = continues == 1 ? generation::at_next_position : generation::past_everything;
        const index_t first = at_;
        at_ += count * placement_bytes;
        for (index_t i = 0; i < numbers; ++i) d.arena.push_back(take_double());
        at_ = first;
        d.placements.reserve(static_cast<std::size_t>(count));
        d.first_tokens.reserve(static_cast<std::size_t>(count));
        if (prompt_tokens == 0) plan_assembly::end_prompt(b, next);
        for (index_t i = 0; i < count && error_.ok(); ++i) {
            const index_t here = at_;
            placement p = take_placement(axes);
            within(p.segment, d.placements.empty() ? 0 : d.placements.back().segment,
                   i + 1 == count ? segments : segments - 1);
            if (!error_.ok()) break;
            if (i + 1 < count) {
                plan_assembly::add_again(b, p);
                if (b.ok() && d.placed_tokens == prompt_tokens) plan_assembly::end_prompt(b, next);
            } else {
                d.segments = segments;
                expect(index_max - d.placed_tokens, p.count);
                if (error_.ok()) plan_assembly::close(b, [&](plan_builder& inner) { add_tail(inner, p); });
            }
            if (!b.ok())
                error_ = {errc::bad_serialisation, operand::byte, here, 0, static_cast<index_t>(b.error().code)};
        }
        if (error_.ok() && (d.prompt_tokens != prompt_tokens || d.generation_start > start))
            error_ = damaged(prompt_tokens, d.prompt_tokens);
        if (!error_.ok()) return error_;
        d.generation_start = start;
        d.end_position = end;
        return plan_assembly::take(b);
    }

private:
    [[nodiscard]] status damaged(index_t expected, index_t found) const noexcept {
        return {errc::bad_serialisation, operand::byte, at_, expected, found};
    }
    void expect(index_t expected, index_t found) noexcept {
        if (error_.ok() && expected != found) error_ = damaged(expected, found);
    }
    index_t within(index_t value, index_t least, index_t most) noexcept {
        if (error_.ok() && (value < least || value > most)) error_ = damaged(value < least ? least : most, value);
        return value;
    }
    [[nodiscard]] index_t take(index_t count) noexcept {
        if (error_.ok() && size_ - at_ < count) error_ = damaged(at_ + count, size_);
        if (!error_.ok()) return 0;
        std::uint64_t value = 0;
        for (index_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(bytes_[at_ + i]) << (8 * i);
        at_ += count;
        return static_cast<index_t>(value);
    }
    [[nodiscard]] index_t take64() noexcept { return take(8); }
    [[nodiscard]] double take_double() noexcept {
        const double value = bit_copy<double>(take(8));
        if (error_.ok() && !is_in_range(value)) error_ = damaged(0, 0);
        return error_.ok() ? value : 0.0;
    }
    [[nodiscard]] placement take_placement(index_t axes) noexcept {
        placement p;
        p.axes = static_cast<std::uint8_t>(axes);
        for (index_t* n : {&p.count, &p.first_cell, &p.grid.frames, &p.grid.rows, &p.grid.columns, &p.segment,
                           &p.frame_times, &p.cell_offsets, &p.offset_rows})
            *n = take64();
        p.kind = within(take(4), 0, 1) == 1 ? modality::visual : modality::text;
        p.has_neutral = within(take(4), 0, 1) == 1;
        for (const auto part : map_parts)
            for (index_t a = 0; a < axes; ++a) p.map[a].*part = take_double();
        for (const auto part : neutral_parts)
            for (index_t a = 0; a < axes; ++a) p.neutral[a].*part = take_double();
        return p;
    }
    static void add_tail(plan_builder& b, const placement& p) noexcept {
        coordinate origin, step;
        for (int a = 0; a < b.axes(); ++a) {
            origin[a] = p.map[a].origin;
            step[a] = p.map[a].per_column;
        }
        b.text(origin, step, 1);
    }

    const unsigned char* bytes_;
    index_t size_;
    index_t at_ = 0;
    status error_;
};

}  // namespace detail
POLYROPE_END
