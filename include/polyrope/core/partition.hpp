#pragma once
// The caller brings the threads: worker `ith` of `nth` takes its equal share of a range. The shares cover the range
// without overlap, and every split gives the same bits.

#include "polyrope/core/index.hpp"

POLYROPE_BEGIN

/// Worker `ith` of `nth`; [0, nth).
struct partition {
    int ith = 0;
    int nth = 1;
};

/// The share of `part` in the half-open range [begin, end). Cannot overflow for any range of 64-bit indices that begins
/// at or after zero. A partition that is not 0 <= ith < nth has an empty share.
[[nodiscard]] POLYROPE_HOST_DEVICE constexpr token_range share(token_range all, partition part) noexcept {
    const index_t size = all.size();
    if (part.nth == 1 && part.ith == 0 && size >= 0) return all;
    if (size <= 0 || part.nth <= 0 || part.ith < 0 || part.ith >= part.nth) return {all.begin, all.begin};
    const index_t each = size / part.nth, rest = size % part.nth;
    const index_t ith = part.ith;
    const index_t first = all.begin.value + each * ith + (ith < rest ? ith : rest);
    return {token_index{first}, token_index{first + each + (ith < rest ? 1 : 0)}};
}

POLYROPE_END
