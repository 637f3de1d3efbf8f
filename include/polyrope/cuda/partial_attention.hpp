#pragma once
// An answer of attention over some of the keys, in device memory, as attention kernels give it.

#include <type_traits>

#include "polyrope/core/views.hpp"

POLYROPE_BEGIN
namespace cuda {

/// Normalised outputs [rows, heads, channels] in float32, bfloat16 or float16, and log_sum_exp [rows, heads] in
/// float32: natural logarithms, compact. An answer over no keys has the log-sum-exp -infinity.
template <class T>
struct partial_attention {
    heads_view<T> out;
    std::conditional_t<std::is_const_v<T>, const float, float>* log_sum_exp = nullptr;

    [[nodiscard]] constexpr partial_attention<const T> as_const() const noexcept {
        return {out.as_const(), log_sum_exp};
    }
};

}  // namespace cuda
POLYROPE_END
