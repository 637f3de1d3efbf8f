// Small kernels whose answers are known: the interpreter itself is tested on what nvcc makes of them. Some are wrong on
// purpose, and the interpreter has to say how.

#include <cuda_fp16.h>

namespace {

/// Every lane's partner by all four modes, in halves of a warp and over a 3-D block.
extern "C" __global__ void shuffles(int* out) {
    const unsigned at = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned half = at % 32 / 16 == 0 ? 0x0000ffffu : 0xffff0000u;
    const int mine = static_cast<int>(at) * 10;
    int* const to = out + 5 * at;
    to[0] = __shfl_xor_sync(0xffffffffu, mine, 5);
    to[1] = __shfl_up_sync(0xffffffffu, mine, 3);
    to[2] = __shfl_down_sync(0xffffffffu, mine, 2, 8);
    to[3] = __shfl_sync(0xffffffffu, mine, 7, 16);
    to[4] = __shfl_xor_sync(half, mine, 8);
}

/// Sum of four lanes in a butterfly.
extern "C" __global__ void butterfly(const float* in, float* out) {
    float x = in[threadIdx.x];
    for (int d = 2; d > 0; d /= 2) x = __fadd_rn(x, __shfl_xor_sync(0xffffffffu, x, d));
    out[threadIdx.x] = x;
}

/// Lane 31 has left; the others still name it.
extern "C" __global__ void reads_a_lane_that_left(int* out) {
    if (threadIdx.x == 31) return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, static_cast<int>(threadIdx.x), 1);
}

/// Half of the warp shuffles by itself, but reads the other half.
extern "C" __global__ void reads_outside_its_mask(int* out) {
    int x = static_cast<int>(threadIdx.x);
    if (x < 16) x = __shfl_xor_sync(0x0000ffffu, x, 16);
    out[threadIdx.x] = x;
}

extern "C" __global__ void votes(unsigned* out) {
    const unsigned at = threadIdx.x;
    unsigned* const to = out + 5 * at;
    to[0] = __ballot_sync(0xffffffffu, at % 3 == 0);
    to[1] = static_cast<unsigned>(__any_sync(0xffffffffu, at == 40));
    to[2] = static_cast<unsigned>(__all_sync(0xffffffffu, at < 32));
    to[3] = to[4] = 0;
    if (at % 32 < 5) to[3] = __activemask();
    __syncwarp();
    if (at % 32 >= 5) to[4] = __ballot_sync(0xffffffe0u, at % 2 == 0);
}

/// Reverses 64 numbers through shared memory.
extern "C" __global__ void reverses(const int* in, int* out) {
    __shared__ int room[64];
    for (int round = 0; round < 2; ++round) {
        room[threadIdx.x] = in[64 * round + threadIdx.x];
        __syncthreads();
        out[64 * round + threadIdx.x] = room[63 - threadIdx.x];
        __syncthreads();
    }
}

/// The last block to arrive adds up what all have written: needs the fence between data and counter.
extern "C" __global__ void last_block_adds(int* partial, unsigned* arrived, int* out) {
    __shared__ bool is_last;
    partial[blockIdx.x * 2 + threadIdx.x] = static_cast<int>(blockIdx.x + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last || threadIdx.x != 0) return;
    __threadfence();
    int sum = 0;
    for (unsigned i = 0; i < 2 * gridDim.x; ++i) sum += partial[i];
    *out = sum;
}

/// Two threads write one place.
extern "C" __global__ void both_write(int* out) { out[threadIdx.x / 2] = 5; }

/// Each thread reads what its neighbour rewrites.
extern "C" __global__ void moves_in_place(int* data) {
    const int x = data[threadIdx.x + 1];
    data[threadIdx.x] = x;
}

extern "C" __global__ void copies(const int* in, int* out, int count) {
    for (int i = 0; i < count; ++i) out[i] = in[i];
}
extern "C" __global__ void copies_wide(const uint4* in, uint4* out) { *out = *in; }

/// Square root, quotient and reciprocal, rounded once.
extern "C" __global__ void roots(const float* in, float* out) {
    const float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
    float* const to = out + 4 * threadIdx.x;
    to[0] = __fsqrt_rn(a);
    to[1] = __fdiv_rn(a, b);
    to[2] = __frcp_rn(b);
    asm("fma.rn.ftz.f32 %0, %1, %2, %1;" : "=f"(to[3]) : "f"(a), "f"(b));
}
extern "C" __global__ void about_a_sine(const float* in, float* out) { *out = __sinf(*in); }

/// Conversions to the narrow types and back.
extern "C" __global__ void narrows(const float* in, unsigned short* out) {
    const float a = in[2 * threadIdx.x];
    unsigned short* const to = out + 6 * threadIdx.x;
    const unsigned short half = __half_as_ushort(__float2half_rn(a));
    const unsigned back = __float_as_uint(__half2float(__ushort_as_half(half)));
    to[0] = half;
    to[1] = static_cast<unsigned short>(back >> 16);
#if __CUDA_ARCH__ >= 890
    const float b = in[2 * threadIdx.x + 1];
    unsigned word, halves;
    unsigned short pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(b), "f"(a));
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(b), "f"(a));
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
    to[2] = static_cast<unsigned short>(word);
    to[3] = pair;
    to[4] = static_cast<unsigned short>(halves);
    to[5] = static_cast<unsigned short>(halves >> 16);
#endif
}

/// Waits for the launch before it; `early` reads before.
extern "C" __global__ void waits(const int* in, int* out, int early) {
    int x = early != 0 ? *in : 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    if (early == 0) x = *in;
    *out = x;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Never ends.
extern "C" __global__ void waits_for_another_block(const volatile int* flag, int* out) {
    while (*flag == 0) {
    }
    *out = 1;
}

}  // namespace
