// The kernels with a chosen index: grid-stride loops, one access in flight a thread and turn.
#pragma once

#include "core/base/words.cuh"
#include "params.h"

__device__ __forceinline__ uint sum_of(uint value) { return value; }
__device__ __forceinline__ uint sum_of(uint2 value) { return value.x + value.y; }
__device__ __forceinline__ uint sum_of(uint4 value) { return value.x + value.y + value.z + value.w; }

// Sums what a thread visits: every word is used, so none is left unread.
#define READ(name, TYPE, INDEX)                                                                                \
  extern "C" __global__ void name(const TYPE* in, uint* out, StrideParams params) {                            \
    const uint first = blockIdx.x * blockDim.x + threadIdx.x;                                                  \
    const uint step = gridDim.x * blockDim.x;                                                                  \
    uint sum = 0;                                                                                              \
    _Pragma("unroll 1") for (uint i = first; i < params.count; i += step) sum += sum_of(in[INDEX(i, params)]); \
    if (first < params.count) out[first] = sum;                                                                \
  }

// Word w of the output becomes incompressible_word(w).
#define WRITE(name, TYPE, INDEX)                                            \
  extern "C" __global__ void name(TYPE* out, StrideParams params) {         \
    const uint first = blockIdx.x * blockDim.x + threadIdx.x;               \
    const uint step = gridDim.x * blockDim.x;                               \
    _Pragma("unroll 1") for (uint i = first; i < params.count; i += step) { \
      const uint index = INDEX(i, params);                                  \
      words_of(index, out[index]);                                          \
    }                                                                       \
  }
