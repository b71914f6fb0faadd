// Load a tile, compute on it, load the next: 64 bytes in flight a thread, none while it computes.
// OVERLAP(name, PROMISE): PROMISE is what the pointers' types say.
#pragma once

#include "chain.cuh"

template <class In, class Sums>
__device__ __forceinline__ void overlap(In in, Sums sums, const OverlapParams& params) {
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    uint4 value[EXP06_VECTORS];
    take_part(value, in + tile * (EXP06_BLOCK * EXP06_VECTORS), threadIdx.x);
    sum += sum_of_chains(value, params.turns);
  }
  store_block_sum(sum, sums);
}

#define OVERLAP(name, PROMISE)                                                                         \
  extern "C" __global__ void name(const uint4* PROMISE in, uint* PROMISE sums, OverlapParams params) { \
    overlap(in, sums, params);                                                                         \
  }
