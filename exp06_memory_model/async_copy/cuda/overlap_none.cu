// The computing alone: a block loads its first tile and computes on that in every turn, from shared memory each time.
#include "chain.cuh"

extern "C" __global__ void overlap_none(const uint4* __restrict__ in, uint* __restrict__ sums, OverlapParams params) {
  __shared__ uint4 stage[EXP06_BLOCK * EXP06_VECTORS];
  uint4 value[EXP06_VECTORS];
  take_part(value, in + blockIdx.x * (EXP06_BLOCK * EXP06_VECTORS), threadIdx.x);
#pragma unroll
  for (uint v = 0; v < EXP06_VECTORS; ++v) stage[threadIdx.x + v * EXP06_BLOCK] = value[v];
  __syncthreads();
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    take_part(value, stage, (threadIdx.x ^ 1) + (tile & params.none));  // else nothing would be done twice
    sum += sum_of_chains(value, params.turns);
  }
  store_block_sum(sum, sums);
}
