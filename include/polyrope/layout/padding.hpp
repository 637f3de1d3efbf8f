#pragma once
// Which slots of a padded row hold real tokens, from its attention mask.
//
//     mask 0 0 1 1 1     left 2, tokens 3, right 0

#include "polyrope/core/result.hpp"

POLYROPE_BEGIN

/// Where the real tokens of a padded row are: slots [left, left + tokens).
struct row_padding {
    index_t left = 0;
    index_t tokens = 0;
    index_t right = 0;
};

/// Reads an attention mask of zeros and ones. Ones with a hole between them, and other values
/// (packing maps), are refused.
template <class Flag>
[[nodiscard]] result<row_padding> padding_of(const Flag* mask, index_t count) noexcept {
    if (count < 0) return status{errc::negative_count, operand::token, 0, 0, count};
    if (count > 0 && mask == nullptr) return status{errc::null_data, operand::token, 0, 0, count};
    row_padding row;
    for (index_t n = 0; n < count; ++n) {
        const bool real = mask[n] == Flag(1);
        if (!real && mask[n] != Flag(0)) return status{errc::range_invalid, operand::token, n, n, n + 1};
        if (real && row.right > 0) return status{errc::range_invalid, operand::token, n, row.left, n + 1};
        if (real) ++row.tokens;
        else ++(row.tokens == 0 ? row.left : row.right);
    }
    return row;
}

POLYROPE_END
