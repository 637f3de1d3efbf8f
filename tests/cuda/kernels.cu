// Every shipped kernel, instantiated: what nvcc makes of them is run and looked at by the tests.

#include "polyrope/cuda.cuh"

POLYROPE_BEGIN
namespace cuda::detail {

#define POLYROPE_CUDA_KERNEL(T, order, source, pairs, parts) \
    template __global__ void turn_kernel<T, order, source, pairs, parts>(const POLYROPE_GRID_CONSTANT rotate_task);
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_KERNEL

}  // namespace cuda::detail
POLYROPE_END
