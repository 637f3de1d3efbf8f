#pragma once
// A plan on the device: what a request uploads once, and what of it serves decoding.
//
//     std::vector<unsigned char> bytes(device_bytes(plan));
//     status s = pack(plan, bytes.data(), bytes.size());        // then copied to `memory`, on an 8-byte boundary
//     const auto there = on_device(plan, memory);
//
// A plan of 64 images and the text between is 129 + 1 placements of 424 bytes and 16 each to search: 57 KB. A decoding
// request needs its tail alone, 128 bytes. Nothing here needs a CUDA compiler.

#include <cstring>

#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN
namespace cuda {

/// Bytes of a plan's placements, for each its first token and the visual tokens in front of it, and its tables, one behind
/// the other.
[[nodiscard]] inline index_t device_bytes(const position_plan& plan) noexcept {
    const auto placements = static_cast<index_t>(plan.placements().size());
    return placements * static_cast<index_t>(sizeof(placement) + 2 * sizeof(index_t)) +
           static_cast<index_t>(plan.arena().size() * sizeof(double));
}

/// Writes them to `out` of `bytes` bytes. Grids of 2^32 cells and more are refused: the device divides in 32 bits.
[[nodiscard]] inline status pack(const position_plan& plan, void* out, index_t bytes) noexcept {
    if (bytes != device_bytes(plan)) return {errc::extent_mismatch, operand::output, 0, device_bytes(plan), bytes};
    if (out == nullptr && bytes > 0) return {errc::null_data, operand::output, 0, 0, bytes};
    for (const placement& p : plan.placements()) {
        if (p.grid.rows == 1 && p.grid.frames == 1 && p.cell_offsets == no_table) continue;
        if (!polyrope::detail::is_narrow(p.grid, p.first_cell + p.count - 1))
            return {errc::capacity_exceeded, operand::segment, p.segment, index_t{1} << 32, p.first_cell + p.count};
    }
    auto* to = static_cast<unsigned char*>(out);
    const auto put = [&to](const void* from, std::size_t size) {
        if (size > 0) std::memcpy(to, from, size);
        to += size;
    };
    put(plan.placements().data(), plan.placements().size() * sizeof(placement));
    for (const placement& p : plan.placements()) put(&p.first_token, sizeof(index_t));
    index_t visual = 0;
    for (const placement& p : plan.placements()) {
        put(&visual, sizeof(index_t));
        visual += p.kind == modality::visual ? p.count : 0;
    }
    put(plan.arena().data(), plan.arena().size() * sizeof(double));
    return {};
}

struct device_plan {
    const placement* placements = nullptr;
    const index_t* first_tokens = nullptr;
    const index_t* visual_before = nullptr;
    const double* arena = nullptr;
    index_t count = 0;  ///< placements
    index_t without_neutral = no_segment;
    int axes = 0;
    double reach = 0.0;  ///< largest magnitude of a coordinate or neutral point, generated text apart
};

/// A packed plan that lies at `memory`; the memory outlives it, the host's plan need not.
[[nodiscard]] inline device_plan on_device(const position_plan& plan, const void* memory) noexcept {
    const polyrope::detail::plan_data& data = polyrope::detail::plan_access::data(plan);
    const auto count = static_cast<index_t>(plan.placements().size());
    const auto* const placements = static_cast<const placement*>(memory);
    const auto* const firsts = reinterpret_cast<const index_t*>(placements + count);
    const index_t* const visual = firsts + count;
    return {placements,           firsts,      visual,    reinterpret_cast<const double*>(visual + count), count,
            data.without_neutral, plan.axes(), data.reach};
}

/// Tokens first, first + 1, ... of a plan, also past its prompt.
struct planned_tokens {
    device_plan plan;
    token_index first;
    position_source which = position_source::coordinates;
};
[[nodiscard]] inline planned_tokens planned(const device_plan& plan, token_index first,
                                            position_source which = position_source::coordinates) noexcept {
    return {plan, first, which};
}

/// Where generated text of a request goes on: token n >= first sits at origin + (n - first) step on every axis. Holds
/// fractional and zero-spatial text too.
struct device_tail {
    index_t first = 0;
    double origin[max_axes] = {};
    double step[max_axes] = {};
    std::int64_t exact = 1;  ///< sums are exact in float64
};

[[nodiscard]] inline device_tail tail_on_device(const position_plan& plan) noexcept {
    device_tail tail;
    if (plan.placements().empty()) return tail;
    const placement& open = plan.placements().back();
    tail.first = open.first_token;
    for (int a = 0; a < plan.axes(); ++a) {
        tail.origin[a] = open.origin[a];
        tail.step[a] = open.per_column[a];
    }
    tail.exact = open.exact ? 1 : 0;
    return tail;
}

/// The next token of each of `count` requests: tails[n] in device memory, and live[n], the index that the token has in its
/// request, in device memory too: a captured graph stays valid while the sequences grow.
struct decode_tails {
    const device_tail* tails = nullptr;
    const index_t* live = nullptr;
    index_t count = 0;
    int axes = 0;
};

}  // namespace cuda
POLYROPE_END
