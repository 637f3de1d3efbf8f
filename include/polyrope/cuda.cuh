#pragma once
// The third door: the device side. Needs nvcc or clang's CUDA front end, no flags and no Eigen.
//
//     cuda/device_rotary   a rotary in device memory
//     cuda/device_plan     a plan there, or the tail of one
//     cuda/rotate          the kernel
//     cuda/fused           with norm, e4m3 and a paged cache around it
//     cuda/rotate_banks    with both coordinates of visual tokens

#include "polyrope/cuda/device_plan.hpp"
#include "polyrope/cuda/device_rotary.hpp"
#include "polyrope/cuda/fused.cuh"
#include "polyrope/cuda/rotate.cuh"
#include "polyrope/cuda/rotate_banks.cuh"
#include "polyrope/cuda/supports.hpp"
#include "polyrope/version.hpp"
