#pragma once
// What an allocation is: a small value that says which axis turns a rotary pair. Written once, here.
//
//     struct my_allocation {
//         constexpr int axes() const noexcept;                            axes of the positions it reads
//         constexpr index_t groups() const noexcept;                      head groups with a row each, 1 for most
//         constexpr status validate(index_t pairs) const noexcept;        ok, or why it does not fit this many pairs
//         constexpr axis operator()(index_t l, index_t group) const noexcept;   of pair l; axis_none: not rotated
//     };

#include <type_traits>
#include <utility>

#include "polyrope/core/axis.hpp"
#include "polyrope/core/status.hpp"

POLYROPE_BEGIN

namespace detail {
template <class A, class = void>
struct is_allocation : std::false_type {};
template <class A>
struct is_allocation<A,
                     std::void_t<decltype(std::declval<const A&>().axes()), decltype(std::declval<const A&>().groups()),
                                 decltype(std::declval<const A&>().validate(index_t{})),
                                 decltype(std::declval<const A&>()(index_t{}, index_t{}))>>
    : std::bool_constant<std::is_trivially_copyable_v<A> &&
                         std::is_convertible_v<decltype(std::declval<const A&>().axes()), int> &&
                         std::is_convertible_v<decltype(std::declval<const A&>().groups()), index_t> &&
                         std::is_same_v<decltype(std::declval<const A&>().validate(index_t{})), status> &&
                         std::is_same_v<decltype(std::declval<const A&>()(index_t{}, index_t{})), axis>> {};
}  // namespace detail

template <class A>
inline constexpr bool is_allocation_v = detail::is_allocation<A>::value;

POLYROPE_END
