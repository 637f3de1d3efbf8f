#pragma once
// The only file with macros. Everything here is decided by the compiler; a user defines nothing.

// Functions that run once per model, or when something is wrong: small rather than fast.
#if defined(__GNUC__) || defined(__clang__)
#define POLYROPE_COLD __attribute__((cold, noinline))
#define POLYROPE_NOINLINE __attribute__((noinline))
#else
#define POLYROPE_COLD
#define POLYROPE_NOINLINE __declspec(noinline)
#endif

// Functions that also run on a GPU.
#if defined(__CUDACC__)
#define POLYROPE_HOST_DEVICE __host__ __device__
#else
#define POLYROPE_HOST_DEVICE
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define POLYROPE_ALWAYS_INLINE __forceinline
#else
#define POLYROPE_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

// A step of a numeric expression that is written once and included for every instruction set and for the GPU.
#if defined(__CUDACC__)
#define POLYROPE_LEVEL_FUNCTION __host__ __device__ __forceinline__
#else
#define POLYROPE_LEVEL_FUNCTION POLYROPE_ALWAYS_INLINE
#endif

// A step of a GPU kernel. The host runs it too, in tests, where it need not be fast.
#if defined(__CUDACC__)
#define POLYROPE_DEVICE_FUNCTION __host__ __device__ __forceinline__
#else
#define POLYROPE_DEVICE_FUNCTION inline
#endif
#if defined(__CUDA_ARCH__)
#define POLYROPE_DEVICE_UNROLL _Pragma("unroll")
#else
#define POLYROPE_DEVICE_UNROLL
#endif

// Arrays of registers stay registers only in loops that are unrolled whole.
#if defined(__clang__) || defined(__CUDA_ARCH__)
#define POLYROPE_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define POLYROPE_UNROLL
#elif defined(__GNUC__)
#define POLYROPE_UNROLL _Pragma("GCC unroll 16")
#else
#define POLYROPE_UNROLL
#endif

// Which families of kernels the target can hold. The level that runs is picked at run time (cpu/level.hpp).
// Compilers without target pragmas, and CUDA's host pass, hold the base level alone.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__)
#define POLYROPE_X86_LEVELS 1
#else
#define POLYROPE_X86_LEVELS 0
#endif
#if defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__)
#define POLYROPE_NEON_LEVEL 1
#else
#define POLYROPE_NEON_LEVEL 0
#endif
#if (defined(__SSE2__) || defined(_M_X64) || defined(_M_AMD64)) && !defined(__CUDACC__)
#define POLYROPE_SSE2 1
#else
#define POLYROPE_SSE2 0
#endif

// True where a scalar fused multiply-add is one instruction under the flags of this translation unit.
#if defined(__FMA__) || defined(__aarch64__) || defined(__ARM_FEATURE_FMA)
#define POLYROPE_HARDWARE_FMA 1
#else
#define POLYROPE_HARDWARE_FMA 0
#endif

#define POLYROPE_BEGIN   \
    namespace polyrope { \
    inline namespace v0 {
#define POLYROPE_END \
    }                \
    }

// What the linker calls a function of the C library.
#if defined(__USER_LABEL_PREFIX__)
#define POLYROPE_TEXT_OF(text) #text
#define POLYROPE_TEXT(text) POLYROPE_TEXT_OF(text)
#define POLYROPE_C_SYMBOL(name) POLYROPE_TEXT(__USER_LABEL_PREFIX__) name
#endif

// Code whose machine instructions follow the flags of its translation unit lives in a namespace named after them, so
// that the linker never merges a function built for one machine with its namesake built for another, nor what a CUDA
// compiler made, which holds fewer levels, with what a C++ compiler made.
#if defined(__CUDACC__)
#define POLYROPE_AMBIENT_OF(flags) ambient_cuda_##flags
#else
#define POLYROPE_AMBIENT_OF(flags) ambient_##flags
#endif
#if defined(__AVX512F__)
#define POLYROPE_AMBIENT POLYROPE_AMBIENT_OF(avx512)
#elif defined(__AVX2__) && defined(__FMA__)
#define POLYROPE_AMBIENT POLYROPE_AMBIENT_OF(avx2)
#elif defined(__AVX__)
#define POLYROPE_AMBIENT POLYROPE_AMBIENT_OF(avx)
#else
#define POLYROPE_AMBIENT POLYROPE_AMBIENT_OF(base)
#endif

// A parameter of a kernel that no thread writes and all read where the launch put it. Before 20, clang knows no such
// word, and sees it by itself.
#if defined(__NVCC__) || (defined(__clang__) && __clang_major__ >= 20)
#define POLYROPE_GRID_CONSTANT __grid_constant__
#else
#define POLYROPE_GRID_CONSTANT
#endif
