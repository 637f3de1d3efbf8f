#pragma once
// Eight channels of a head as one thread moves them: 16 bytes of a 16-bit type, 32 bytes of float32, in 16-byte
// accesses. Also runs on the host, where the accesses are copies, with the same bits.

#include <cstring>

#include "polyrope/core/scalar.hpp"

POLYROPE_BEGIN
namespace cuda::detail {

namespace pd = polyrope::detail;

// One access of 16 bytes. A struct of four words compiles to four accesses; uint4 is one.
struct words {
    std::uint32_t w[4];
};
POLYROPE_DEVICE_FUNCTION words load_words(const void* from) {
#if defined(__CUDA_ARCH__)
    const uint4 v = *static_cast<const uint4*>(from);
    return {{v.x, v.y, v.z, v.w}};
#else
    words v;
    std::memcpy(&v, from, sizeof(v));
    return v;
#endif
}
POLYROPE_DEVICE_FUNCTION void store_words(void* to, const words& v) {
#if defined(__CUDA_ARCH__)
    *static_cast<uint4*>(to) = make_uint4(v.w[0], v.w[1], v.w[2], v.w[3]);
#else
    std::memcpy(to, &v, sizeof(v));
#endif
}

// Two 16-bit values in a word, and back with one rounding to nearest even. The device's conversions round as the
// integer form does and keep subnormals; only the payload of a NaN differs.
struct bfloat16_pairs {
    static POLYROPE_DEVICE_FUNCTION void widen(std::uint32_t word, float& low, float& high) {
        low = pd::bit_copy<float>(word << 16);
        high = pd::bit_copy<float>(word & 0xffff0000u);
    }
    static POLYROPE_DEVICE_FUNCTION std::uint32_t narrow(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        std::uint32_t word;
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
        return word;
#else
        return static_cast<std::uint32_t>(pd::bfloat16_bits(low)) | static_cast<std::uint32_t>(pd::bfloat16_bits(high))
                                                                        << 16;
#endif
    }
};
struct float16_pairs {
    static POLYROPE_DEVICE_FUNCTION void widen(std::uint32_t word, float& low, float& high) {
        low = pd::float16_value(static_cast<std::uint16_t>(word));
        high = pd::float16_value(static_cast<std::uint16_t>(word >> 16));
    }
    static POLYROPE_DEVICE_FUNCTION std::uint32_t narrow(float low, float high) {
        return static_cast<std::uint32_t>(pd::float16_bits(low)) | static_cast<std::uint32_t>(pd::float16_bits(high))
                                                                       << 16;
    }
};

// `Count` channels that one thread moves at once: 8, in 16-byte accesses, or 1.
template <class T, int Count>
struct channels;

template <class Pairs>
struct channels_of_words {
    words raw;
    POLYROPE_DEVICE_FUNCTION void load(const void* from) { raw = load_words(from); }
    POLYROPE_DEVICE_FUNCTION void copy(void* to) const { store_words(to, raw); }
    POLYROPE_DEVICE_FUNCTION void widen(float (&v)[8]) const {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < 4; ++i) Pairs::widen(raw.w[i], v[2 * i], v[2 * i + 1]);
    }
    static POLYROPE_DEVICE_FUNCTION void store(void* to, const float (&v)[8]) {
        words out;
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < 4; ++i) out.w[i] = Pairs::narrow(v[2 * i], v[2 * i + 1]);
        store_words(to, out);
    }
};
template <>
struct channels<bf16, 8> : channels_of_words<bfloat16_pairs> {};
template <>
struct channels<f16, 8> : channels_of_words<float16_pairs> {};

template <>
struct channels<float, 8> {
    words low, high;
    POLYROPE_DEVICE_FUNCTION void load(const void* from) {
        low = load_words(from);
        high = load_words(static_cast<const char*>(from) + 16);
    }
    POLYROPE_DEVICE_FUNCTION void copy(void* to) const {
        store_words(to, low);
        store_words(static_cast<char*>(to) + 16, high);
    }
    POLYROPE_DEVICE_FUNCTION void widen(float (&v)[8]) const {
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < 4; ++i) {
            v[i] = pd::bit_copy<float>(low.w[i]);
            v[4 + i] = pd::bit_copy<float>(high.w[i]);
        }
    }
    static POLYROPE_DEVICE_FUNCTION void store(void* to, const float (&v)[8]) {
        words a, b;
        POLYROPE_DEVICE_UNROLL
        for (int i = 0; i < 4; ++i) {
            a.w[i] = pd::bit_copy<std::uint32_t>(v[i]);
            b.w[i] = pd::bit_copy<std::uint32_t>(v[4 + i]);
        }
        store_words(to, a);
        store_words(static_cast<char*>(to) + 16, b);
    }
};

template <class Pairs>
struct channel_of_half {
    std::uint16_t raw;
    POLYROPE_DEVICE_FUNCTION void load(const void* from) { raw = *static_cast<const std::uint16_t*>(from); }
    POLYROPE_DEVICE_FUNCTION void copy(void* to) const { *static_cast<std::uint16_t*>(to) = raw; }
    POLYROPE_DEVICE_FUNCTION void widen(float (&v)[1]) const {
        float none;
        Pairs::widen(raw, v[0], none);
    }
    static POLYROPE_DEVICE_FUNCTION void store(void* to, const float (&v)[1]) {
        *static_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(Pairs::narrow(v[0], 0.0f));
    }
};
template <>
struct channels<bf16, 1> : channel_of_half<bfloat16_pairs> {};
template <>
struct channels<f16, 1> : channel_of_half<float16_pairs> {};
template <>
struct channels<float, 1> {
    float raw;
    POLYROPE_DEVICE_FUNCTION void load(const void* from) { raw = *static_cast<const float*>(from); }
    POLYROPE_DEVICE_FUNCTION void copy(void* to) const { *static_cast<float*>(to) = raw; }
    POLYROPE_DEVICE_FUNCTION void widen(float (&v)[1]) const { v[0] = raw; }
    static POLYROPE_DEVICE_FUNCTION void store(void* to, const float (&v)[1]) { *static_cast<float*>(to) = v[0]; }
};

}  // namespace cuda::detail
POLYROPE_END
