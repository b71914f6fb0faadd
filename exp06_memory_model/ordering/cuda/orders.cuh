// What every kernel here builds on: PTX orders and scopes by name, and addresses that PTX may call global.
#pragma once

#include "params.h"

// PTX ISA: clusters, and fences that only acquire or release, from sm_90 on. (ptxas 13.0 takes those fences for sm_80 too, and
// makes nothing of them.)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ONLY_SM90(...) __VA_ARGS__
#else
#define ONLY_SM90(...)
#endif

// X(name, PTX) for an order at each scope: X(acquire_gpu, "acquire.gpu") and so on.
#define EACH_SCOPE(X, order)    \
  X(order##_cta, #order ".cta") \
  ONLY_SM90(X(order##_cluster, #order ".cluster")) X(order##_gpu, #order ".gpu") X(order##_sys, #order ".sys")

// An address for asm's .global: nvcc does not know that a kernel's pointers are.
__device__ __forceinline__ size_t global(const void* pointer) { return __cvta_generic_to_global(pointer); }

__device__ __forceinline__ uint thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint thread_count() { return gridDim.x * blockDim.x; }
