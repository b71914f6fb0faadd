// overlap_staged, with the next tile's loads in flight while the block computes: 64 bytes a thread, each in a register.
// OVERLAP(name, PROMISE): PROMISE is what the pointers' types say.
#pragma once

#include "chain.cuh"

template <class In, class Sums>
__device__ __forceinline__ void overlap(In in, Sums sums, const OverlapParams& params) {
  __shared__ uint4 stage[EXP06_BLOCK * EXP06_VECTORS];
  constexpr uint kTileVectors = EXP06_BLOCK * EXP06_VECTORS;
  uint4 next[EXP06_VECTORS];
  take_part(next, in + blockIdx.x * kTileVectors, threadIdx.x);
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
#pragma unroll
    for (uint v = 0; v < EXP06_VECTORS; ++v) stage[threadIdx.x + v * EXP06_BLOCK] = next[v];
    __syncthreads();
    const uint ahead = min(tile + gridDim.x, params.tiles - 1);  // the last turn's loads go unused
    take_part(next, in + ahead * kTileVectors, threadIdx.x);
    uint4 value[EXP06_VECTORS];
    take_part(value, stage, threadIdx.x ^ 1);
    sum += sum_of_chains(value, params.turns);
    __syncthreads();
  }
  store_block_sum(sum, sums);
}

#define OVERLAP(name, PROMISE)                                                                         \
  extern "C" __global__ void name(const uint4* PROMISE in, uint* PROMISE sums, OverlapParams params) { \
    overlap(in, sums, params);                                                                         \
  }
