#pragma once
// A plan as bytes, to keep beside a saved cache, and back. Little-endian on every machine:
//
//     offset  bytes                  what
//     0       8                      "polyrope"
//     8       4                      version of this form, 1
//     12      4                      axes
//     16      9 x 8                  placements, numbers of the arena, prompt tokens, segments, limit of positions,
//                                    where generated text continues (0 past everything, 1 at the next position);
//                                    next position, generation start, end position (these three as float64)
//     88      80 + 48 x axes each    placements
//     ...     8 each                 the arena
//
// Reading trusts nothing: sizes are checked against the bytes, placements are added to an empty plan one by one, so
// that every number is checked as make_plan checks it, and what can be derived is derived anew.

#include "polyrope/layout/detail/byte_stream.hpp"

POLYROPE_BEGIN

/// Bytes of a plan.
[[nodiscard]] inline std::vector<unsigned char> serialise(const position_plan& plan) {
    const detail::plan_data& d = detail::plan_access::data(plan);
    detail::byte_writer out;
    for (const char c : detail::serialised_magic) out.put(static_cast<unsigned char>(c), 1);
    out.put32(detail::serialised_version);
    out.put32(d.axes);
    out.put64(static_cast<index_t>(d.placements.size()));
    out.put64(static_cast<index_t>(d.arena.size()));
    for (const index_t n : {d.prompt_tokens, d.segments, d.max_position, static_cast<index_t>(d.continues)})
        out.put64(n);
    for (const double x : {d.next_position, d.generation_start, d.end_position}) out.put_double(x);
    for (const placement& p : d.placements) {
        for (const index_t n : {p.count, p.first_cell, p.grid.frames, p.grid.rows, p.grid.columns, p.segment,
                                p.frame_times, p.cell_offsets, p.offset_rows})
            out.put64(n);
        out.put32(static_cast<int>(p.kind));
        out.put32(p.has_neutral ? 1 : 0);
        for (const auto part : detail::map_parts)
            for (int a = 0; a < d.axes; ++a) out.put_double(p.map[a].*part);
        for (const auto part : detail::neutral_parts)
            for (int a = 0; a < d.axes; ++a) out.put_double(p.kind == modality::visual ? p.neutral[a].*part : 0.0);
    }
    for (const double x : d.arena) out.put_double(x);
    return std::move(out.bytes);
}

/// The plan of bytes that serialise() made, or bad_serialisation with the offset of the byte from
/// which they are damaged.
[[nodiscard]] inline result<position_plan> deserialise(const unsigned char* bytes, index_t size) {
    if (size < 0 || (size > 0 && bytes == nullptr)) return status{errc::null_data, operand::byte, 0, 0, size};
    return detail::plan_reader(bytes, size).read();
}

POLYROPE_END
