// Every kernel that is built, tested and launched, once: element type, channel order, source of angles, pairs per
// thread, parts. Read by supports(), the build of the device code and the tests. No include guard: each reader says
// what POLYROPE_CUDA_KERNEL is, and what the macros of the kernels beside the rotation are, where it reads those.
//
// Eight pairs a thread need rows on 16-byte boundaries and a multiple of eight pairs; one pair a thread takes the rest,
// where nothing but a norm stands around the rotation.

#define POLYROPE_CUDA_ORDERS(T, source, pairs, parts)                        \
    POLYROPE_CUDA_KERNEL(T, channel_order::half_split, source, pairs, parts) \
    POLYROPE_CUDA_KERNEL(T, channel_order::adjacent, source, pairs, parts)

#define POLYROPE_CUDA_SOURCES(T, pairs, parts)           \
    POLYROPE_CUDA_ORDERS(T, position_rows, pairs, parts) \
    POLYROPE_CUDA_ORDERS(T, token_rows, pairs, parts)    \
    POLYROPE_CUDA_ORDERS(T, planned_rows, pairs, parts)  \
    POLYROPE_CUDA_ORDERS(T, tail_rows, pairs, parts)

#define POLYROPE_CUDA_ELEMENT(T)                           \
    POLYROPE_CUDA_SOURCES(T, 8, parts::plain)              \
    POLYROPE_CUDA_SOURCES(T, 1, parts::plain)              \
    POLYROPE_CUDA_SOURCES(T, 8, parts::norm)               \
    POLYROPE_CUDA_SOURCES(T, 1, parts::norm)               \
    POLYROPE_CUDA_SOURCES(T, 8, parts::write)              \
    POLYROPE_CUDA_SOURCES(T, 8, parts::norm_write)         \
    POLYROPE_CUDA_ORDERS(T, planned_rows, 8, parts::banks) \
    POLYROPE_CUDA_ORDERS(T, planned_rows, 8, parts::norm_banks)

POLYROPE_CUDA_ELEMENT(float)
POLYROPE_CUDA_ELEMENT(bf16)
POLYROPE_CUDA_ELEMENT(f16)

#undef POLYROPE_CUDA_ELEMENT
#undef POLYROPE_CUDA_SOURCES
#undef POLYROPE_CUDA_ORDERS

// The merge of partial answers, by the element type of outputs.
#if defined(POLYROPE_CUDA_MERGE_KERNEL)
POLYROPE_CUDA_MERGE_KERNEL(float)
POLYROPE_CUDA_MERGE_KERNEL(bf16)
POLYROPE_CUDA_MERGE_KERNEL(f16)
#endif

// Positions from plans, by the threads of a block.
#if defined(POLYROPE_CUDA_FILL_KERNEL)
POLYROPE_CUDA_FILL_KERNEL(fill_threads)
#endif
