// Every shipped kernel, instantiated: what nvcc makes of them is run and looked at by the tests.

#include "polyrope/cuda.cuh"

POLYROPE_BEGIN
namespace cuda::detail {

#define POLYROPE_CUDA_KERNEL(T, order, source, pairs, parts) \
    template __global__ void turn_kernel<T, order, source, pairs, parts>(const POLYROPE_GRID_CONSTANT rotate_task);
#define POLYROPE_CUDA_MERGE_KERNEL(T) template __global__ void merge_kernel<T>(const POLYROPE_GRID_CONSTANT merge_task);
#define POLYROPE_CUDA_FILL_KERNEL(threads) \
    template __global__ void fill_kernel<threads>(const POLYROPE_GRID_CONSTANT fill_task);
#include "polyrope/cuda/detail/shipped.inl"
#undef POLYROPE_CUDA_FILL_KERNEL
#undef POLYROPE_CUDA_MERGE_KERNEL
#undef POLYROPE_CUDA_KERNEL

}  // namespace cuda::detail
POLYROPE_END
