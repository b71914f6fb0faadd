// b = a in tiles of blockDim x UNROLL elements: all of a thread's loads are issued before its first store.
#pragma once

#include "params.h"

template <uint UNROLL, class T, class Load>
__device__ __forceinline__ void copy_plain(const T* a, T* b, TileParams params, const Load& load) {
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    const uint first = tile * blockDim.x * UNROLL + threadIdx.x;
    T value[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) value[u] = load(a + (first + u * blockDim.x));
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) b[first + u * blockDim.x] = value[u];
  }
}

#define COPY_PLAIN(bytes, TYPE, unroll)                                                                 \
  extern "C" __global__ void copy_plain_##bytes##_##unroll(const TYPE* a, TYPE* b, TileParams params) { \
    copy_plain<unroll>(a, b, params, [](const TYPE* from) { return *from; });                           \
  }
