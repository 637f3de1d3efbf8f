#pragma once
// Which kernel source reads what a caller hands over as positions, and which storage its element type is.

#include "polyrope/cuda/detail/turn.hpp"
#include "polyrope/rotary/table.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

template <class T>
using storage_of = std::conditional_t<element_traits<T>::kind == element::float32, float,
                                      std::conditional_t<element_traits<T>::kind == element::bfloat16, bf16, f16>>;

struct no_source {
    static constexpr bool known = false;
};
template <class Source, class View>
struct reads {
    static constexpr bool known = true;
    using type = Source;
    using view = View;
};

/// Types of the host's own, as a position_plan, are no sources: they never reach a launch.
template <class P>
struct source_of : no_source {};
template <class P>
struct source_of<positions_view<P>> : reads<position_rows, positions_view<const std::remove_const_t<P>>> {
    using value = std::remove_const_t<P>;
    static_assert(std::is_same_v<value, std::int32_t> || std::is_same_v<value, std::int64_t> ||
                      std::is_same_v<value, float>,
                  "positions on the device are int32, int64 or float32");
};
template <>
struct source_of<planned_tokens> : reads<planned_rows, const planned_tokens&> {};
template <>
struct source_of<planned_batch> : reads<planned_rows, const planned_batch&> {};
template <>
struct source_of<decode_tails> : reads<tail_rows, const decode_tails&> {};
template <class F>
struct source_of<cos_sin_view<F>> : reads<token_rows, cos_sin_view<const float>> {};
template <class P>
struct source_of<table_lookup<P>> : reads<token_rows, const table_lookup<P>&> {};

/// source_of, or a sentence where there is none.
template <class P>
struct required_source : source_of<P> {
    static_assert(source_of<P>::known,
                  "positions are int32, int64 or float32 views, planned(plan, first), planned_batch, decode_tails, a "
                  "cos_sin_view with a row per token, or looked_up(table, positions)");
};

}  // namespace cuda::detail
POLYROPE_END
