// Tiles of blockDim x UNROLL elements: all of a thread's loads are issued before the first is used, and no load of the next
// tile before the last is. Left alone, a compiler issues half of eight 16-byte loads and uses those first, to get by with 32
// registers; a branch that all of them decide, and that is never taken, leaves it no choice.
#pragma once

#include "exp06_memory_model/cuda/sums.cuh"
#include "params.h"

template <uint UNROLL, class T>
__device__ __forceinline__ void read_plain(const T* in, uint* sums, TileParams params) {
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    const uint first = tile * blockDim.x * UNROLL + threadIdx.x;
    T value[UNROLL];
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) value[u] = in[first + u * blockDim.x];
    uint seen = params.none;
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) seen &= word_of(value[u]);
    if (seen != 0) break;
#pragma unroll
    for (uint u = 0; u < UNROLL; ++u) sum += sum_of(value[u]);
  }
  store_block_sum(sum, sums);
}

#define READ_PLAIN(bytes, TYPE, unroll)                                                                     \
  extern "C" __global__ void read_plain_##bytes##_##unroll(const TYPE* in, uint* sums, TileParams params) { \
    read_plain<unroll>(in, sums, params);                                                                   \
  }
