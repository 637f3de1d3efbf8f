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

/// Bytes of a plan's placements, for each its first token and the visual tokens in front of it, and its tables, one
/// behind the other.
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
        tail.origin[a] = open.map[a].origin;
        tail.step[a] = open.map[a].per_column;
    }
    tail.exact = open.exact ? 1 : 0;
    return tail;
}

/// A plan's addresses, which kernels read, and what the host knows of it, by which calls are checked.
struct device_plan {
    const placement* placements = nullptr;
    const index_t* first_tokens = nullptr;
    const index_t* visual_before = nullptr;
    const double* arena = nullptr;
    index_t count = 0;  ///< placements
    int axes = 0;
    double reach = 0.0;  ///< largest magnitude of a coordinate or neutral point, generated text apart
    index_t without_neutral = no_segment;
    index_t not_whole = no_segment;          ///< first segment with a fractional coordinate
    index_t neutral_not_whole = no_segment;  ///< the same of neutral points, at which text sits too
    device_tail tail{};
};

/// A packed plan that lies at `memory`; the memory outlives it, the host's plan need not.
[[nodiscard]] inline device_plan on_device(const position_plan& plan, const void* memory) noexcept {
    const polyrope::detail::plan_data& data = polyrope::detail::plan_access::data(plan);
    device_plan there;
    there.count = static_cast<index_t>(plan.placements().size());
    there.placements = static_cast<const placement*>(memory);
    there.first_tokens = reinterpret_cast<const index_t*>(there.placements + there.count);
    there.visual_before = there.first_tokens + there.count;
    there.arena = reinterpret_cast<const double*>(there.visual_before + there.count);
    there.axes = plan.axes();
    there.reach = data.reach;
    there.without_neutral = data.without_neutral;
    for (const placement& p : plan.placements()) {
        const bool neutral_whole = p.kind == modality::visual ? p.neutral_whole : p.whole;
        if (!p.whole && there.not_whole == no_segment) there.not_whole = p.segment;
        if (!neutral_whole && there.neutral_not_whole == no_segment) there.neutral_not_whole = p.segment;
    }
    there.tail = tail_on_device(plan);
    return there;
}

/// Tokens of a plan, also past its prompt: first, first + 1, ..., or those that a list in device memory names, where an
/// index below zero names none: that token is skipped.
struct planned_tokens {
    device_plan plan;
    token_index first;
    position_source which = position_source::coordinates;
    const index_t* indices = nullptr;
    index_t count = 0;  ///< of indices
};
[[nodiscard]] inline planned_tokens planned(const device_plan& plan, token_index first,
                                            position_source which = position_source::coordinates) noexcept {
    return {plan, first, which, nullptr, 0};
}
[[nodiscard]] inline planned_tokens planned(const device_plan& plan, const index_t* indices, index_t count,
                                            position_source which = position_source::coordinates) noexcept {
    return {plan, token_index{0}, which, indices, count};
}

/// The next token of each of `count` requests: tails[n] in device memory, and live[n], the index that the token has in
/// its request, in device memory too: a captured graph stays valid while the sequences grow. live[n] below zero: there
/// is no such request, and token n is skipped, so that one graph serves any number of requests up to `count`.
struct decode_tails {
    const device_tail* tails = nullptr;
    const index_t* live = nullptr;
    index_t count = 0;
    int axes = 0;
    bool whole = false;  ///< every tail holds whole numbers (are_whole), which filling an integer type asks for
};

/// Whether tails, still on the host, hold whole numbers alone.
[[nodiscard]] inline bool are_whole(const device_tail* tails, index_t count) noexcept {
    for (index_t n = 0; n < count; ++n)
        for (int a = 0; a < max_axes; ++a)
            if (!polyrope::detail::is_whole(tails[n].origin[a]) || !polyrope::detail::is_whole(tails[n].step[a]))
                return false;
    return true;
}

}  // namespace cuda
POLYROPE_END
