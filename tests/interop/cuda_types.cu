// CUDA's element types through the device's door and the host's, as an engine's file has them.

#include "polyrope/cuda.cuh"
#include "polyrope/interop/cuda_types.hpp"
#include "polyrope/polyrope.hpp"

using namespace polyrope;

template <class T>
status turn_both(const rotary& host, const cuda::device_rotary& there, positions_view<const std::int32_t> positions,
                 heads_view<T> q, heads_view<T> k, cudaStream_t stream) {
    if (const status s = cpu::rotate(host, positions, q, k); !s.ok()) return s;
    return cuda::rotate(there, positions, q, k, stream);
}

template status turn_both<__half>(const rotary&, const cuda::device_rotary&, positions_view<const std::int32_t>,
                                  heads_view<__half>, heads_view<__half>, cudaStream_t);
template status turn_both<__nv_bfloat16>(const rotary&, const cuda::device_rotary&, positions_view<const std::int32_t>,
                                         heads_view<__nv_bfloat16>, heads_view<__nv_bfloat16>, cudaStream_t);

__global__ void write_byte(__nv_fp8_e4m3* out, const float* in) { *interop::as_e4m3(out) = e4m3::from(*in); }
