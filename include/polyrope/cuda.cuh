#pragma once
// The third door: the device side. Needs nvcc or clang's CUDA front end, no flags and no Eigen.
//
//     cuda/device_rotary   a rotary in device memory
//     cuda/device_plan     a plan there, or the tail of one
//     cuda/planned_batch   the plans of many requests in one launch
//     cuda/fill_positions  positions from any of them
//     cuda/rotate          the kernel
//     cuda/fused           with norm, e4m3 and a paged cache around it
//     cuda/rotate_banks    with both coordinates of visual tokens
//     cuda/merge_states    two partial answers of attention as one

#include "polyrope/cuda/device_plan.hpp"
#include "polyrope/cuda/device_rotary.hpp"
#include "polyrope/cuda/fill_positions.cuh"
#include "polyrope/cuda/fused.cuh"
#include "polyrope/cuda/merge_states.cuh"
#include "polyrope/cuda/planned_batch.hpp"
#include "polyrope/cuda/rotate.cuh"
#include "polyrope/cuda/rotate_banks.cuh"
#include "polyrope/cuda/supports.hpp"
#include "polyrope/version.hpp"
