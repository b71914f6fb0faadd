// Load a tile through registers into shared memory, wait for all threads, compute on it, wait again: nothing is in flight while
// the block computes.
#include "chain.cuh"

extern "C" __global__ void overlap_staged(const uint4* __restrict__ in, uint* __restrict__ sums, OverlapParams params) {
  __shared__ uint4 stage[EXP06_BLOCK * EXP06_VECTORS];
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    uint4 value[EXP06_VECTORS];
    take_part(value, in + tile * (EXP06_BLOCK * EXP06_VECTORS), threadIdx.x);
#pragma unroll
    for (uint v = 0; v < EXP06_VECTORS; ++v) stage[threadIdx.x + v * EXP06_BLOCK] = value[v];
    __syncthreads();
    take_part(value, stage, threadIdx.x ^ 1);
    sum += sum_of_chains(value, params.turns);
    __syncthreads();
  }
  store_block_sum(sum, sums);
}
