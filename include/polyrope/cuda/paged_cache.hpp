#pragma once
// A paged cache of keys and values on the device, and where a launch's tokens lie in it.
//
//     nhd   [pages, page_size, heads, head_dim]      hnd   [pages, heads, page_size, head_dim]
//
// A token's place is its slot (page * page_size + place, -1: not kept), or its index in its request, whose pages a
// block table [requests, width] lists. Places that do not exist are not written: the host cannot look at them.

#include "polyrope/core/operands.hpp"

POLYROPE_BEGIN
namespace cuda {

/// C is the element type of q and k, or e4m3. Strides count elements; the last dimension is contiguous.
template <class C>
struct paged_cache {
    C* k = nullptr;
    C* v = nullptr;  ///< null: keys alone
    index_t pages = 0, page_size = 0, heads = 0, head_dim = 0;
    index_t page_stride = 0, token_stride = 0, head_stride = 0;
};

template <class C>
[[nodiscard]] constexpr paged_cache<C> nhd_cache(C* k, C* v, index_t pages, index_t page_size, index_t heads,
                                                 index_t head_dim) noexcept {
    return {k, v, pages, page_size, heads, head_dim, page_size * heads * head_dim, heads * head_dim, head_dim};
}
template <class C>
[[nodiscard]] constexpr paged_cache<C> hnd_cache(C* k, C* v, index_t pages, index_t page_size, index_t heads,
                                                 index_t head_dim) noexcept {
    return {k, v, pages, page_size, heads, head_dim, page_size * heads * head_dim, head_dim, page_size * head_dim};
}

/// Pages of requests. All arrays lie in device memory.
struct block_table {
    const std::int32_t* pages = nullptr;  ///< [requests, width]
    index_t requests = 0, width = 0;
    index_t row_stride = 0;                    ///< of `pages`
    const index_t* index_of = nullptr;         ///< [tokens]: the index of a token in its request; -1: not kept
    const std::int32_t* request_of = nullptr;  ///< [tokens]; null: token n is of request n, as in decoding
    index_t longest = 0;                       ///< most tokens that a request holds: width * page_size reaches it
};

/// One of the two is given.
struct cache_places {
    slot_list slots{};
    block_table table{};
};

}  // namespace cuda
POLYROPE_END
