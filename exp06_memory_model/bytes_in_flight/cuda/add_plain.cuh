// c = a + b in tiles of blockDim elements: both of a thread's loads are issued before either is used.
#pragma once

#include "params.h"

__device__ __forceinline__ float sum_of(float a, float b) { return a + b; }
__device__ __forceinline__ float2 sum_of(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }

#define ADD_PLAIN(bytes, TYPE)                                                                                 \
  extern "C" __global__ void add_plain_##bytes##_1(const TYPE* a, const TYPE* b, TYPE* c, TileParams params) { \
    _Pragma("unroll 1") for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {                 \
      const uint i = tile * blockDim.x + threadIdx.x;                                                          \
      c[i] = sum_of(a[i], b[i]);                                                                               \
    }                                                                                                          \
  }
