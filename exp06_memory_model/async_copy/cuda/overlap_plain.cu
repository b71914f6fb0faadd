// Load a tile, compute on it, load the next: 64 bytes in flight a thread, none while it computes.
#include "chain.cuh"

extern "C" __global__ void overlap_plain(const uint4* __restrict__ in, uint* __restrict__ sums, OverlapParams params) {
  uint sum = 0;
#pragma unroll 1
  for (uint tile = blockIdx.x; tile < params.tiles; tile += gridDim.x) {
    uint4 value[EXP06_VECTORS];
    take_part(value, in + tile * (EXP06_BLOCK * EXP06_VECTORS), threadIdx.x);
    sum += sum_of_chains(value, params.turns);
  }
  store_block_sum(sum, sums);
}
