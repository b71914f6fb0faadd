// What every kernel here builds on: a tile's vectors, and sums over a block: through a tree in shared memory, or by shuffles.
#pragma once

#include "params.h"

#define WARP 32u
#define ALL_LANES 0xffffffffu

__device__ __forceinline__ uint sum_of(uint4 v) { return v.x + v.y + v.z + v.w; }
__device__ __forceinline__ uint lane() { return threadIdx.x % WARP; }
__device__ __forceinline__ uint warp() { return threadIdx.x / WARP; }
__device__ __forceinline__ uint thread() { return threadIdx.x; }

__device__ __forceinline__ uint4 operator+(uint4 a, uint4 b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__device__ __forceinline__ uint warp_sum(uint value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(ALL_LANES, value);
#else
  for (uint step = WARP / 2; step > 0; step /= 2) value += __shfl_xor_sync(ALL_LANES, value, step);
  return value;
#endif
}

__device__ __forceinline__ uint warp_inclusive(uint value) {
#pragma unroll
  for (uint step = 1; step < WARP; step *= 2) {
    const uint other = __shfl_up_sync(ALL_LANES, value, step);
    if (lane() >= step) value += other;
  }
  return value;
}

// Of each of the thread's vectors in a tile, what stands before it: of its row, and of the rows before.
__device__ __forceinline__ uint4 exclusive(uint4 upto, uint4 own, uint4 row_sums, uint before) {
  const uint second = before + row_sums.x;
  const uint third = second + row_sums.y;
  return make_uint4(upto.x - own.x + before, upto.y - own.y + second, upto.z - own.z + third,
                    upto.w - own.w + third + row_sums.z);
}

struct Tree {
  struct Shared {
    uint4 rows[2][EXP09_BLOCK];
    uint sums[EXP09_BLOCK];
  };

  // The thread's vector of a row: a row is as wide as the block.
  static __device__ __forceinline__ uint place(uint row) { return row * EXP09_BLOCK + thread(); }

  static __device__ __forceinline__ uint block_sum(Shared& shared, uint own) {
    shared.sums[thread()] = own;
    __syncthreads();
#pragma unroll
    for (uint width = EXP09_BLOCK / 2; width > 0; width /= 2) {
      if (thread() < width) shared.sums[thread()] += shared.sums[thread() + width];
      __syncthreads();
    }
    return shared.sums[0];
  }

  static __device__ __forceinline__ uint4 block_exclusive(Shared& shared, uint4 own, uint& total) {
    uint4 upto = own;
    shared.rows[0][thread()] = own;
    __syncthreads();
    uint from = 0;
#pragma unroll
    for (uint step = 1; step < EXP09_BLOCK; step *= 2) {
      if (thread() >= step) upto = upto + shared.rows[from][thread() - step];
      from ^= 1;
      shared.rows[from][thread()] = upto;
      __syncthreads();
    }
    const uint4 row_sums = shared.rows[from][EXP09_BLOCK - 1];
    total = sum_of(row_sums);
    return exclusive(upto, own, row_sums, 0);
  }
};

struct Subgroups {
  struct Shared {
    uint sums[EXP09_BLOCK / WARP];
  };

  // A row is as wide as the warp, and a warp's rows stand side by side.
  static __device__ __forceinline__ uint place(uint row) { return (warp() * EXP09_ROWS + row) * WARP + lane(); }

  static __device__ __forceinline__ uint block_sum(Shared& shared, uint own) {
    const uint sum = warp_sum(own);
    if (lane() == 0) shared.sums[warp()] = sum;
    __syncthreads();
    uint total = 0;
    for (uint w = 0; w < blockDim.x / WARP; ++w) total += shared.sums[w];
    return total;
  }

  static __device__ __forceinline__ uint4 block_exclusive(Shared& shared, uint4 own, uint& total) {
    const uint4 upto = make_uint4(warp_inclusive(own.x), warp_inclusive(own.y), warp_inclusive(own.z), warp_inclusive(own.w));
    const uint4 row_sums = make_uint4(__shfl_sync(ALL_LANES, upto.x, WARP - 1), __shfl_sync(ALL_LANES, upto.y, WARP - 1),
                                      __shfl_sync(ALL_LANES, upto.z, WARP - 1), __shfl_sync(ALL_LANES, upto.w, WARP - 1));
    if (lane() == 0) shared.sums[warp()] = sum_of(row_sums);
    __syncthreads();
    uint before = 0;
    total = 0;
    for (uint w = 0; w < blockDim.x / WARP; ++w) {
      if (w == warp()) before = total;
      total += shared.sums[w];
    }
    return exclusive(upto, own, row_sums, before);
  }
};
