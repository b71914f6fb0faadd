// What every kernel here builds on: PTX orders and scopes by name, and addresses that PTX may call global.
#pragma once

#include "params.h"

// X(name, PTX) for an order at each scope that every GPU has: X(acquire_gpu, "acquire.gpu") and so on.
#define EACH_SCOPE(X, order) X(order##_cta, #order ".cta") X(order##_gpu, #order ".gpu") X(order##_sys, #order ".sys")

// An address for asm's .global: nvcc does not know that a kernel's pointers are.
__device__ __forceinline__ size_t global(const void* pointer) { return __cvta_generic_to_global(pointer); }

__device__ __forceinline__ uint thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint thread_count() { return gridDim.x * blockDim.x; }
