// Each block sums the tiles b, b + grid, ... and stores one word. 64 bytes read a thread and tile.
#pragma once

#include "block.cuh"

template <class Block>
__device__ __forceinline__ uint sum_of_tiles(typename Block::Shared& shared, const uint4* words, const ScanParams& params) {
  uint sum = 0;
#pragma unroll 1
  for (uint first = blockIdx.x * EXP09_TILE_VECTORS; first < params.vectors; first += gridDim.x * EXP09_TILE_VECTORS) {
    uint4 v[EXP09_ROWS];
#pragma unroll
    for (uint row = 0; row < EXP09_ROWS; ++row) {
      const uint i = first + Block::place(row);
      v[row] = i < params.vectors ? words[i] : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (uint row = 0; row < EXP09_ROWS; ++row) sum += sum_of(v[row]);
  }
  return Block::block_sum(shared, sum);
}

template <class Block>
__device__ __forceinline__ void sum(const uint4* words, uint* result, const ScanParams& params) {
  __shared__ typename Block::Shared shared;
  const uint sum = sum_of_tiles<Block>(shared, words, params);
  if (thread() == 0) result[blockIdx.x] = sum;
}

// The block that is ready last adds up the others' sums, too.
__device__ __forceinline__ void sum_last_block_ready(const uint4* words, uint* result, uint* state, const ScanParams& params) {
  __shared__ Subgroups::Shared shared;
  __shared__ uint ticket;
  const uint sum = sum_of_tiles<Subgroups>(shared, words, params);
  if (thread() == 0) {
    state[EXP09_FIRST + blockIdx.x] = sum;
    uint mine;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(mine)
                 : "l"(__cvta_generic_to_global(state + EXP09_TICKET))
                 : "memory");
    ticket = mine;
  }
  __syncthreads();
  // The grid is a power of two.
  if ((ticket & (gridDim.x - 1)) != gridDim.x - 1) return;
  uint own = 0;
#pragma unroll 1
  for (uint i = thread(); i < gridDim.x; i += EXP09_BLOCK) own += state[EXP09_FIRST + i];
  const uint total = Subgroups::block_sum(shared, own);
  if (thread() == 0) result[0] = total;
}

#define SUM(name, Block)                                                                                        \
  extern "C" __global__ void sum_##name(const uint4* words, uint* result, uint* /*state*/, ScanParams params) { \
    sum<Block>(words, result, params);                                                                          \
  }
