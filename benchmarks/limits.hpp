#pragma once
// What the machine can do: the least work that touches the same bytes. Each function takes `bytes` bytes at `data`, on
// a 64-byte line, a multiple of 256 of them.
//
//     stream           load, xor with a zero that only the run knows, store: every byte read once and written once
//     scale_bfloat16   the least that widens, multiplies and rounds, by the native conversion where there is one
//     scale_float16    the same for float16

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace bench {

inline volatile std::int32_t run_time_zero = 0;

inline void stream_portable(void* data, std::size_t bytes) {
    auto* words = static_cast<std::uint64_t*>(data);
    const auto zero = static_cast<std::uint64_t>(run_time_zero);
    for (std::size_t i = 0; i < bytes / 8; ++i) words[i] ^= zero;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) inline void stream_avx2(void* data, std::size_t bytes) {
    const __m256i zero = _mm256_set1_epi32(run_time_zero);
    auto* p = static_cast<__m256i*>(data);
    for (std::size_t i = 0; i < bytes / 32; i += 8) {
        __m256i v[8];
#pragma GCC unroll 8
        for (int u = 0; u < 8; ++u) v[u] = _mm256_load_si256(p + i + u);
#pragma GCC unroll 8
        for (int u = 0; u < 8; ++u) _mm256_store_si256(p + i + u, _mm256_xor_si256(v[u], zero));
    }
}

__attribute__((target("avx512f"))) inline void stream_avx512(void* data, std::size_t bytes) {
    const __m512i zero = _mm512_set1_epi32(run_time_zero);
    auto* p = static_cast<char*>(data);
    for (std::size_t i = 0; i < bytes; i += 256) {
        __m512i v[4];
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) v[u] = _mm512_load_si512(p + i + 64 * u);
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) _mm512_store_si512(p + i + 64 * u, _mm512_xor_si512(v[u], zero));
    }
}

__attribute__((target("avx2"))) inline void scale_bfloat16_avx2(void* data, std::size_t bytes) {
    const __m256 factor = _mm256_set1_ps(1.0f + static_cast<float>(run_time_zero));
    const __m256i high = _mm256_set1_epi32(static_cast<int>(0xffff0000u)), one = _mm256_set1_epi16(1);
    const __m256i bias = _mm256_set1_epi16(static_cast<short>(0x8000)), none = _mm256_setzero_si256();
    auto* p = static_cast<__m256i*>(data);
    for (std::size_t i = 0; i < bytes / 32; i += 4) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
            const __m256i w = _mm256_load_si256(p + i + u);
            const __m256i e = _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(w, 16)), factor));
            const __m256i o =
                _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(_mm256_and_si256(w, high)), factor));
            const __m256i upper = _mm256_blend_epi16(_mm256_srli_epi32(e, 16), o, 0xaa);
            const __m256i lower = _mm256_blend_epi16(e, _mm256_slli_epi32(o, 16), 0xaa);
            const __m256i sum = _mm256_adds_epu16(lower, _mm256_and_si256(upper, one));
            _mm256_store_si256(p + i + u,
                               _mm256_sub_epi16(upper, _mm256_cmpgt_epi16(_mm256_xor_si256(sum, bias), none)));
        }
    }
}

__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) inline void scale_bfloat16_native(void* data,
                                                                                                  std::size_t bytes) {
    const __m512 factor = _mm512_set1_ps(1.0f + static_cast<float>(run_time_zero));
    const __m512i high = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    // The conversion puts the even halves below the odd ones; one word permute brings them back.
    alignas(64) std::uint16_t order[32];
    for (int i = 0; i < 16; ++i) {
        order[2 * i] = static_cast<std::uint16_t>(i);
        order[2 * i + 1] = static_cast<std::uint16_t>(16 + i);
    }
    const __m512i back = _mm512_load_si512(order);
    auto* p = static_cast<char*>(data);
    for (std::size_t i = 0; i < bytes; i += 256) {
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
            const __m512i w = _mm512_load_si512(p + i + 64 * u);
            const __m512 e = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_slli_epi32(w, 16)), factor);
            const __m512 o = _mm512_mul_ps(_mm512_castsi512_ps(_mm512_and_si512(w, high)), factor);
            const __m512bh packed = _mm512_cvtne2ps_pbh(o, e);
            __m512i words;
            std::memcpy(&words, &packed, sizeof(words));
            _mm512_store_si512(p + i + 64 * u, _mm512_permutexvar_epi16(back, words));
        }
    }
}

__attribute__((target("avx2,f16c"))) inline void scale_float16_avx2(void* data, std::size_t bytes) {
    const __m256 factor = _mm256_set1_ps(1.0f + static_cast<float>(run_time_zero));
    auto* p = static_cast<__m128i*>(data);
    for (std::size_t i = 0; i < bytes / 16; i += 8) {
#pragma GCC unroll 8
        for (int u = 0; u < 8; ++u)
            _mm_store_si128(p + i + u,
                            _mm256_cvtps_ph(_mm256_mul_ps(_mm256_cvtph_ps(_mm_load_si128(p + i + u)), factor), 0));
    }
}

__attribute__((target("avx512f"))) inline void scale_float16_avx512(void* data, std::size_t bytes) {
    const __m512 factor = _mm512_set1_ps(1.0f + static_cast<float>(run_time_zero));
    auto* p = static_cast<char*>(data);
    for (std::size_t i = 0; i < bytes; i += 256) {
#pragma GCC unroll 8
        for (int u = 0; u < 8; ++u) {
            auto* at = reinterpret_cast<__m256i*>(p + i + 32 * u);
            _mm256_store_si256(at, _mm512_cvtps_ph(_mm512_mul_ps(_mm512_cvtph_ps(_mm256_load_si256(at)), factor), 0));
        }
    }
}

#endif

using limit_kernel = void (*)(void*, std::size_t);

struct limit {
    limit_kernel kernel;
    const char* name;
};

/// In place, at the widest registers of this machine.
inline limit stream_limit() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {stream_avx512, "stream (64-byte)"};
    if (__builtin_cpu_supports("avx2")) return {stream_avx2, "stream (32-byte)"};
#endif
    return {stream_portable, "stream"};
}

inline limit bfloat16_limit() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bf16")) return {scale_bfloat16_native, "scale16 (native conversion)"};
    if (__builtin_cpu_supports("avx2")) return {scale_bfloat16_avx2, "scale16 (integer rounding, 32-byte)"};
#endif
    return stream_limit();
}

inline limit float16_limit() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {scale_float16_avx512, "scale16 (64-byte)"};
    if (__builtin_cpu_supports("avx2")) return {scale_float16_avx2, "scale16 (32-byte)"};
#endif
    return stream_limit();
}

}  // namespace bench
