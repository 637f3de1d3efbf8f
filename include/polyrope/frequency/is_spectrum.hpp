#pragma once
// What a spectrum is: a small value that says how fast a rotary pair turns. Written once, here. A rule whose
// frequencies depend on the length of the context is not one itself; its `at_length(tokens)` returns one.
//
//     struct my_spectrum {
//         status validate(index_t rotary_dim) const noexcept;               ok, or why it fits no such width
//         double frequency(index_t l, index_t rotary_dim) const noexcept;   radians per unit of position, of pair l
//         double attention_scaling() const noexcept;                        factor of every cosine and sine, 1 for most
//     };
//
// One that states `static constexpr bool restarts_per_axis = true` begins again on every axis: l counts the pairs of
// the pair's own axis (and head group), and rotary_dim is twice their number. spectrum::per_axis makes one of any.

#include <type_traits>
#include <utility>

#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

namespace detail {
template <class S, class = void>
struct is_spectrum : std::false_type {};
template <class S>
struct is_spectrum<S, std::void_t<decltype(std::declval<const S&>().validate(index_t{})),
                                  decltype(std::declval<const S&>().frequency(index_t{}, index_t{})),
                                  decltype(std::declval<const S&>().attention_scaling())>>
    : std::bool_constant<std::is_trivially_copyable_v<S> &&
                         std::is_same_v<decltype(std::declval<const S&>().validate(index_t{})), status> &&
                         std::is_same_v<decltype(std::declval<const S&>().frequency(index_t{}, index_t{})), double> &&
                         std::is_same_v<decltype(std::declval<const S&>().attention_scaling()), double>> {};

template <class S, class = void>
struct restarts_per_axis : std::false_type {};
template <class S>
struct restarts_per_axis<S, std::void_t<decltype(S::restarts_per_axis)>> : std::bool_constant<S::restarts_per_axis> {};
}  // namespace detail

template <class S>
inline constexpr bool is_spectrum_v = detail::is_spectrum<S>::value;

template <class S>
inline constexpr bool restarts_per_axis_v = detail::restarts_per_axis<S>::value;

POLYROPE_END
