#pragma once
// The CPU kernel: turns queries and keys [tokens, heads, head_dim] by their tokens' positions, together, in
// place or not. Allocates nothing, starts no thread, keeps no state; the same bits at every level, in every
// split, in place or not.
//
//     status s = cpu::rotate(rope, axis_major(positions, 3, tokens), q, k);
//
// Reference for each rounding: rotary/rounding.hpp; for each phase: rotary/phase.hpp. Channels past rotary_dim stay as
// they are in place, and are copied out of place. Subnormals are kept, NaN stays NaN; round-to-nearest is assumed, and
// a caller that has set flush-to-zero flushes subnormals.

#include "polyrope/cpu/detail/call.hpp"
#include "polyrope/cpu/rotate_options.hpp"
#include "polyrope/cpu/source.hpp"

POLYROPE_BEGIN
namespace cpu {

/// Turns q and k in place. k may be absent (no_heads). Each worker of a partition makes the same call
/// with its own `ith`.
/// @return ok, or what is wrong: nothing is written then. A worker checks the positions of its own share.
template <class T, class Source>
status rotate(const rotary& rope, const Source& positions, heads_view<T> q, heads_view<T> k = {},
              const rotate_options& options = {}) noexcept {
    static_assert(detail::is_source<Source>::value,
                  "positions come as a positions_view, planned(plan, first), a cos_sin_view or looked_up(table, "
                  "positions); see cpu/source.hpp");
    return detail::rotate_operands<T>(rope, detail::source_of(positions),
                                      {nullptr, q, options.q_shard, operand::q, operand::q},
                                      {nullptr, k, options.k_shard, operand::k, operand::k}, options);
}

/// Turns q and k into q_out and k_out; channels past rotary_dim are copied. An output may be its own input, and
/// nothing else may overlap.
template <class T, class Source>
status rotate_to(const rotary& rope, const Source& positions, heads_view<const T> q, heads_view<const T> k,
                 heads_view<T> q_out, heads_view<T> k_out, const rotate_options& options = {}) noexcept {
    static_assert(detail::is_source<Source>::value,
                  "positions come as a positions_view, planned(plan, first), a cos_sin_view or looked_up(table, "
                  "positions); see cpu/source.hpp");
    return detail::rotate_operands<T>(rope, detail::source_of(positions),
                                      {&q, q_out, options.q_shard, operand::q, operand::q_out},
                                      {&k, k_out, options.k_shard, operand::k, operand::k_out}, options);
}

}  // namespace cpu
POLYROPE_END
