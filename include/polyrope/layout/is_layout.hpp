#pragma once
// What a layout is: a small value that says where the tokens of a segment sit. Written once, here.
//
//     struct my_layout {
//         struct cursor { double next = 0.0; };          where the walk along the prompt stands
//         int axes() const;
//         cursor resume(const position_plan&) const;     behind all segments of a plan; of an empty plan: the start
//         double position(cursor) const;                 the next text position, on the first axis
//         cursor moved(cursor, double position) const;   the same walk at another text position
//         cursor place(const segment&, cursor, plan_builder&) const;   adds placements, returns the cursor behind them
//         generation continues() const;                  optional: where generated text goes on; past_everything without it
//     };
//
// Both structs are trivially copyable. Generated tokens are placed as text. examples/new_policy.cpp has one.

#include <type_traits>
#include <utility>

#include "polyrope/layout/plan_builder.hpp"
#include "polyrope/layout/position_plan.hpp"

POLYROPE_BEGIN

namespace detail {
template <class L, class = void>
struct is_layout : std::false_type {};
template <class L>
struct is_layout<L, std::void_t<typename L::cursor, decltype(std::declval<const L&>().axes()),
                                decltype(std::declval<const L&>().resume(std::declval<const position_plan&>())),
                                decltype(std::declval<const L&>().position(std::declval<typename L::cursor>())),
                                decltype(std::declval<const L&>().moved(std::declval<typename L::cursor>(), double{})),
                                decltype(std::declval<const L&>().place(std::declval<const segment&>(),
                                                                        std::declval<typename L::cursor>(),
                                                                        std::declval<plan_builder&>()))>>
    : std::bool_constant<
          std::is_trivially_copyable_v<L> && std::is_trivially_copyable_v<typename L::cursor> &&
          std::is_convertible_v<decltype(std::declval<const L&>().axes()), int> &&
          std::is_same_v<decltype(std::declval<const L&>().resume(std::declval<const position_plan&>())),
                         typename L::cursor> &&
          std::is_same_v<decltype(std::declval<const L&>().position(std::declval<typename L::cursor>())), double> &&
          std::is_same_v<decltype(std::declval<const L&>().moved(std::declval<typename L::cursor>(), double{})),
                         typename L::cursor> &&
          std::is_same_v<decltype(std::declval<const L&>().place(std::declval<const segment&>(),
                                                                 std::declval<typename L::cursor>(),
                                                                 std::declval<plan_builder&>())),
                         typename L::cursor>> {};
}  // namespace detail

template <class L>
inline constexpr bool is_layout_v = detail::is_layout<L>::value;

POLYROPE_END
